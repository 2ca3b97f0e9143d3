// SPDX-License-Identifier: Apache-2.0
// Where moved blocks come to rest: first so that a link becomes straight, then in line with neighbours, then on the grid.
import {
  type Block,
  type Box,
  type Point,
  type Scene,
  bottom,
  centre,
  hull,
  overlaps,
  portAt,
  right,
} from './scene';

export const grid = 10;
export interface Guide {
  from: Point;
  to: Point;
}
export interface Snapped {
  by: Point;
  guides: Guide[];
}

const toGrid = (x: number) => Math.round(x / grid) * grid;

interface Wish {
  shift: number; // what to add to the movement
  guide: () => Guide;
}

const better = (a: Wish | null, b: Wish): Wish => (!a || Math.abs(b.shift) < Math.abs(a.shift) ? b : a);

export function snapMove(
  scene: Scene,
  names: ReadonlySet<string>,
  by: Point,
  zoom: number,
  free = false,
): Snapped {
  const moved = scene.blocks.filter((b) => names.has(b.name));
  const box = hull(moved.map((b) => b.box));
  if (!box) return { by: free ? by : [toGrid(by[0]), toGrid(by[1])], guides: [] };
  if (free) return { by: [Math.round(by[0]), Math.round(by[1])], guides: [] };
  const reach = 7 / zoom;
  const guides: Guide[] = [];
  let [dx, dy] = [by[0], by[1]];
  const wishes = straightWishes(scene, names, by, reach);
  const there: Box = { ...box, x: box.x + dx, y: box.y + dy };
  const near = nearBlocks(scene, names, there);
  const x = wishes.x ?? alignWish(there, near, true, reach);
  const y = wishes.y ?? alignWish(there, near, false, reach);
  dx = x ? dx + x.shift : toGrid(box.x + dx) - box.x;
  dy = y ? dy + y.shift : toGrid(box.y + dy) - box.y;
  if (x) guides.push(x.guide());
  if (y) guides.push(y.guide());
  return { by: [dx, dy], guides };
}

// Movements that make a link between a moved and a resting block one straight line.
function straightWishes(scene: Scene, names: ReadonlySet<string>, by: Point, reach: number) {
  let x: Wish | null = null;
  let y: Wish | null = null;
  const blocks = new Map<string, Block>();
  const block = (name: string) => {
    if (!blocks.size) for (const b of scene.blocks) blocks.set(b.name, b);
    return blocks.get(name);
  };
  for (const link of scene.links) {
    for (const branch of link.branches) {
      const out = names.has(link.from.block);
      if (out === names.has(branch.to.block)) continue;
      const from = block(link.from.block);
      const to = block(branch.to.block);
      const a = from && portAt(from, true, link.activation, link.from.port);
      const b = to && portAt(to, false, link.activation, branch.to.port);
      if (!a || !b) continue;
      const [mine, other] = out ? [a.at, b.at] : [b.at, a.at];
      const vertical = a.side === 'top' || a.side === 'bottom';
      const axis = vertical ? 0 : 1;
      const shift = other[axis] - (mine[axis] + by[axis]);
      if (Math.abs(shift) > reach) continue;
      const start: Point = [
        mine[0] + by[0] + (vertical ? shift : 0),
        mine[1] + by[1] + (vertical ? 0 : shift),
      ];
      const wish = { shift, guide: () => ({ from: start, to: other }) };
      if (vertical) x = better(x, wish);
      else y = better(y, wish);
    }
  }
  return { x, y };
}

function nearBlocks(scene: Scene, names: ReadonlySet<string>, box: Box): Block[] {
  const area = { x: box.x - 400, y: box.y - 400, width: box.width + 800, height: box.height + 800 };
  return scene.blocks.filter((b) => !names.has(b.name) && overlaps(b.box, area)).slice(0, 300);
}

function alignWish(box: Box, near: readonly Block[], horizontal: boolean, reach: number): Wish | null {
  let best: Wish | null = null;
  const lines = (b: Box) => (horizontal ? [b.x, centre(b)[0], right(b)] : [b.y, centre(b)[1], bottom(b)]);
  const mine = lines(box);
  for (const other of near) {
    lines(other.box).forEach((line, k) => {
      const shift = line - mine[k]!;
      if (Math.abs(shift) > reach) return;
      const ends = horizontal
        ? [Math.min(box.y, other.box.y), Math.max(bottom(box), bottom(other.box))]
        : [Math.min(box.x, other.box.x), Math.max(right(box), right(other.box))];
      best = better(best, {
        shift,
        guide: () =>
          horizontal
            ? { from: [line, ends[0]!], to: [line, ends[1]!] }
            : { from: [ends[0]!, line], to: [ends[1]!, line] },
      });
    });
  }
  return best;
}
