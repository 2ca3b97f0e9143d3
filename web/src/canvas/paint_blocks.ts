// SPDX-License-Identifier: Apache-2.0
// Bodies, icons, ports and names of blocks. All bodies of one colour are one path: a call for each would be slow.
import { type Block, type Box, type Family, type Mark, bottom, centre, right } from './scene';
import { type Theme, font } from './theme';

type Ctx = CanvasRenderingContext2D;

function trianglePoints(b: Box, flow: Block['flow']): [number, number][] {
  const [cx, cy] = centre(b);
  switch (flow) {
    case 'left':
      return [[right(b), b.y], [b.x, cy], [right(b), bottom(b)]]; // prettier-ignore
    case 'up':
      return [[b.x, bottom(b)], [cx, b.y], [right(b), bottom(b)]]; // prettier-ignore
    case 'down':
      return [[b.x, b.y], [cx, bottom(b)], [right(b), b.y]]; // prettier-ignore
    default:
      return [[b.x, b.y], [right(b), cy], [b.x, bottom(b)]]; // prettier-ignore
  }
}

export function traceBody(path: Path2D | Ctx, block: Block, grow = 0) {
  const { x, y, width, height } = block.box;
  const box = { x: x - grow, y: y - grow, width: width + 2 * grow, height: height + 2 * grow };
  switch (block.shape) {
    case 'circle': {
      const [cx, cy] = centre(box);
      const radius = Math.min(box.width, box.height) / 2;
      path.moveTo(cx + radius, cy);
      path.arc(cx, cy, radius, 0, 2 * Math.PI);
      break;
    }
    case 'triangle': {
      const [a, b, c] = trianglePoints(box, block.flow) as [
        [number, number],
        [number, number],
        [number, number],
      ];
      path.moveTo(...a);
      path.lineTo(...b);
      path.lineTo(...c);
      path.closePath();
      break;
    }
    case 'pill':
      path.roundRect(box.x, box.y, box.width, box.height, Math.min(box.width, box.height) / 2);
      break;
    case 'bar':
      path.roundRect(box.x, box.y, box.width, box.height, 1.5);
      break;
    default:
      path.roundRect(box.x, box.y, box.width, box.height, 7 + grow);
  }
}

export function paintMark(ctx: Ctx, mark: Mark, theme: Theme, colour?: string) {
  if (mark.points.length) {
    ctx.beginPath();
    mark.points.forEach(([x, y], k) => (k ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
    ctx.strokeStyle = colour ?? (mark.faint ? theme.faint : theme.text);
    ctx.lineWidth = mark.faint ? 0.8 : 1.3;
    ctx.stroke();
  } else if (mark.text) {
    ctx.font = font(mark.size);
    ctx.textAlign = mark.anchor === 'middle' ? 'center' : mark.anchor;
    ctx.fillStyle = colour ?? (mark.faint ? theme.faint : theme.text);
    ctx.fillText(mark.text, mark.at[0], mark.at[1]);
  }
}

function paintHatch(ctx: Ctx, block: Block, theme: Theme) {
  const { x, y, width, height } = block.box;
  ctx.save();
  ctx.beginPath();
  traceBody(ctx, block);
  ctx.clip();
  ctx.beginPath();
  for (let d = 8; d < width + height; d += 8) {
    ctx.moveTo(x + d, y);
    ctx.lineTo(x + d - height, y + height);
  }
  ctx.strokeStyle = theme.faint;
  ctx.lineWidth = 0.8;
  ctx.stroke();
  ctx.restore();
}

// Bodies only, in one path a colour: the far levels of detail.
export function paintPlainBodies(ctx: Ctx, blocks: readonly Block[], theme: Theme, pixel: number) {
  const paths = new Map<Family, Path2D>();
  for (const block of blocks) {
    let path = paths.get(block.family);
    if (!path) paths.set(block.family, (path = new Path2D()));
    path.rect(block.box.x, block.box.y, block.box.width, block.box.height);
  }
  ctx.lineWidth = pixel;
  for (const [family, path] of paths) {
    ctx.fillStyle = theme.sheet;
    ctx.fill(path);
    ctx.strokeStyle = ctx.fillStyle = theme.families[family];
    ctx.globalAlpha = 0.22;
    ctx.fill(path);
    ctx.globalAlpha = 1;
    ctx.stroke(path);
  }
}

export function paintBodies(ctx: Ctx, blocks: readonly Block[], theme: Theme, icons: boolean) {
  const paths = new Map<string, { path: Path2D; solid: Path2D; double: Path2D }>();
  for (const block of blocks) {
    const colour =
      block.change !== 'none'
        ? theme.changes[block.change]
        : block.unknown
          ? theme.faint
          : theme.families[block.family];
    const key = `${colour}${block.off || block.unknown || block.change === 'removed' ? '|dashed' : ''}`;
    let group = paths.get(key);
    if (!group) paths.set(key, (group = { path: new Path2D(), solid: new Path2D(), double: new Path2D() }));
    traceBody(block.shape === 'bar' ? group.solid : group.path, block);
    if (block.super) traceBody(group.double, block, -3);
  }
  for (const [key, { path, solid, double }] of paths) {
    const [colour = '', dashed] = key.split('|');
    ctx.fillStyle = theme.sheet;
    ctx.fill(path);
    ctx.fillStyle = ctx.strokeStyle = colour;
    ctx.globalAlpha = theme.name === 'light' ? 0.07 : 0.12;
    ctx.fill(path);
    ctx.globalAlpha = 1;
    ctx.fill(solid);
    if (dashed) ctx.setLineDash([4, 3]);
    ctx.lineWidth = 1.5;
    ctx.stroke(path);
    ctx.setLineDash([]);
    ctx.lineWidth = 0.8;
    ctx.stroke(double);
  }
  if (!icons) return;
  for (const block of blocks) {
    for (const mark of block.icon) paintMark(ctx, mark, theme);
    if (block.foreign) {
      ctx.beginPath();
      ctx.moveTo(right(block.box) - 12, block.box.y + 5);
      ctx.lineTo(right(block.box) - 5, block.box.y + 5);
      ctx.lineTo(right(block.box) - 5, block.box.y + 12);
      ctx.strokeStyle = theme.text;
      ctx.lineWidth = 1.3;
      ctx.stroke();
    }
    if (block.off) paintHatch(ctx, block, theme);
  }
}

const away = { left: [-1, 0], right: [1, 0], top: [0, -1], bottom: [0, 1] } as const;

// Ports that wait for a link, as hollow chevrons.
export function paintPorts(ctx: Ctx, blocks: readonly Block[], theme: Theme) {
  const regular = new Path2D();
  const activation = new Path2D();
  for (const block of blocks) {
    for (const port of block.ports) {
      if (port.connected) continue;
      const length = port.activation ? 4 : 5;
      const half = port.activation ? 3 : 4;
      const [dx, dy] = away[port.side];
      const [x, y] = port.at;
      const outer = [x + dx * length, y + dy * length] as const;
      const [back, tip] = port.output ? [port.at, outer] : [outer, port.at];
      const path = port.activation ? activation : regular;
      path.moveTo(back[0] - dy * half, back[1] + dx * half);
      path.lineTo(tip[0], tip[1]);
      path.lineTo(back[0] + dy * half, back[1] - dx * half);
    }
  }
  ctx.strokeStyle = theme.link;
  ctx.lineWidth = 1.5;
  ctx.stroke(regular);
  ctx.strokeStyle = theme.event;
  ctx.lineWidth = 1.2;
  ctx.stroke(activation);
}

export function paintNames(ctx: Ctx, blocks: readonly Block[], theme: Theme) {
  for (const block of blocks) {
    for (const mark of block.labels) paintMark(ctx, mark, theme);
    block.remarks.forEach((text, k) => {
      const y = block.box.y - 6 - 13 * (block.remarks.length - 1 - k);
      paintMark(ctx, { at: [centre(block.box)[0], y], text, size: 11, anchor: 'middle', points: [], faint: false }, theme, theme.changes.changed); // prettier-ignore
    });
  }
}
