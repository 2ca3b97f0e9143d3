// SPDX-License-Identifier: Apache-2.0
// Which part of the sheet is visible: screen = (sheet - origin) * zoom.
import type { Box, Point } from './scene';

export interface Viewport {
  x: number;
  y: number;
  zoom: number;
  width: number; // of the canvas, in CSS pixels
  height: number;
}

export const minZoom = 0.02;
export const maxZoom = 6;
const clamp = (zoom: number) => Math.min(maxZoom, Math.max(minZoom, zoom));

export const toSheet = (v: Viewport, p: Point): Point => [v.x + p[0] / v.zoom, v.y + p[1] / v.zoom];
export const toScreen = (v: Viewport, p: Point): Point => [(p[0] - v.x) * v.zoom, (p[1] - v.y) * v.zoom];
export const visibleBox = (v: Viewport): Box => ({
  x: v.x,
  y: v.y,
  width: v.width / v.zoom,
  height: v.height / v.zoom,
});

export const pan = (v: Viewport, dx: number, dy: number): Viewport => ({
  ...v,
  x: v.x - dx / v.zoom,
  y: v.y - dy / v.zoom,
});

// The point of the sheet under `at` (screen) stays where it is.
export function zoomAt(v: Viewport, at: Point, factor: number): Viewport {
  const zoom = clamp(v.zoom * factor);
  const [x, y] = toSheet(v, at);
  return { ...v, zoom, x: x - at[0] / zoom, y: y - at[1] / zoom };
}

export const zoomTo = (v: Viewport, zoom: number): Viewport =>
  zoomAt(v, [v.width / 2, v.height / 2], zoom / v.zoom);

// Fit never enlarges beyond `most`: a small diagram should look like a diagram, not like a poster.
export function fit(v: Viewport, box: Box, margin = 40, most = 1.25): Viewport {
  const zoom = clamp(
    Math.min(
      most,
      (v.width - 2 * margin) / Math.max(1, box.width),
      (v.height - 2 * margin) / Math.max(1, box.height),
    ),
  );
  return {
    ...v,
    zoom,
    x: box.x + box.width / 2 - v.width / 2 / zoom,
    y: box.y + box.height / 2 - v.height / 2 / zoom,
  };
}

// Moves the view just as far as needed to show the box.
export function reveal(v: Viewport, box: Box, margin = 30): Viewport {
  const m = margin / v.zoom;
  const seen = visibleBox(v);
  let { x, y } = v;
  if (box.x - m < seen.x) x = box.x - m;
  else if (box.x + box.width + m > seen.x + seen.width) x = box.x + box.width + m - seen.width;
  if (box.y - m < seen.y) y = box.y - m;
  else if (box.y + box.height + m > seen.y + seen.height) y = box.y + box.height + m - seen.height;
  return x === v.x && y === v.y ? v : { ...v, x, y };
}
