// SPDX-License-Identifier: Apache-2.0
// Which columns of a run belong to which scope.
import type { RunInfo } from '../protocol/messages';

export interface ScopeGroup {
  block: string; // path
  title: string;
  columns: { index: number; name: string; unit: string }[];
}

export function scopeGroups(run: RunInfo | null): ScopeGroup[] {
  const groups = new Map<string, ScopeGroup>();
  (run?.columns ?? []).forEach((column, index) => {
    const block = column.block || column.name.replace(/[.([].*$/, '');
    if (run?.figures?.some((f) => f.block === block)) return; // drawn, not plotted
    let group = groups.get(block);
    if (!group) groups.set(block, (group = { block, title: block.replace(/^\//, ''), columns: [] }));
    // "/Scope.speed" is "speed" in its scope; a lone column is called as its scope.
    const rest = column.name.startsWith(block)
      ? column.name.slice(block.length).replace(/^[.:]/, '')
      : column.name;
    group.columns.push({ index, name: rest, unit: column.unit ?? '' });
  });
  for (const group of groups.values())
    for (const c of group.columns) if (c.name === '') c.name = group.columns.length === 1 ? group.title : String(c.index); // prettier-ignore
  return [...groups.values()];
}

// The same columns in another run, by their names; null when it does not have them.
export function sameColumns(run: RunInfo, other: RunInfo, columns: readonly number[]): number[] | null {
  const names = columns.map((k) => run.columns?.[k]?.name);
  const found = names.map((n) => (other.columns ?? []).findIndex((c) => c.name === n));
  return found.every((k) => k >= 0) ? found : null;
}

export const runLegend = (run: RunInfo) => {
  const set = Object.entries(run.set ?? {}).map(([name, value]) => `${name} = ${value}`);
  return run.name || set.join(', ') || run.changed?.join(', ') || `run ${run.run}`;
};
