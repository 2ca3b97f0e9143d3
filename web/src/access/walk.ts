// SPDX-License-Identifier: Apache-2.0
// Walking the sheet with the keyboard: in the order of signals, or along links.
import type { Block, Scene } from '../canvas/scene';
import type { State } from '../state/state';

// Blocks from left to right, rows first where they stand above each other: the order in which people read a diagram.
export function readingOrder(scene: Scene): Block[] {
  const column = (b: Block) => Math.round(b.box.x / 60);
  return [...scene.blocks].sort((a, b) => column(a) - column(b) || a.box.y - b.box.y || a.box.x - b.box.x);
}

export function nextBlock(s: State, step: 1 | -1): string | null {
  const order = readingOrder(s.scene);
  if (!order.length) return null;
  const at = order.findIndex((b) => b.name === s.focusBlock);
  const next = at < 0 ? (step > 0 ? 0 : order.length - 1) : (at + step + order.length) % order.length;
  return order[next]!.name;
}

// Right: what this block drives; left: what drives it; up and down: siblings driven by the same output, else neighbours.
export function followLink(s: State, way: 'right' | 'left' | 'up' | 'down'): string | null {
  const name = s.focusBlock;
  const { links, blocks } = s.scene;
  if (!name) return blocks[0]?.name ?? null;
  if (way === 'right') return links.find((l) => l.from.block === name)?.branches[0]?.to.block ?? null;
  const driver = links.find((l) => l.branches.some((b) => b.to.block === name));
  if (way === 'left') return driver?.from.block ?? null;
  const siblings = driver
    ? [...new Set(driver.branches.map((b) => b.to.block))]
    : [...blocks].sort((a, b) => a.box.y - b.box.y).map((b) => b.name);
  const at = siblings.indexOf(name);
  return siblings[(at + (way === 'down' ? 1 : -1) + siblings.length) % siblings.length] ?? null;
}
