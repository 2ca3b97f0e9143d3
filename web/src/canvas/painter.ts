// SPDX-License-Identifier: Apache-2.0
// Paints the visible part of a scene at three levels of detail, and counts what it painted.
import { GridIndex } from './grid_index';
import { paintBodies, paintNames, paintPlainBodies, paintPorts } from './paint_blocks';
import { paintLinks, paintPlainLinks } from './paint_links';
import { type Block, type Box, type Link, type Scene, emptyScene, linkBox, overlaps } from './scene';
import { type Theme, font, light } from './theme';
import type { Viewport } from './viewport';

export const farZoom = 0.25; // below: boxes and hair lines
export const plainZoom = 0.55; // below: no labels, ports, icons

const margin = 24; // names and ports reach beyond the box

export interface Hidden {
  blocks: ReadonlySet<string>;
  links: ReadonlySet<Link>;
}

export class ScenePainter {
  scene: Scene = emptyScene;
  theme: Theme = light;
  showGrid = true;
  showPortNames = false;
  painted = 0;
  private blockIndex = new GridIndex([]);
  private linkIndex = new GridIndex([]);
  private linkBoxes: Box[] = [];

  setScene(scene: Scene) {
    if (scene.blocks !== this.scene.blocks) this.blockIndex = new GridIndex(scene.blocks.map((b) => b.box));
    if (scene.links !== this.scene.links) {
      this.linkBoxes = scene.links.map(linkBox);
      this.linkIndex = new GridIndex(this.linkBoxes);
    }
    this.scene = scene;
  }

  blocksIn(area: Box): Block[] {
    const found: Block[] = [];
    // The order of the file is the order of painting.
    for (const k of this.blockIndex.query(area).sort((a, b) => a - b)) {
      const block = this.scene.blocks[k];
      if (block && overlaps(block.box, area)) found.push(block);
    }
    return found;
  }

  linksIn(area: Box): Link[] {
    const found: Link[] = [];
    for (const k of this.linkIndex.query(area))
      if (overlaps(this.linkBoxes[k]!, area)) found.push(this.scene.links[k]!);
    return found;
  }

  // The context is scaled so that one unit is one CSS pixel; `view` says what is to be seen.
  paint(ctx: CanvasRenderingContext2D, view: Viewport, ratio: number, hidden?: Hidden) {
    const { theme } = this;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.fillStyle = theme.sheet;
    ctx.fillRect(0, 0, view.width, view.height);
    if (this.showGrid && view.zoom >= plainZoom) paintGrid(ctx, view, theme);
    const scale = ratio * view.zoom;
    ctx.setTransform(scale, 0, 0, scale, -view.x * scale, -view.y * scale);
    const area = {
      x: view.x - margin,
      y: view.y - margin,
      width: view.width / view.zoom + 2 * margin,
      height: view.height / view.zoom + 2 * margin,
    };
    let blocks = this.blocksIn(area);
    let links = this.linksIn(area);
    if (hidden) {
      blocks = blocks.filter((b) => !hidden.blocks.has(b.name));
      links = links.filter((l) => !hidden.links.has(l));
    }
    this.painted = blocks.length + links.length;
    this.paintItems(ctx, blocks, links, view.zoom, area, !hidden?.links.size);
  }

  paintItems(
    ctx: CanvasRenderingContext2D,
    blocks: readonly Block[],
    links: readonly Link[],
    zoom: number,
    area: Box | null,
    crossings: boolean,
  ) {
    const { theme, scene } = this;
    ctx.textBaseline = 'alphabetic';
    if (zoom < farZoom) {
      const pixel = 1 / zoom;
      paintPlainBodies(ctx, blocks, theme, pixel);
      paintPlainLinks(ctx, links, theme, 0.7 * pixel);
      return;
    }
    if (area) {
      for (const note of scene.notes) if (overlaps(note.box, area)) this.paintNote(ctx, note.box, note.lines);
    }
    const detailed = zoom >= plainZoom;
    paintBodies(ctx, blocks, theme, zoom >= 0.4);
    const near =
      area && crossings && detailed
        ? scene.crossings.filter(({ at: [x, y] }) => overlaps(area, { x, y, width: 0, height: 0 }))
        : [];
    paintLinks(ctx, links, near, theme, detailed);
    if (!detailed) return;
    paintPorts(ctx, blocks, theme);
    paintNames(ctx, blocks, theme);
    if (this.showPortNames) this.paintPortNumbers(ctx, blocks);
  }

  private paintNote(ctx: CanvasRenderingContext2D, box: Box, lines: readonly string[]) {
    ctx.beginPath();
    ctx.roundRect(box.x, box.y, box.width, box.height, 3);
    ctx.fillStyle = this.theme.note;
    ctx.fill();
    ctx.strokeStyle = this.theme.noteEdge;
    ctx.lineWidth = 0.8;
    ctx.stroke();
    ctx.fillStyle = this.theme.text;
    ctx.font = font(12);
    ctx.textAlign = 'start';
    lines.forEach((line, k) => ctx.fillText(line, box.x + 6, box.y + 15 + 15 * k));
  }

  private paintPortNumbers(ctx: CanvasRenderingContext2D, blocks: readonly Block[]) {
    ctx.font = font(8);
    ctx.fillStyle = this.theme.faint;
    for (const block of blocks) {
      for (const { at, side, number } of block.ports) {
        ctx.textAlign = side === 'left' ? 'start' : side === 'right' ? 'end' : 'center';
        const dx = side === 'left' ? 3 : side === 'right' ? -3 : 6;
        const dy = side === 'top' ? 9 : side === 'bottom' ? -3 : 3;
        ctx.fillText(String(number), at[0] + dx, at[1] + dy);
      }
    }
  }
}

function paintGrid(ctx: CanvasRenderingContext2D, view: Viewport, theme: Theme) {
  const step = view.zoom >= 1.2 ? 10 : view.zoom >= 0.8 ? 20 : 40;
  const path = new Path2D();
  const x0 = Math.ceil(view.x / step) * step;
  const y0 = Math.ceil(view.y / step) * step;
  const dot = 1.2;
  for (let y = y0; (y - view.y) * view.zoom < view.height; y += step)
    for (let x = x0; (x - view.x) * view.zoom < view.width; x += step)
      path.rect((x - view.x) * view.zoom - dot / 2, (y - view.y) * view.zoom - dot / 2, dot, dot);
  ctx.fillStyle = theme.gridDot;
  ctx.fill(path);
}
