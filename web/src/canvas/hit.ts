// SPDX-License-Identifier: Apache-2.0
// What is under the pointer. Distances are in pixels of the screen, so that small things stay easy to catch.
import type { ScenePainter } from './painter';
import { type Block, type Link, type Point, type Port, branchKey, inside } from './scene';

export type Corner = 'nw' | 'ne' | 'se' | 'sw';
export interface BranchHit {
  kind: 'branch';
  link: Link;
  keys: string[]; // of all branches that pass here
  branch: number; // the one whose points are meant
  segment: number;
  end: boolean; // at the tip, where it can be taken off
  at: Point; // on the line
}
export type Hit =
  | { kind: 'empty' }
  | { kind: 'block'; block: Block }
  | { kind: 'port'; block: Block; port: Port }
  | { kind: 'corner'; block: Block; corner: Corner }
  | { kind: 'note'; note: number }
  | BranchHit;

export const nothing: Hit = { kind: 'empty' };
export const portReach = 12;
export const linkReach = 6;

export function segmentDistance(p: Point, a: Point, b: Point): { distance: number; at: Point } {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const length = dx * dx + dy * dy;
  const t = length ? Math.max(0, Math.min(1, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length)) : 0;
  const at: Point = [a[0] + t * dx, a[1] + t * dy];
  return { distance: Math.hypot(p[0] - at[0], p[1] - at[1]), at };
}

function nearest(points: readonly Point[], p: Point) {
  let best = { distance: Infinity, segment: 0, at: p };
  for (let k = 0; k + 1 < points.length; ++k) {
    const { distance, at } = segmentDistance(p, points[k]!, points[k + 1]!);
    if (distance < best.distance) best = { distance, segment: k, at };
  }
  return best;
}

export function hitLink(links: readonly Link[], p: Point, zoom: number): BranchHit | null {
  const reach = linkReach / zoom;
  let found: { link: Link; branch: number; segment: number; at: Point; distance: number } | null = null;
  for (const link of links) {
    link.branches.forEach((branch, k) => {
      const near = nearest(branch.points, p);
      if (near.distance <= reach && near.distance < (found?.distance ?? Infinity))
        found = { link, branch: k, ...near };
    });
  }
  if (!found) return null;
  const { link, branch, segment, at } = found as { link: Link; branch: number; segment: number; at: Point };
  const keys = link.branches
    .filter((b) => nearest(b.points, at).distance < 0.01)
    .map((b) => branchKey(link, b));
  const points = link.branches[branch]!.points;
  const tip = points[points.length - 1]!;
  const end = Math.hypot(tip[0] - p[0], tip[1] - p[1]) <= portReach / zoom && keys.length === 1;
  return { kind: 'branch', link, keys, branch, segment, end, at };
}

const corners: [Corner, 0 | 1, 0 | 1][] = [
  ['nw', 0, 0],
  ['ne', 1, 0],
  ['se', 1, 1],
  ['sw', 0, 1],
];

export function hitTest(painter: ScenePainter, p: Point, zoom: number, selected: ReadonlySet<string>): Hit {
  const reach = portReach / zoom;
  const area = { x: p[0] - reach, y: p[1] - reach, width: 2 * reach, height: 2 * reach };
  const blocks = painter.blocksIn(area).reverse();
  if (zoom >= 0.4) {
    if (selected.size === 1) {
      for (const block of blocks) {
        if (!selected.has(block.name)) continue;
        for (const [corner, right, low] of corners) {
          const x = block.box.x + right * block.box.width;
          const y = block.box.y + low * block.box.height;
          if (Math.abs(p[0] - x) <= 5 / zoom && Math.abs(p[1] - y) <= 5 / zoom)
            return { kind: 'corner', block, corner };
        }
      }
    }
    const port = hitPort(blocks, p, zoom);
    if (port) return port;
  }
  const link = zoom >= 0.25 ? hitLink(painter.linksIn(area), p, zoom) : null;
  const block = blocks.find((b) => inside(b.box, p));
  if (block) return { kind: 'block', block };
  if (link) return link;
  const note = painter.scene.notes.findLastIndex((n) => inside(n.box, p));
  return note >= 0 ? { kind: 'note', note } : nothing;
}

// Inside a block only what is close to its edge counts as the port, so that small blocks can still be taken.
function hitPort(blocks: readonly Block[], p: Point, zoom: number): Hit | null {
  let best: { block: Block; port: Port; distance: number } | null = null;
  for (const block of blocks) {
    const within = inside(block.box, p, -2 / zoom);
    const reach = (within ? 5 : portReach) / zoom;
    for (const port of block.ports) {
      const distance = Math.hypot(port.at[0] - p[0], port.at[1] - p[1]);
      // The tip of a connected input belongs to its link, which can be taken off there.
      if (port.connected && !port.output) continue;
      if (distance <= reach && distance < (best?.distance ?? Infinity)) best = { block, port, distance };
    }
  }
  return best ? { kind: 'port', block: best.block, port: best.port } : null;
}
