// SPDX-License-Identifier: Apache-2.0
// Figures of Anim2D blocks: what the server sends of them, which pose belongs to a time, and how it is painted.

export type FigureObject = [kind: string, colour: string | null, ...numbers: number[]];
export interface FigureFrame {
  t: number;
  moving: FigureObject[];
  still?: FigureObject[]; // only where they differ from those of the frame before
  copies: number; // how many there are by then
}
export interface FigureData {
  run: number;
  block: string;
  from: number;
  to: number;
  canvas: [x: number, y: number, width: number, height: number];
  zoom: number;
  frames: FigureFrame[];
  copies: FigureObject[][];
  all_copies: number;
}

// The last frame that is not after the time, by halving; -1: none is.
export function frameAt(frames: readonly FigureFrame[], t: number): number {
  let low = 0;
  let high = frames.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (frames[middle]!.t <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export function stillAt(frames: readonly FigureFrame[], index: number): FigureObject[] {
  for (let k = index; k >= 0; --k) if (frames[k]!.still) return frames[k]!.still!;
  return [];
}

// In the order in which they are drawn: what stays, frozen copies, what moves.
export function objectsAt(data: FigureData, t: number): FigureObject[] {
  const k = Math.max(frameAt(data.frames, t), 0);
  const frame = data.frames[k];
  if (!frame) return [];
  return [...stillAt(data.frames, k), ...data.copies.slice(0, frame.copies).flat(), ...frame.moving];
}

export interface Paper {
  background: string;
  outline: string;
}
export const paper = (dark: boolean): Paper =>
  dark ? { background: '#14171c', outline: '#dfe4ec' } : { background: '#ffffff', outline: '#1d2430' };

// Paints onto a canvas of width × height points, whole and in proportion.
export function paintFigure(
  c: CanvasRenderingContext2D,
  width: number,
  height: number,
  data: Pick<FigureData, 'canvas'>,
  objects: readonly FigureObject[],
  look: Paper,
) {
  // prettier-ignore
  const [x0, y0, w, h] = data.canvas;
  const scale = Math.min(width / w, height / h);
  const left = (width - w * scale) / 2;
  const bottom = (height + h * scale) / 2;
  const X = (x: number) => left + (x - x0) * scale;
  const Y = (y: number) => bottom - (y - y0) * scale;
  c.save();
  c.fillStyle = look.background;
  c.fillRect(left, bottom - h * scale, w * scale, h * scale);
  c.beginPath();
  c.rect(left, bottom - h * scale, w * scale, h * scale);
  c.clip();
  c.lineJoin = 'round';
  c.lineCap = 'round';
  for (const [kind, colour, ...n] of objects) {
    c.beginPath();
    if (kind === 'circle') c.arc(X(n[0]!), Y(n[1]!), n[2]! * scale, 0, 2 * Math.PI);
    else if (kind === 'rectangle') c.rect(X(n[0]!), Y(n[1]! + n[3]!), n[2]! * scale, n[3]! * scale);
    else for (let k = 0; k + 1 < n.length; k += 2) c.lineTo(X(n[k]!), Y(n[k + 1]!));
    if (kind === 'polygon') c.closePath();
    if (kind === 'polyline' || kind === 'segment') {
      if (!colour) continue;
      c.strokeStyle = colour;
      c.lineWidth = 2;
    } else {
      if (colour) {
        c.fillStyle = colour;
        c.fill();
      }
      c.strokeStyle = look.outline;
      c.lineWidth = 1;
    }
    c.stroke();
  }
  c.restore();
}
