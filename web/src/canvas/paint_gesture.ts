// SPDX-License-Identifier: Apache-2.0
// The top canvas: selection, what the pointer is over, and whatever a gesture is doing.
import type { Gesture, PortEnd, Selection } from './gestures';
import type { Hit } from './hit';
import { traceBody } from './paint_blocks';
import { traceArrow, traceLink, traceRounded } from './paint_links';
import type { ScenePainter } from './painter';
import { type Block, type Box, type Link, type Point, boxOf, branchKey } from './scene';
import { font } from './theme';
import type { Viewport } from './viewport';

export interface MovedPicture {
  names: ReadonlySet<string>;
  by: Point;
  links: readonly Link[];
}

export interface GesturePicture {
  gesture: Gesture;
  selection: Selection;
  focusBlock: string; // shown only while the keyboard moves it
  moved: MovedPicture | null;
  fits(from: PortEnd, block: Block): Point | null;
}

type Ctx = CanvasRenderingContext2D;

export function paintGesture(
  ctx: Ctx,
  painter: ScenePainter,
  view: Viewport,
  ratio: number,
  p: GesturePicture,
) {
  const { theme, scene } = painter;
  const pixel = 1 / view.zoom;
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.clearRect(0, 0, view.width * ratio, view.height * ratio);
  const scale = ratio * view.zoom;
  ctx.setTransform(scale, 0, 0, scale, -view.x * scale, -view.y * scale);
  if (p.moved) paintMoved(ctx, painter, p.moved, view.zoom);
  paintSelection(ctx, painter, p, pixel);
  const { gesture } = p;
  switch (gesture.kind) {
    case 'idle':
      paintHover(ctx, painter, gesture.hover, p.selection, pixel);
      break;
    case 'box':
      paintRubber(ctx, painter, boxOf(gesture.from, gesture.to), gesture.to[0] < gesture.from[0], pixel);
      break;
    case 'move':
      paintGuides(ctx, painter, gesture.guides, pixel);
      if (gesture.into) paintLinkGlow(ctx, painter, gesture.into.link, theme.target, 4 * pixel);
      break;
    case 'moveNote': {
      const note = scene.notes[gesture.note];
      if (note)
        outline(ctx, { ...note.box, x: note.box.x + gesture.by[0], y: note.box.y + gesture.by[1] }, theme.select, pixel); // prettier-ignore
      break;
    }
    case 'connect':
      paintTargets(ctx, painter, view, gesture.from, p, pixel);
      paintLoose(ctx, gesture.from.port.at, gesture.to, gesture.reason ? theme.error : theme.select, pixel);
      if (gesture.reason) paintReason(ctx, painter, gesture.reason, gesture.to, pixel);
      break;
    case 'reconnect': {
      const points = gesture.branch.link.branches[gesture.branch.branch]!.points;
      paintTargets(ctx, painter, view, { block: gesture.branch.link.from.block, port: { at: points[0]!, side: 'right', activation: gesture.branch.link.activation, output: true, connected: true, number: 1 } }, p, pixel); // prettier-ignore
      paintLoose(ctx, points[Math.max(0, points.length - 2)]!, gesture.to, theme.select, pixel);
      break;
    }
    case 'bend': {
      const path = new Path2D();
      traceRounded(path, gesture.points);
      traceArrow(path, gesture.points, gesture.branch.link.activation);
      ctx.strokeStyle = theme.select;
      ctx.lineWidth = Math.max(1.5, 2 * pixel);
      ctx.stroke(path);
      break;
    }
    case 'resize':
      outline(ctx, gesture.box, theme.select, pixel);
      break;
  }
}

function paintMoved(ctx: Ctx, painter: ScenePainter, moved: MovedPicture, zoom: number) {
  painter.paintItems(ctx, [], moved.links, zoom, null, false);
  const blocks = painter.scene.blocks.filter((b) => moved.names.has(b.name));
  ctx.save();
  ctx.translate(moved.by[0], moved.by[1]);
  painter.paintItems(ctx, blocks, [], zoom, null, false);
  ctx.restore();
}

function paintSelection(ctx: Ctx, painter: ScenePainter, p: GesturePicture, pixel: number) {
  const { theme, scene } = painter;
  const { selection, moved } = p;
  if (selection.branches.size) {
    for (const link of scene.links) {
      for (const branch of link.branches) {
        if (!selection.branches.has(branchKey(link, branch))) continue;
        const path = new Path2D();
        traceRounded(path, branch.points);
        ctx.strokeStyle = theme.select;
        ctx.lineWidth = Math.max(2.5, 2.5 * pixel);
        ctx.stroke(path);
      }
    }
  }
  const single = selection.blocks.size === 1;
  if (selection.blocks.size || p.focusBlock) {
    for (const block of scene.blocks) {
      const focused = block.name === p.focusBlock;
      if (!selection.blocks.has(block.name) && !focused) continue;
      const shifted = moved?.names.has(block.name);
      ctx.save();
      if (shifted) ctx.translate(moved!.by[0], moved!.by[1]);
      if (selection.blocks.has(block.name)) {
        ctx.beginPath();
        traceBody(ctx, block, 3);
        ctx.fillStyle = theme.selectFill;
        ctx.fill();
        ctx.strokeStyle = theme.select;
        ctx.lineWidth = Math.max(1.6, 1.6 * pixel);
        ctx.stroke();
        if (single && !shifted && pixel < 2.5) paintCorners(ctx, painter, block.box, pixel);
      }
      if (focused) {
        ctx.setLineDash([4 * pixel, 3 * pixel]);
        ctx.strokeStyle = theme.text;
        ctx.lineWidth = 1.5 * pixel;
        ctx.strokeRect(block.box.x - 7, block.box.y - 7, block.box.width + 14, block.box.height + 14);
        ctx.setLineDash([]);
      }
      ctx.restore();
    }
  }
  for (const k of selection.notes) {
    const note = scene.notes[k];
    if (note) outline(ctx, note.box, theme.select, 1.6 * pixel);
  }
}

function paintCorners(ctx: Ctx, painter: ScenePainter, box: Box, pixel: number) {
  const half = 3.5 * pixel;
  ctx.fillStyle = painter.theme.sheet;
  ctx.strokeStyle = painter.theme.select;
  ctx.lineWidth = 1.2 * pixel;
  for (const x of [box.x, box.x + box.width])
    for (const y of [box.y, box.y + box.height]) {
      ctx.fillRect(x - half, y - half, 2 * half, 2 * half);
      ctx.strokeRect(x - half, y - half, 2 * half, 2 * half);
    }
}

function paintHover(ctx: Ctx, painter: ScenePainter, hit: Hit, selection: Selection, pixel: number) {
  const { theme } = painter;
  if (hit.kind === 'block' && !selection.blocks.has(hit.block.name)) {
    ctx.beginPath();
    traceBody(ctx, hit.block, 2);
    ctx.strokeStyle = theme.select;
    ctx.globalAlpha = 0.45;
    ctx.lineWidth = Math.max(1.2, 1.2 * pixel);
    ctx.stroke();
    ctx.globalAlpha = 1;
  }
  if ((hit.kind === 'block' || hit.kind === 'port') && !hit.block.labels.length && pixel < 2)
    paintTag(ctx, painter, hit.block.name, [hit.block.box.x + hit.block.box.width / 2, hit.block.box.y + hit.block.box.height + 13]); // prettier-ignore
  if (hit.kind === 'port') {
    ctx.beginPath();
    ctx.arc(hit.port.at[0], hit.port.at[1], 6 * pixel, 0, 2 * Math.PI);
    ctx.fillStyle = theme.selectFill;
    ctx.fill();
    ctx.strokeStyle = theme.select;
    ctx.lineWidth = 1.5 * pixel;
    ctx.stroke();
  }
  if (hit.kind === 'branch') paintLinkGlow(ctx, painter, hit.link, theme.select, 4 * pixel);
}

function paintLinkGlow(ctx: Ctx, _painter: ScenePainter, link: Link, colour: string, width: number) {
  const path = new Path2D();
  traceLink(path, link);
  ctx.strokeStyle = colour;
  ctx.globalAlpha = 0.4;
  ctx.lineWidth = width;
  ctx.lineJoin = 'round';
  ctx.stroke(path);
  ctx.globalAlpha = 1;
}

function paintTag(ctx: Ctx, painter: ScenePainter, text: string, [x, y]: Point) {
  ctx.font = font(11);
  ctx.textAlign = 'center';
  ctx.fillStyle = painter.theme.sheet;
  ctx.globalAlpha = 0.85;
  const width = ctx.measureText(text).width;
  ctx.fillRect(x - width / 2 - 2, y - 10, width + 4, 13);
  ctx.globalAlpha = 1;
  ctx.fillStyle = painter.theme.faint;
  ctx.fillText(text, x, y);
}

function paintRubber(ctx: Ctx, painter: ScenePainter, box: Box, touching: boolean, pixel: number) {
  ctx.fillStyle = painter.theme.selectFill;
  ctx.fillRect(box.x, box.y, box.width, box.height);
  if (touching) ctx.setLineDash([4 * pixel, 3 * pixel]);
  outline(ctx, box, painter.theme.select, pixel);
  ctx.setLineDash([]);
}

function outline(ctx: Ctx, box: Box, colour: string, width: number) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = Math.max(width, 0.5);
  ctx.strokeRect(box.x, box.y, box.width, box.height);
}

function paintGuides(
  ctx: Ctx,
  painter: ScenePainter,
  guides: readonly { from: Point; to: Point }[],
  pixel: number,
) {
  ctx.beginPath();
  for (const { from, to } of guides) {
    ctx.moveTo(from[0], from[1]);
    ctx.lineTo(to[0], to[1]);
  }
  ctx.strokeStyle = painter.theme.target;
  ctx.lineWidth = pixel;
  ctx.setLineDash([5 * pixel, 3 * pixel]);
  ctx.stroke();
  ctx.setLineDash([]);
}

// Where the link may end glows, everything else fades.
function paintTargets(
  ctx: Ctx,
  painter: ScenePainter,
  view: Viewport,
  from: PortEnd,
  p: GesturePicture,
  pixel: number,
) {
  const { theme } = painter;
  const area = { x: view.x, y: view.y, width: view.width / view.zoom, height: view.height / view.zoom };
  for (const block of painter.blocksIn(area)) {
    const at = block.name === from.block ? null : p.fits(from, block);
    if (!at && block.name !== from.block) {
      ctx.beginPath();
      traceBody(ctx, block, 2);
      ctx.fillStyle = theme.sheet;
      ctx.globalAlpha = 0.55;
      ctx.fill();
      ctx.globalAlpha = 1;
    }
    for (const port of block.ports) {
      if (port.output === from.port.output || port.activation !== from.port.activation) continue;
      if (port.connected && !port.output && !port.activation) continue;
      ctx.beginPath();
      ctx.arc(port.at[0], port.at[1], Math.max(4.5, 5 * pixel), 0, 2 * Math.PI);
      ctx.fillStyle = theme.target;
      ctx.globalAlpha = 0.3;
      ctx.fill();
      ctx.globalAlpha = 1;
      ctx.strokeStyle = theme.target;
      ctx.lineWidth = 1.5 * pixel;
      ctx.stroke();
    }
  }
}

function paintLoose(ctx: Ctx, from: Point, to: Point, colour: string, pixel: number) {
  ctx.beginPath();
  const middle = (from[0] + to[0]) / 2;
  ctx.moveTo(from[0], from[1]);
  ctx.lineTo(middle, from[1]);
  ctx.lineTo(middle, to[1]);
  ctx.lineTo(to[0], to[1]);
  ctx.strokeStyle = colour;
  ctx.lineWidth = Math.max(1.5, 1.5 * pixel);
  ctx.lineJoin = 'round';
  ctx.stroke();
  ctx.beginPath();
  ctx.arc(to[0], to[1], 3 * pixel, 0, 2 * Math.PI);
  ctx.fillStyle = colour;
  ctx.fill();
}

function paintReason(ctx: Ctx, painter: ScenePainter, reason: string, at: Point, pixel: number) {
  ctx.font = font(12 * pixel);
  ctx.textAlign = 'start';
  const width = ctx.measureText(reason).width;
  ctx.fillStyle = painter.theme.error;
  ctx.beginPath();
  ctx.roundRect(at[0] + 14 * pixel, at[1] + 8 * pixel, width + 14 * pixel, 22 * pixel, 5 * pixel);
  ctx.fill();
  ctx.fillStyle = painter.theme.sheet;
  ctx.fillText(reason, at[0] + 21 * pixel, at[1] + 23 * pixel);
}
