// SPDX-License-Identifier: Apache-2.0
// In the page: one update of a scope from a frame of bytes.
import { Plot } from '../../web/src/scope/plot';
import { decodeSamples, toCurves } from '../../web/src/protocol/samples';

const pixels = 1200;

// What the server sends of 10⁶ points and 4 traces: two buckets a pixel, each first, minimum, maximum, last.
function frame(points: number): ArrayBuffer {
  const n = 2 * pixels;
  const buffer = new ArrayBuffer(16 + 8 * n * 17 + n);
  const view = new DataView(buffer);
  view.setUint8(0, 1);
  view.setUint8(1, 1);
  view.setUint16(2, 4, true);
  view.setUint32(12, n, true);
  for (let k = 0; k < n; ++k) view.setFloat64(16 + 8 * k, (k * points) / n / 1e4, true);
  for (let c = 0; c < 4; ++c)
    for (let k = 0; k < n; ++k) {
      const v = Math.sin(k / 90 + c);
      [v, v - 0.1, v + 0.1, v + 0.02].forEach((x, j) => view.setFloat64(16 + 8 * n * (1 + 4 * c + j) + 8 * k, x, true));
    }
  return buffer;
}

(window as unknown as { measureScope: () => Promise<number[]> }).measureScope = async () => {
  const host = document.body.appendChild(document.createElement('div'));
  const none = () => {};
  const plot = new Plot(host, { names: ['a', 'b', 'c', 'd'], dark: false, width: pixels, height: 500, onZoom: none, onAll: none, onEvent: none, onMark: none });
  const times: number[] = [];
  for (let k = 0; k < 40; ++k) {
    const bytes = frame(1e6 * (0.5 + k / 80));
    const start = performance.now();
    plot.set(toCurves(decodeSamples(bytes)), [], new Float64Array(0), null, null);
    await Promise.resolve(); // uPlot paints in a microtask
    times.push(performance.now() - start);
    await new Promise((r) => requestAnimationFrame(r));
  }
  return times;
};
