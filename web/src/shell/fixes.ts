// SPDX-License-Identifier: Apache-2.0
// Remedies that are one press away: for an algebraic loop a Memory in one of its links.
import type { Scene } from '../canvas/scene';
import type { Diagnostic, Step } from '../protocol/messages';
import { blockIn, join } from '../state/paths';
import { portWord } from '../state/steps';

export interface Fix {
  label: string;
  steps: Step[];
}

export function fixesFor(problem: Diagnostic, diagram: string, scene: Scene): Fix[] {
  const list: Fix[] = [...(problem.fixes ?? [])];
  if (problem.code !== 'algebraic-loop') return list;
  const members = new Set((problem.loop ?? []).flatMap((m) => blockIn(diagram, m) ?? []));
  for (const link of scene.links) {
    if (link.activation || !members.has(link.from.block)) continue;
    const branch = link.branches.find((b) => members.has(b.to.block));
    if (!branch) continue;
    const [a, b] = [branch.points[0]!, branch.points.at(-1)!];
    const at = `${Math.round((a[0] + b[0]) / 20) * 10 - 35},${Math.round((a[1] + b[1]) / 20) * 10 - 20}`;
    const ends = [
      portWord(diagram, link.from.block, link.from.port),
      portWord(diagram, branch.to.block, branch.to.port),
    ];
    list.push({
      label: `Insert a Memory before ${branch.to.block}`,
      steps: [
        ['add', 'Memory', 'in', diagram, 'at', at],
        ['insert', join(diagram, '$1'), 'into', ...ends],
      ],
    });
    break;
  }
  return list;
}
