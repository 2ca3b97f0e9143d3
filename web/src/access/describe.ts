// SPDX-License-Identifier: Apache-2.0
// Blocks in words, for people who hear the sheet.
import type { Block, Scene } from '../canvas/scene';
import type { Diagnostic } from '../protocol/messages';
import { join } from '../state/paths';

export function describeBlock(
  block: Block,
  scene: Scene,
  diagram: string,
  problems: readonly Diagnostic[],
): string {
  const words = [`${block.type} ${block.name}`];
  const text = block.icon.map((m) => m.text).filter(Boolean).join(' '); // prettier-ignore
  if (text) words.push(`shows ${text}`);
  const from = new Set<string>();
  const to = new Set<string>();
  for (const link of scene.links) {
    for (const branch of link.branches) {
      if (branch.to.block === block.name)
        from.add(`${link.activation ? 'activated by' : 'input from'} ${link.from.block}`);
      if (link.from.block === block.name)
        to.add(`${link.activation ? 'activates' : 'output to'} ${branch.to.block}`);
    }
  }
  words.push(...from, ...to);
  const free = block.ports.filter((p) => !p.connected && !p.output).length;
  if (free) words.push(`${free} unconnected input${free > 1 ? 's' : ''}`);
  if (block.off) words.push('commented out');
  if (block.super) words.push('super block');
  const path = join(diagram, block.name);
  const errors = problems.filter((p) => p.block && (p.block === path || p.block.startsWith(`${path}/`)));
  if (errors.length)
    words.push(`${errors.length} problem${errors.length > 1 ? 's' : ''}: ${errors[0]!.message}`);
  return words.join(', ');
}
