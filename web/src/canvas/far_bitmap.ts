// SPDX-License-Identifier: Apache-2.0
// Far out, a frame is the copy of a bitmap with a margin around the view; it is painted anew when a gesture rests.
import type { Hidden, ScenePainter } from './painter';
import type { Viewport } from './viewport';

const around = 300; // pixels
const worstScale = 1.6;

export class FarBitmap {
  private canvas: HTMLCanvasElement | OffscreenCanvas | null = null;
  private view: Viewport | null = null;
  private ratio = 0;

  forget() {
    this.view = null;
  }

  // True when the picture is only an approximation (scaled), so that it should be painted anew when all is quiet.
  draw(
    ctx: CanvasRenderingContext2D,
    painter: ScenePainter,
    view: Viewport,
    ratio: number,
    hidden?: Hidden,
  ): boolean {
    if (!this.covers(view, ratio)) this.repaint(painter, view, ratio, hidden);
    const held = this.view!;
    const scale = view.zoom / held.zoom;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.fillStyle = painter.theme.sheet;
    ctx.fillRect(0, 0, view.width * ratio, view.height * ratio);
    ctx.drawImage(
      this.canvas as CanvasImageSource,
      (held.x - view.x) * view.zoom * ratio,
      (held.y - view.y) * view.zoom * ratio,
      held.width * scale * ratio,
      held.height * scale * ratio,
    );
    return scale !== 1;
  }

  private covers(view: Viewport, ratio: number): boolean {
    const held = this.view;
    if (!held || this.ratio !== ratio) return false;
    const scale = view.zoom / held.zoom;
    if (scale > worstScale || scale < 1 / worstScale) return false;
    // Zooming out shows an empty rim for the moment; panning beyond the margin does not.
    const slack = scale < 1 ? (around * 2) / view.zoom : 0;
    return (
      view.x >= held.x - slack &&
      view.y >= held.y - slack &&
      view.x + view.width / view.zoom <= held.x + held.width / held.zoom + slack &&
      view.y + view.height / view.zoom <= held.y + held.height / held.zoom + slack
    );
  }

  private repaint(painter: ScenePainter, view: Viewport, ratio: number, hidden?: Hidden) {
    const wide: Viewport = {
      zoom: view.zoom,
      x: view.x - around / view.zoom,
      y: view.y - around / view.zoom,
      width: view.width + 2 * around,
      height: view.height + 2 * around,
    };
    this.canvas ??= document.createElement('canvas');
    const [w, h] = [Math.round(wide.width * ratio), Math.round(wide.height * ratio)];
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    const ctx = this.canvas.getContext('2d', { alpha: false }) as CanvasRenderingContext2D;
    painter.paint(ctx, wide, ratio, hidden);
    this.view = wide;
    this.ratio = ratio;
  }
}
