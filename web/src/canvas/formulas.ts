// SPDX-License-Identifier: Apache-2.0
// Formulas typed on the sheet: "2.5" is a Constant, "*k" a Gain, "1/(s+2)" a transfer function, "@0.1" a clock.

export interface FormulaBlock {
  type: string;
  parameters: Record<string, string>;
  label: string;
}

const number = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?`;

export function formulaBlock(text: string): FormulaBlock | null {
  const t = text.trim();
  const plain = t.replace(/\s+/g, '');
  if (new RegExp(`^${number}$`).test(plain) || /^\[.*\]$/.test(t))
    return { type: 'Constant', parameters: { value: t }, label: `Constant ${t}` };
  if (/^\*.+/.test(plain))
    return { type: 'Gain', parameters: { k: t.slice(1).trim() }, label: `Gain ${t.slice(1).trim()}` };
  const clock = /^@(.+)$/.exec(t);
  if (clock) return { type: 'SampleClock', parameters: { period: clock[1]!.trim() }, label: `Clock, period ${clock[1]!.trim()}` }; // prettier-ignore
  if (plain === '1/s') return { type: 'Integral', parameters: {}, label: 'Integral' };
  if (plain === 'z^-1' || plain === '1/z')
    return { type: 'DiscreteDelay', parameters: {}, label: 'Delay by one sample' };
  const fraction = splitFraction(plain);
  if (fraction) {
    for (const [letter, type] of [
      ['s', 'ContTransFunc'],
      ['z', 'DiscrTransFunc'],
    ] as const) {
      // prettier-ignore
      const num = coefficients(fraction[0], letter);
      const den = coefficients(fraction[1], letter);
      if (num && den && den.length > 1)
        return { type, parameters: { num: list(num), den: list(den) }, label: `${type} ${t}` };
    }
  }
  if (/\bu\d+\b/.test(t)) {
    const inputs = Math.max(...[...t.matchAll(/\bu(\d+)\b/g)].map((m) => Number(m[1])));
    return { type: 'MathExpression', parameters: { inputs: String(inputs), expression: `'${t.replace(/'/g, "''")}'` }, label: `Expression ${t}` }; // prettier-ignore
  }
  return null;
}

const list = (c: readonly string[]) => (c.length === 1 ? c[0]! : `[${c.join(' ')}]`);

// "a/b" with both parts as written; parentheses around a part are taken off.
function splitFraction(text: string): [string, string] | null {
  let depth = 0;
  for (let k = 0; k < text.length; ++k) {
    const c = text[k];
    if (c === '(' || c === '[') ++depth;
    else if (c === ')' || c === ']') --depth;
    else if (c === '/' && depth === 0) return [bare(text.slice(0, k)), bare(text.slice(k + 1))];
  }
  return null;
}

function bare(text: string): string {
  if (!text.startsWith('(') || !text.endsWith(')')) return text;
  let depth = 0;
  for (let k = 0; k < text.length - 1; ++k) {
    if (text[k] === '(') ++depth;
    else if (text[k] === ')') --depth;
    if (depth === 0) return text; // the first parenthesis closes before the end
  }
  return text.slice(1, -1);
}

// Coefficients, highest power first, of a sum like "0.5*s^2+k*s+1"; null when it is none.
export function coefficients(text: string, letter: string): string[] | null {
  const terms = text.match(/[-+]?[^-+]+(?:\^[-+]?\d+)?/g);
  if (!terms || terms.join('') !== text) return null;
  const found = new Map<number, string>();
  for (const term of terms) {
    const sign = term.startsWith('-') ? '-' : '';
    const body = term.replace(/^[-+]/, '');
    const power = new RegExp(`^(?:(.*?)\\*?)${letter}(?:\\^(\\d+))?$`).exec(body);
    let degree = 0;
    let factor = body;
    if (power) {
      degree = power[2] ? Number(power[2]) : 1;
      factor = power[1] || '1';
    } else if (new RegExp(`(^|[^A-Za-z0-9_])${letter}([^A-Za-z0-9_]|$)`).test(body)) return null;
    if (!/^[A-Za-z0-9_.*]+$/.test(factor) || found.has(degree)) return null;
    found.set(degree, sign + factor);
  }
  const highest = Math.max(...found.keys());
  return Array.from({ length: highest + 1 }, (_, k) => found.get(highest - k) ?? '0');
}
