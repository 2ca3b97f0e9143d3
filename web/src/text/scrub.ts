// SPDX-License-Identifier: Apache-2.0
// Numbers in a text that are dragged: where they are, and what they become.

export interface NumberAt {
  from: number;
  to: number;
  text: string;
}

const pattern = /(?<![A-Za-z0-9_.])(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?(?![A-Za-z0-9_.])/g;

// All numbers of a line of OML; those in comments and strings do not count.
export function numbersIn(line: string): NumberAt[] {
  const code = line.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, (s) => ' '.repeat(s.length));
  const end = code.search(/[%#]|\/\//);
  const list: NumberAt[] = [];
  for (const m of (end < 0 ? code : code.slice(0, end)).matchAll(pattern))
    list.push({ from: m.index, to: m.index + m[0].length, text: m[0] });
  return list;
}

// One pixel of movement is one step: a hundredth of the leading digit's size, at least the last digit written.
export function stepOf(text: string): number {
  const x = Math.abs(Number(text));
  const decimals = /\.(\d+)/.exec(text)?.[1]?.length ?? 0;
  if (x === 0) return decimals ? 10 ** -decimals : 0.1;
  return 10 ** Math.floor(Math.log10(x) - 1 + 1e-9);
}

export function scrubbed(text: string, pixels: number, fine = false): string {
  const start = Number(text);
  const step = stepOf(text) * (fine ? 0.1 : 1);
  const value = start + Math.round(pixels) * step;
  const decimals = Math.max(0, Math.min(15, -Math.floor(Math.log10(step) + 1e-9)));
  if (/[eE]/.test(text)) return Number(value.toPrecision(6)).toExponential();
  const shown = value.toFixed(decimals);
  // A number in a text never becomes negative: a sign before it would turn around silently.
  return value <= 0 ? (0).toFixed(decimals) : shown;
}
