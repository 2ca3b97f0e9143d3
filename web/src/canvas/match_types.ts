// SPDX-License-Identifier: Apache-2.0
// The list under what somebody types: formulas first, then names that match, the recently used ones before others.
import type { LibraryType } from '../protocol/messages';
import type { PortEnd } from './gestures';
import { formulaBlock } from './formulas';

export interface Proposal {
  type: string;
  title: string;
  detail: string;
  parameters: Record<string, string>;
}

// How well `text` fits `name`: higher is better, 0 not at all. Letters may be left out, not exchanged.
export function fuzzy(text: string, name: string): number {
  const t = text.toLowerCase();
  const n = name.toLowerCase();
  if (t === '') return 1;
  if (n === t) return 1000;
  if (n.startsWith(t)) return 500 - n.length;
  const at = n.indexOf(t);
  if (at > 0) return 300 - at - n.length / 10;
  let k = 0;
  let score = 100;
  let last = -1;
  for (let j = 0; j < n.length && k < t.length; ++j) {
    if (n[j] !== t[k]) continue;
    if (last >= 0) score -= j - last - 1;
    // A capital begins a word: "sh" means SampleHold.
    if (/[A-Z]/.test(name[j]!)) score += 20;
    last = j;
    ++k;
  }
  return k === t.length ? Math.max(1, score) : 0;
}

export function fitsPort(type: LibraryType, from: PortEnd | null): boolean {
  if (!from) return true;
  const { in: inputs, out, event_in, event_out } = type.ports;
  const needed = from.port.output
    ? from.port.activation
      ? event_in
      : inputs
    : from.port.activation
      ? event_out
      : out;
  return needed > 0 || type.super === true;
}

export function propose(
  text: string,
  types: readonly LibraryType[],
  recent: readonly string[],
  from: PortEnd | null,
  most = 40,
): Proposal[] {
  const list: Proposal[] = [];
  const formula = formulaBlock(text);
  const known = new Map(types.map((t) => [t.name, t]));
  if (formula && known.has(formula.type)) {
    const has = new Set(known.get(formula.type)!.parameters.map((p) => p.name));
    const parameters = Object.fromEntries(
      Object.entries(formula.parameters).filter(([name]) => has.has(name)),
    );
    list.push({ type: formula.type, title: formula.label, detail: 'formula', parameters });
  }
  const scored = types
    .filter((t) => fitsPort(t, from))
    .map((t) => {
      const own = fuzzy(text, t.name);
      const other = Math.max(0, ...(t.names ?? []).map((n) => fuzzy(text, n) * 0.8));
      const words = text.length > 2 && t.summary.toLowerCase().includes(text.toLowerCase()) ? 40 : 0;
      const used = recent.indexOf(t.name);
      const best = Math.max(own, other, words);
      return { t, score: best && best + (used >= 0 ? 60 - used : 0) };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.t.name.localeCompare(b.t.name));
  for (const { t } of scored.slice(0, most))
    list.push({ type: t.name, title: t.name, detail: t.summary, parameters: {} });
  return list;
}
