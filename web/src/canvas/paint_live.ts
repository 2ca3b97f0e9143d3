// SPDX-License-Identifier: Apache-2.0
// The middle canvas: problems on blocks, values on links, activity of a step, and the overlays of the View menu.
import type { BlockFacts, Diagnostic } from '../protocol/messages';
import { blockIn, join } from '../state/paths';
import type { Overlay } from '../state/state';
import { traceBody } from './paint_blocks';
import { traceLink } from './paint_links';
import { type ScenePainter, farZoom, plainZoom } from './painter';
import { type Block, type Box, type Link, type Point, right } from './scene';
import { font } from './theme';
import type { Viewport } from './viewport';

export interface LivePicture {
  diagram: string;
  problems: readonly Diagnostic[];
  overlay: Overlay;
  facts: Record<string, BlockFacts>;
  values: Record<string, (number | string)[]> | null;
  activated: readonly string[]; // paths, in order
  highlight: ReadonlySet<string>;
  share: number | null; // of a run that is under way
}

type Ctx = CanvasRenderingContext2D;

export interface Badges {
  worst: Map<string, 'error' | 'warning'>;
  loop: Set<string>;
}

// The worst problem of each block of this diagram; one inside a super block marks the super block too.
export function collectBadges(diagram: string, problems: readonly Diagnostic[]): Badges {
  const worst = new Map<string, 'error' | 'warning'>();
  const loop = new Set<string>();
  for (const problem of problems) {
    const severity = problem.severity ?? 'error';
    if (severity === 'note') continue;
    const name = problem.block ? blockIn(diagram, problem.block) : null;
    if (name && worst.get(name) !== 'error') worst.set(name, severity);
    for (const member of problem.loop ?? []) {
      const within = blockIn(diagram, member);
      if (within) loop.add(within);
    }
  }
  return { worst, loop };
}

const palette = ['#2f7fd6', '#c2571a', '#2c9c69', '#a145b8', '#b0892a', '#c8375f', '#4a59c9', '#5c7a1f'];

export function paintLive(ctx: Ctx, painter: ScenePainter, view: Viewport, ratio: number, p: LivePicture) {
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.clearRect(0, 0, view.width * ratio, view.height * ratio);
  const scale = ratio * view.zoom;
  ctx.setTransform(scale, 0, 0, scale, -view.x * scale, -view.y * scale);
  const pixel = 1 / view.zoom;
  const area = { x: view.x, y: view.y, width: view.width / view.zoom, height: view.height / view.zoom };
  const { worst, loop } = collectBadges(p.diagram, p.problems);
  const blocks = painter.blocksIn(area);
  if (loop.size) paintLoop(ctx, painter, area, loop, pixel);
  if (p.overlay !== 'none' && view.zoom >= farZoom) paintOverlay(ctx, painter, blocks, p, pixel);
  for (const block of blocks) {
    const path = join(p.diagram, block.name);
    const order = p.activated.indexOf(path);
    if (order >= 0 || p.highlight.has(block.name)) ring(ctx, painter, block, order >= 0 ? painter.theme.event : painter.theme.select, pixel); // prettier-ignore
    if (order >= 0)
      badge(ctx, painter, [block.box.x, block.box.y], String(order + 1), painter.theme.event, pixel);
    const severity = worst.get(block.name);
    if (severity) {
      const colour = severity === 'error' ? painter.theme.error : painter.theme.warning;
      ring(ctx, painter, block, colour, pixel);
      badge(ctx, painter, [right(block.box), block.box.y], '!', colour, pixel);
    }
  }
  if (p.values && view.zoom >= plainZoom) paintValues(ctx, painter, painter.linksIn(area), p);
}

function ring(ctx: Ctx, _painter: ScenePainter, block: Block, colour: string, pixel: number) {
  ctx.beginPath();
  traceBody(ctx, block, 3);
  ctx.strokeStyle = colour;
  ctx.lineWidth = Math.max(2, 2 * pixel);
  ctx.stroke();
}

function badge(ctx: Ctx, painter: ScenePainter, [x, y]: Point, text: string, colour: string, pixel: number) {
  const radius = Math.max(7, 5 * pixel);
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.fillStyle = colour;
  ctx.fill();
  ctx.fillStyle = painter.theme.sheet;
  ctx.font = font(radius * 1.4, 700);
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.fillText(text, x, y + radius * 0.08);
  ctx.textBaseline = 'alphabetic';
}

function paintLoop(
  ctx: Ctx,
  painter: ScenePainter,
  area: { x: number; y: number; width: number; height: number },
  loop: ReadonlySet<string>,
  pixel: number,
) {
  // prettier-ignore
  const path = new Path2D();
  for (const link of painter.linksIn(area)) {
    if (link.activation || !loop.has(link.from.block)) continue;
    const inner = link.branches.filter((b) => loop.has(b.to.block));
    if (inner.length)
      traceLink(path, { ...link, branches: inner.map((b) => ({ ...b, first: 0 })), junctions: [] });
  }
  ctx.strokeStyle = painter.theme.error;
  ctx.lineWidth = Math.max(3.5, 2.5 * pixel);
  ctx.globalAlpha = 0.75;
  ctx.stroke(path);
  ctx.globalAlpha = 1;
}

function paintOverlay(
  ctx: Ctx,
  painter: ScenePainter,
  blocks: readonly Block[],
  p: LivePicture,
  pixel: number,
) {
  const clocks = [...new Set(Object.values(p.facts).flatMap((f) => f.clock ?? []))].sort();
  ctx.font = font(10, 600);
  for (const block of blocks) {
    const facts = p.facts[join(p.diagram, block.name)];
    if (!facts) continue;
    let text = '';
    let colour = painter.theme.faint;
    if (p.overlay === 'timing' && facts.clock) {
      text = facts.clock;
      colour = palette[clocks.indexOf(facts.clock) % palette.length]!;
      ctx.beginPath();
      traceBody(ctx, block);
      ctx.fillStyle = colour;
      ctx.globalAlpha = 0.25;
      ctx.fill();
      ctx.globalAlpha = 1;
    } else if (p.overlay === 'order' && facts.order !== undefined) text = String(facts.order);
    else if (p.overlay === 'types') text = (facts.out ?? []).join(', ');
    if (text) chip(ctx, painter, text, [block.box.x + block.box.width / 2, block.box.y - 8], colour);
  }
  void pixel;
}

function chip(ctx: Ctx, painter: ScenePainter, text: string, [x, y]: Point, colour: string) {
  const width = ctx.measureText(text).width + 10;
  ctx.beginPath();
  ctx.roundRect(x - width / 2, y - 9, width, 14, 7);
  ctx.fillStyle = painter.theme.sheet;
  ctx.fill();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1;
  ctx.stroke();
  ctx.fillStyle = painter.theme.text;
  ctx.textAlign = 'center';
  ctx.fillText(text, x, y + 2);
}

export function shortNumber(x: number | string): string {
  if (typeof x === 'string') return x;
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-4) return x.toExponential(3).replace(/\.?0+e/, 'e');
  return String(Number(x.toPrecision(5)));
}

export const shortValue = (value: readonly (number | string)[]) =>
  value.length === 1
    ? shortNumber(value[0]!)
    : value.length <= 4
      ? `[${value.map(shortNumber).join(' ')}]`
      : `[${value.slice(0, 3).map(shortNumber).join(' ')} … ${value.length}]`;

// The value of an output, on the longest horizontal piece of its link.
function paintValues(ctx: Ctx, painter: ScenePainter, links: readonly Link[], p: LivePicture) {
  ctx.font = font(10, 500);
  for (const link of links) {
    if (link.activation) continue;
    const path = join(p.diagram, link.from.block);
    const value =
      p.values?.[`${path}:${link.from.port}`] ?? (link.from.port === 1 ? p.values?.[path] : undefined);
    const points = link.branches[0]?.points;
    if (!value || !points) continue;
    const text = shortValue(value);
    const width = ctx.measureText(text).width + 8;
    const [x, y] = valuePlace(points, width, (box) => painter.blocksIn(box).length > 0);
    ctx.beginPath();
    ctx.roundRect(x - width / 2, y - 17, width, 14, 4);
    ctx.fillStyle = painter.theme.valueFill;
    ctx.fill();
    ctx.fillStyle = painter.theme.value;
    ctx.textAlign = 'center';
    ctx.fillText(text, x, y - 6.5);
  }
}

const nameRoom = 18; // names stand below their blocks

// Where a value stands above its link: on the longest horizontal piece where no block or name is in its way.
export function valuePlace(points: readonly Point[], width: number, taken: (box: Box) => boolean): Point {
  const pieces = points.slice(1).flatMap((b, k) => {
    const a = points[k]!;
    return a[1] === b[1] ? [{ from: Math.min(a[0], b[0]), length: Math.abs(a[0] - b[0]), y: a[1] }] : [];
  });
  pieces.sort((p, q) => q.length - p.length);
  for (const { from, length, y } of pieces)
    for (const share of [0.5, 0.3, 0.7, 0.15, 0.85]) {
      const x = from + share * length;
      if (!taken({ x: x - width / 2, y: y - 17 - nameRoom, width, height: 14 + nameRoom })) return [x, y];
    }
  const [first] = pieces;
  return first ? [first.from + first.length / 2, first.y] : points[Math.floor(points.length / 2)]!;
}
