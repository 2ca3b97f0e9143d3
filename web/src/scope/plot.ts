// SPDX-License-Identifier: Apache-2.0
// uPlot behind what scopes need: curves with jumps, older runs behind them, ticks for events, zoom by dragging.
import uPlot from 'uplot';
import type { Curves } from '../protocol/samples';

export interface Overlay {
  label: string;
  curves: Curves;
  colour: number; // of the palette
  faint: boolean;
}

export interface PlotOptions {
  names: string[];
  dark: boolean;
  height: number;
  width: number;
  onZoom: (from: number, to: number) => void;
  onAll: () => void;
  onEvent: (index: number) => void;
  onMark: (t: number) => void; // Shift+click
}

// Chosen apart in lightness too, so that they differ without colour.
export const palettes = {
  light: ['#1f5fbf', '#c2410c', '#15803d', '#9333a8', '#8a6d00', '#0e7490', '#be185d', '#4d5562'],
  dark: ['#7ab4ff', '#ff9d66', '#6fd693', '#dd9bf0', '#e6c65c', '#67d5e8', '#ff8cbc', '#b9c2cf'],
};

const axisColours = {
  light: { text: '#5b6675', grid: '#e8ebf0', tick: '#cbd2db' },
  dark: { text: '#9aa6b5', grid: '#242b36', tick: '#3a4453' },
};

export class Plot {
  private plot: uPlot;
  private overlays: Overlay[] = [];
  private ticks: Float64Array = new Float64Array(0);
  private mark: number | null = null;
  private cursor: number[] = [];
  readonly colours: string[];

  constructor(
    host: HTMLElement,
    private options: PlotOptions,
  ) {
    const mode = options.dark ? 'dark' : 'light';
    this.colours = palettes[mode];
    const { text, grid, tick } = axisColours[mode];
    const axis: uPlot.Axis = {
      stroke: text,
      grid: { stroke: grid, width: 1 },
      ticks: { stroke: tick, width: 1, size: 5 },
      font: '11px "Inter Variable", Inter, sans-serif',
    };
    this.plot = new uPlot(
      {
        width: options.width,
        height: options.height,
        padding: [10, 14, 0, 0],
        legend: { show: false },
        focus: { alpha: 0.35 },
        cursor: { drag: { x: true, y: false, setScale: false }, focus: { prox: 16 }, points: { size: 6 } },
        scales: { x: { time: false }, y: { range: (_u, min, max) => this.range(min, max) } },
        axes: [
          { ...axis, size: 28 },
          { ...axis, size: 56, values: (_u, list) => list.map(tickText) },
        ],
        series: [
          {},
          ...options.names.map((label, k) => ({
            label,
            stroke: this.colours[k % this.colours.length],
            width: 1.6,
            points: { show: false },
            spanGaps: false,
          })),
        ],
        hooks: {
          setSelect: [
            (u) => {
              if (u.select.width < 4) return;
              options.onZoom(u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x'));
              u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            },
          ],
          drawAxes: [(u) => this.drawOverlays(u)],
          draw: [(u) => this.drawTicks(u)],
          ready: [(u) => this.listen(u)],
        },
      },
      [[], ...options.names.map(() => [])] as unknown as uPlot.AlignedData,
      host,
    );
  }

  set(
    curves: Curves,
    overlays: Overlay[],
    ticks: Float64Array,
    mark: number | null,
    range: [number, number] | null,
  ) {
    this.overlays = overlays;
    this.ticks = ticks;
    this.mark = mark;
    this.plot.setData([curves.x, ...curves.y] as unknown as uPlot.AlignedData, range === null);
    if (range) this.plot.setScale('x', { min: range[0], max: range[1] });
  }

  resize(width: number, height: number) {
    this.plot.setSize({ width, height });
  }

  // Cursors for differences; none hides them.
  setCursors(cursors: number[]) {
    this.cursor = cursors;
    this.plot.redraw(false);
  }

  // Values of all curves at a time: of the last point at or before it, as a recording means it.
  valuesAt(t: number): (number | null)[] {
    const [x, ...y] = this.plot.data as unknown as ArrayLike<number>[];
    let [low, high] = [0, (x?.length ?? 0) - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (x![middle]! <= t) low = middle;
      else high = middle - 1;
    }
    return y.map((curve) => curve[low] ?? null);
  }

  // Value of every curve at the cursor of the mouse.
  onCursor(show: (t: number | null, values: (number | null)[]) => void) {
    this.plot.hooks['setCursor'] = [
      (u: uPlot) => {
        const k = u.cursor.idx;
        if (k === null || k === undefined) return show(null, []);
        show(
          u.data[0]![k] ?? null,
          u.data.slice(1).map((y) => (y as (number | null)[])[k] ?? null),
        );
      },
    ];
  }

  toPng(): Promise<Blob | null> {
    return new Promise((resolve) => this.plot.ctx.canvas.toBlob(resolve));
  }

  destroy() {
    this.plot.destroy();
  }

  private range(min: number | null, max: number | null): [number, number] {
    let [low, high] = [min ?? Infinity, max ?? -Infinity];
    for (const { curves } of this.overlays)
      for (const y of curves.y)
        for (const v of y) {
          if (v < low) low = v;
          if (v > high) high = v;
        }
    if (!(low <= high)) return [0, 1];
    const pad = high > low ? (high - low) * 0.06 : Math.max(1e-9, Math.abs(high) * 0.1 || 1);
    return [low - pad, high + pad];
  }

  private drawOverlays(u: uPlot) {
    const { ctx } = u;
    const { left, top, width, height } = u.bbox;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    for (const { curves, colour, faint } of this.overlays) {
      curves.y.forEach((y, c) => {
        ctx.beginPath();
        let pen = false;
        for (let k = 0; k < y.length; ++k) {
          const v = y[k]!;
          if (!Number.isFinite(v)) {
            pen = false;
            continue;
          }
          const px = u.valToPos(curves.x[k]!, 'x', true);
          const py = u.valToPos(v, 'y', true);
          if (pen) ctx.lineTo(px, py);
          else ctx.moveTo(px, py);
          pen = true;
        }
        ctx.strokeStyle = this.colours[(colour + c) % this.colours.length]!;
        ctx.globalAlpha = faint ? 0.28 : 0.6;
        ctx.lineWidth = 1.2 * devicePixelRatio;
        if (!faint) ctx.setLineDash([6, 4]);
        ctx.stroke();
        ctx.setLineDash([]);
      });
    }
    ctx.restore();
  }

  private drawTicks(u: uPlot) {
    const { ctx } = u;
    const { left, top, width, height } = u.bbox;
    const mode = this.options.dark ? 'dark' : 'light';
    ctx.save();
    ctx.strokeStyle = this.options.dark ? '#ff7a6e' : '#c8372d';
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.globalAlpha = 0.9;
    ctx.beginPath();
    let last = -10;
    for (const t of this.ticks) {
      const x = Math.round(u.valToPos(t, 'x', true));
      if (x < left || x > left + width || x - last < 2) continue;
      last = x;
      ctx.moveTo(x, top + height);
      ctx.lineTo(x, top + height - 9 * devicePixelRatio);
    }
    ctx.stroke();
    ctx.globalAlpha = 1;
    const line = (t: number, dash: number[]) => {
      const x = u.valToPos(t, 'x', true);
      ctx.beginPath();
      ctx.setLineDash(dash);
      ctx.moveTo(x, top);
      ctx.lineTo(x, top + height);
      ctx.strokeStyle = axisColours[mode].text;
      ctx.stroke();
    };
    if (this.mark !== null) line(this.mark, [4, 3]);
    this.cursor.forEach((t) => line(t, []));
    ctx.restore();
  }

  private listen(u: uPlot) {
    u.over.addEventListener('dblclick', () => this.options.onAll());
    u.over.addEventListener('click', (e) => {
      const box = u.over.getBoundingClientRect();
      const x = e.clientX - box.left;
      if (e.shiftKey) return this.options.onMark(u.posToVal(x, 'x'));
      if (box.bottom - e.clientY > 24 && this.ticks.length > 400) return;
      let best = -1;
      let distance = 7;
      this.ticks.forEach((t, k) => {
        const d = Math.abs(u.valToPos(t, 'x') - x);
        if (d < distance) [best, distance] = [k, d];
      });
      if (best >= 0) this.options.onEvent(best);
    });
  }
}

function tickText(v: number): string {
  const a = Math.abs(v);
  if (a !== 0 && (a >= 1e5 || a < 1e-3)) return v.toExponential(1).replace('.0e', 'e').replace('e+', 'e');
  return String(Number(v.toPrecision(6)));
}
