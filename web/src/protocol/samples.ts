// SPDX-License-Identifier: Apache-2.0
// Frames of samples: single points, or buckets (first, minimum, maximum, last) when there are more points than pixels.

export interface SampleFrame {
  buckets: boolean;
  ended: boolean;
  merged: boolean;
  run: number;
  watch: number;
  times: Float64Array;
  channels: Float64Array[]; // without buckets one array each; with buckets four each: first, min, max, last
  phases: Uint8Array;
}

export const headBytes = 16;

export function decodeSamples(buffer: ArrayBuffer): SampleFrame {
  if (buffer.byteLength < headBytes) throw new Error('a sample frame is shorter than its head');
  const view = new DataView(buffer);
  if (view.getUint8(0) !== 1) throw new Error(`frames of kind ${view.getUint8(0)} are not known`);
  const flags = view.getUint8(1);
  const channels = view.getUint16(2, true);
  const count = view.getUint32(12, true);
  const buckets = (flags & 1) !== 0;
  const arrays = channels * (buckets ? 4 : 1);
  const needed = headBytes + 8 * count * (1 + arrays) + count;
  if (buffer.byteLength !== needed)
    throw new Error(`a sample frame has ${buffer.byteLength} bytes instead of ${needed}`);
  // Head and arrays are multiples of 8 bytes, so views need no copies.
  const array = (k: number) => new Float64Array(buffer, headBytes + 8 * count * k, count);
  return {
    buckets,
    ended: (flags & 2) !== 0,
    merged: (flags & 4) !== 0,
    run: view.getUint32(4, true),
    watch: view.getUint32(8, true),
    times: array(0),
    channels: Array.from({ length: arrays }, (_, k) => array(k + 1)),
    phases: new Uint8Array(buffer, headBytes + 8 * count * (1 + arrays), count),
  };
}

export interface Curves {
  x: Float64Array;
  y: Float64Array[];
}

// Points to draw. A bucket becomes four of them at two instants: first and the extreme nearer to it, then the other
// extreme and last, so that neither rising nor falling flanks grow thick.
export function toCurves(frame: SampleFrame): Curves {
  if (!frame.buckets) return { x: frame.times, y: frame.channels };
  const n = frame.times.length;
  const x = new Float64Array(4 * n);
  for (let k = 0; k < n; ++k) {
    const t = frame.times[k]!;
    const width = (k + 1 < n ? frame.times[k + 1]! : t) - t;
    for (let j = 0; j < 4; ++j) x[4 * k + j] = t + (width * j) / 4;
  }
  const y: Float64Array[] = [];
  for (let c = 0; c < frame.channels.length; c += 4) {
    const [first, min, max, last] = frame.channels.slice(c, c + 4) as [Float64Array, Float64Array, Float64Array, Float64Array]; // prettier-ignore
    const values = new Float64Array(4 * n);
    for (let k = 0; k < n; ++k) {
      const falling = last[k]! < first[k]!;
      values[4 * k] = first[k]!;
      values[4 * k + 1] = falling ? max[k]! : min[k]!;
      values[4 * k + 2] = falling ? min[k]! : max[k]!;
      values[4 * k + 3] = last[k]!;
    }
    y.push(values);
  }
  return { x, y };
}
