// SPDX-License-Identifier: Apache-2.0
// The whole sheet in the corner, above 60 blocks; a click or drag moves the view.
import { useEffect, useRef } from 'react';
import { useApp } from '../shell/context';
import type { SheetView } from './sheet_view';
import { hull } from './scene';
import { dark, light } from './theme';

const [width, height] = [180, 120];

export function Minimap({ sheet }: { sheet: SheetView }) {
  const scene = useApp((s) => s.scene);
  const isDark = useApp((s) => s.dark);
  const wanted = useApp((s) => s.preferences.minimap);
  const canvas = useRef<HTMLCanvasElement>(null);
  const shown = wanted && scene.blocks.length > 60;

  useEffect(() => {
    if (!shown || !canvas.current) return;
    const element = canvas.current;
    const ratio = window.devicePixelRatio || 1;
    element.width = width * ratio;
    element.height = height * ratio;
    const ctx = element.getContext('2d')!;
    const box = hull(scene.blocks.map((b) => b.box))!;
    const scale = Math.min((width - 8) / box.width, (height - 8) / box.height);
    const x0 = (width - box.width * scale) / 2 - box.x * scale;
    const y0 = (height - box.height * scale) / 2 - box.y * scale;
    const theme = isDark ? dark : light;
    const still = document.createElement('canvas');
    still.width = element.width;
    still.height = element.height;
    const sc = still.getContext('2d')!;
    sc.setTransform(ratio, 0, 0, ratio, 0, 0);
    sc.fillStyle = theme.sheet;
    sc.fillRect(0, 0, width, height);
    for (const b of scene.blocks) {
      sc.fillStyle = theme.families[b.family];
      sc.fillRect(x0 + b.box.x * scale, y0 + b.box.y * scale, Math.max(1, b.box.width * scale), Math.max(1, b.box.height * scale)); // prettier-ignore
    }
    const paint = () => {
      const v = sheet.view;
      ctx.setTransform(1, 0, 0, 1, 0, 0);
      ctx.drawImage(still, 0, 0);
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      ctx.strokeStyle = theme.select;
      ctx.lineWidth = 1.5;
      ctx.fillStyle = theme.selectFill;
      const w = (v.width / v.zoom) * scale;
      const h = (v.height / v.zoom) * scale;
      ctx.fillRect(x0 + v.x * scale, y0 + v.y * scale, w, h);
      ctx.strokeRect(x0 + v.x * scale, y0 + v.y * scale, w, h);
    };
    sheet.onView = paint;
    paint();
    const go = (e: PointerEvent) => {
      if (!e.buttons) return;
      const r = element.getBoundingClientRect();
      const v = sheet.view;
      const x = (e.clientX - r.left - x0) / scale - v.width / v.zoom / 2;
      const y = (e.clientY - r.top - y0) / scale - v.height / v.zoom / 2;
      sheet.setView({ ...v, x, y });
    };
    element.addEventListener('pointerdown', go);
    element.addEventListener('pointermove', go);
    return () => {
      sheet.onView = () => {};
      element.removeEventListener('pointerdown', go);
      element.removeEventListener('pointermove', go);
    };
  }, [scene, isDark, shown, sheet]);

  return shown ? (
    <canvas ref={canvas} className="minimap" style={{ width, height }} aria-hidden="true" />
  ) : null;
}
