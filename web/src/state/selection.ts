// SPDX-License-Identifier: Apache-2.0
// Changes of the selection, and what of it survives a change of the scene.
import type { Message, Selection } from '../canvas/gestures';
import { type Scene, branchKey } from '../canvas/scene';

export function applySelect(old: Selection, m: Extract<Message, { say: 'select' }>): Selection {
  if (m.mode === 'set')
    return { blocks: new Set(m.blocks), branches: new Set(m.branches), notes: new Set(m.notes) };
  const combine = <T>(set: ReadonlySet<T>, items: T[]) => {
    const next = new Set(set);
    const toggleOff = m.mode === 'toggle' && items.length > 0 && items.every((i) => set.has(i));
    for (const item of items) {
      if (toggleOff) next.delete(item);
      else next.add(item);
    }
    return next;
  };
  return {
    blocks: combine(old.blocks, m.blocks),
    branches: combine(old.branches, m.branches),
    notes: combine(old.notes, m.notes),
  };
}

export function keepExisting(selection: Selection, scene: Scene): Selection {
  if (!selection.blocks.size && !selection.branches.size && !selection.notes.size) return selection;
  const names = new Set(scene.blocks.map((b) => b.name));
  const branches = new Set(scene.links.flatMap((l) => l.branches.map((b) => branchKey(l, b))));
  const keep = <T>(set: ReadonlySet<T>, ok: (item: T) => boolean) =>
    [...set].every(ok) ? set : new Set([...set].filter(ok));
  const next = {
    blocks: keep(selection.blocks, (n) => names.has(n)),
    branches: keep(selection.branches, (k) => branches.has(k)),
    notes: keep(selection.notes, (n) => n < scene.notes.length),
  };
  return next.blocks === selection.blocks &&
    next.branches === selection.branches &&
    next.notes === selection.notes
    ? selection
    : next;
}
