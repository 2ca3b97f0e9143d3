// SPDX-License-Identifier: Apache-2.0
// Shapes of links while a gesture is under way, before the server's answer: stretched lines and bent segments.
import type { Link, Point } from './scene';

const plus = (p: Point, by: Point): Point => [p[0] + by[0], p[1] + by[1]];

// Without points in the middle of straight lines and without doubled points.
export function simplify(points: readonly Point[]): Point[] {
  const list: Point[] = [];
  for (const p of points) {
    const last = list[list.length - 1];
    if (last && last[0] === p[0] && last[1] === p[1]) continue;
    const before = list[list.length - 2];
    if (
      last &&
      before &&
      ((before[0] === last[0] && last[0] === p[0]) || (before[1] === last[1] && last[1] === p[1]))
    )
      list.pop();
    list.push(p);
  }
  return list;
}

// One end moves, the other stays; right angles are kept.
function stretch(points: readonly Point[], by: Point, startMoves: boolean): Point[] {
  const list = startMoves ? [...points] : [...points].reverse();
  const [a, b] = [list[0]!, list[1]!];
  const moved = plus(a, by);
  if (list.length === 2) {
    const [x0, y0] = moved;
    const [x1, y1] = b;
    const horizontal = a[1] === b[1];
    list.splice(0, 2, moved, ...(horizontal ? [[(x0 + x1) / 2, y0], [(x0 + x1) / 2, y1]] : [[x0, (y0 + y1) / 2], [x1, (y0 + y1) / 2]]) as Point[], b); // prettier-ignore
  } else {
    // The first segment keeps its direction, so the next corner slides.
    list[0] = moved;
    list[1] = a[1] === b[1] ? [b[0], moved[1]] : [moved[0], b[1]];
  }
  const result = simplify(list);
  return startMoves ? result : result.reverse();
}

// The links of moved blocks as well as we can guess them.
export function stretchLink(link: Link, names: ReadonlySet<string>, by: Point): Link {
  const start = names.has(link.from.block);
  const branches = link.branches.map((branch) => {
    const end = names.has(branch.to.block);
    let points = branch.points;
    if (start && end) points = points.map((p) => plus(p, by));
    else if (points.length > 1 && (start || end)) points = stretch(points, by, start);
    return { ...branch, points, first: start === end ? branch.first : 0 };
  });
  const all = start && link.branches.every((b) => names.has(b.to.block));
  return {
    ...link,
    branches,
    label: null,
    junctions: all ? link.junctions.map((p) => plus(p, by)) : [],
  };
}

// A segment moved sideways. The ends of the branch stay at their ports, so the outer segments get a short stub.
export function bendSegment(points: readonly Point[], segment: number, by: Point): Point[] {
  const a = points[segment];
  const b = points[segment + 1];
  if (!a || !b) return [...points];
  const horizontal = a[1] === b[1];
  const off: Point = horizontal ? [0, by[1]] : [by[0], 0];
  const length = Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]);
  const stub = Math.min(20, length / 3);
  const along: Point = [Math.sign(b[0] - a[0]) * stub, Math.sign(b[1] - a[1]) * stub];
  const list: Point[] = points.slice(0, segment);
  if (segment === 0) {
    const s = plus(a, along);
    list.push(a, s, plus(s, off));
  } else list.push(plus(a, off));
  if (segment + 2 === points.length) {
    const s: Point = [b[0] - along[0], b[1] - along[1]];
    list.push(plus(s, off), s, b);
  } else list.push(plus(b, off));
  list.push(...points.slice(segment + 2));
  return simplify(list);
}

// What the file keeps of a bent branch: the corners between the two ports.
export const cornersOf = (points: readonly Point[]): Point[] => points.slice(1, -1);
