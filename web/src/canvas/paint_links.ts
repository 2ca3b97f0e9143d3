// SPDX-License-Identifier: Apache-2.0
// Links: right angles with rounded corners, dots where branches part, a gap where lines merely cross.
import type { Crossing, Link, Point } from './scene';
import type { Theme } from './theme';
import { paintMark } from './paint_blocks';

type Ctx = CanvasRenderingContext2D;
type Tracer = Pick<Path2D, 'moveTo' | 'lineTo' | 'quadraticCurveTo'>;
const corner = 5;

// Corners are rounded where no other line joins.
export function traceRounded(
  path: Tracer,
  points: readonly Point[],
  first = 0,
  sharp: readonly Point[] = [],
) {
  const start = points[first];
  if (!start) return;
  path.moveTo(start[0], start[1]);
  for (let k = first + 1; k < points.length; ++k) {
    const p = points[k - 1]!;
    const q = points[k]!;
    const r = points[k + 1];
    const before = Math.abs(p[0] - q[0]) + Math.abs(p[1] - q[1]);
    const after = r ? Math.abs(r[0] - q[0]) + Math.abs(r[1] - q[1]) : 0;
    const radius = Math.min(corner, before / 2, after / 2);
    if (!r || radius <= 0.5 || sharp.some((s) => s[0] === q[0] && s[1] === q[1])) {
      path.lineTo(q[0], q[1]);
      continue;
    }
    path.lineTo(q[0] + ((p[0] - q[0]) / before) * radius, q[1] + ((p[1] - q[1]) / before) * radius);
    path.quadraticCurveTo(q[0], q[1], q[0] + ((r[0] - q[0]) / after) * radius, q[1] + ((r[1] - q[1]) / after) * radius); // prettier-ignore
  }
}

export function traceLink(path: Path2D, link: Link) {
  for (const branch of link.branches)
    if (branch.points.length > branch.first + 1)
      traceRounded(path, branch.points, branch.first, link.junctions);
}

export function traceArrow(path: Path2D, points: readonly Point[], activation: boolean) {
  const tip = points[points.length - 1];
  const before = points[points.length - 2];
  if (!tip || !before) return;
  const length = activation ? 7 : 8;
  const half = activation ? 2.8 : 3.6;
  const dx = tip[0] === before[0] ? 0 : Math.sign(tip[0] - before[0]);
  const dy = dx !== 0 ? 0 : tip[1] > before[1] ? 1 : -1;
  const base = [tip[0] - dx * length, tip[1] - dy * length] as const;
  path.moveTo(tip[0], tip[1]);
  path.lineTo(base[0] - dy * half, base[1] + dx * half);
  path.lineTo(base[0] + dy * half, base[1] - dx * half);
  path.closePath();
}

// Straight lines only: the far levels of detail.
export function paintPlainLinks(ctx: Ctx, links: readonly Link[], theme: Theme, pixel: number) {
  const paths = { regular: new Path2D(), activation: new Path2D() };
  for (const link of links) {
    const path = link.activation ? paths.activation : paths.regular;
    for (const { points, first } of link.branches) {
      for (let k = first; k < points.length; ++k) {
        const [x, y] = points[k]!;
        if (k === first) path.moveTo(x, y);
        else path.lineTo(x, y);
      }
    }
  }
  ctx.lineWidth = pixel;
  ctx.strokeStyle = theme.link;
  ctx.stroke(paths.regular);
  ctx.strokeStyle = theme.event;
  ctx.stroke(paths.activation);
}

interface Strokes {
  line: Path2D;
  ends: Path2D;
}

export function paintLinks(
  ctx: Ctx,
  links: readonly Link[],
  crossings: readonly Crossing[],
  theme: Theme,
  names: boolean,
) {
  const groups = new Map<string, Strokes & { activation: boolean; change: Link['change'] }>();
  for (const link of links) {
    const key = `${link.activation}${link.change}`;
    let group = groups.get(key);
    if (!group)
      groups.set(
        key,
        (group = {
          line: new Path2D(),
          ends: new Path2D(),
          activation: link.activation,
          change: link.change,
        }),
      );
    traceLink(group.line, link);
    for (const [x, y] of link.junctions) {
      group.ends.moveTo(x + 3, y);
      group.ends.arc(x, y, 3, 0, 2 * Math.PI);
    }
    for (const branch of link.branches) traceArrow(group.ends, branch.points, link.activation);
  }
  const colour = (g: { activation: boolean; change: Link['change'] }) =>
    g.change !== 'none' ? theme.changes[g.change] : g.activation ? theme.event : theme.link;
  ctx.lineJoin = 'round';
  for (const group of groups.values()) {
    ctx.strokeStyle = colour(group);
    ctx.lineWidth = group.change !== 'none' ? 2.2 : group.activation ? 1.2 : 1.5;
    if (group.change === 'removed') ctx.setLineDash([5, 4]);
    ctx.stroke(group.line);
    ctx.setLineDash([]);
  }
  paintCrossings(ctx, crossings, theme);
  for (const group of groups.values()) {
    ctx.fillStyle = colour(group);
    ctx.fill(group.ends);
  }
  if (!names) return;
  for (const link of links) if (link.label) paintMark(ctx, link.label, theme);
}

function paintCrossings(ctx: Ctx, crossings: readonly Crossing[], theme: Theme) {
  const gap = new Path2D();
  const lines = { regular: new Path2D(), activation: new Path2D() };
  for (const {
    at: [x, y],
    activation,
  } of crossings) {
    gap.moveTo(x - 3.2, y);
    gap.lineTo(x + 3.2, y);
    const line = activation ? lines.activation : lines.regular;
    line.moveTo(x, y - 4);
    line.lineTo(x, y + 4);
  }
  ctx.strokeStyle = theme.sheet;
  ctx.lineWidth = 3.2;
  ctx.stroke(gap);
  ctx.strokeStyle = theme.link;
  ctx.lineWidth = 1.5;
  ctx.stroke(lines.regular);
  ctx.strokeStyle = theme.event;
  ctx.lineWidth = 1.2;
  ctx.stroke(lines.activation);
}
