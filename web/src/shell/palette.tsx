// SPDX-License-Identifier: Apache-2.0
// The blocks that can be placed: filter, recent ones, palettes. Drag one to the sheet, or press Enter.
import { memo, useMemo, useState } from 'react';
import { Collection, Header, Input, ListBox, ListBoxItem, ListBoxSection, SearchField, useDragAndDrop } from 'react-aria-components'; // prettier-ignore
import { MiniIcon } from '../canvas/mini_icon';
import { fuzzy } from '../canvas/match_types';
import type { SheetView } from '../canvas/sheet_view';
import { addProposal } from '../canvas/type_to_add';
import type { LibraryType } from '../protocol/messages';
import { useApp, useEditor } from './context';

export const Palette = memo(function Palette({ sheet }: { sheet: SheetView | null }) {
  const editor = useEditor();
  const library = useApp((s) => s.library);
  const recent = useApp((s) => s.preferences.recentBlocks);
  const [filter, setFilter] = useState('');
  const [chosen, setChosen] = useState<Set<string> | null>(null);
  // At first the recent ones are open, or the first palette where nothing was used yet.
  const open = useMemo(
    () => chosen ?? new Set(recent.length ? ['Recent'] : [library?.palettes[0] ?? '']),
    [chosen, recent.length, library],
  );
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) =>
      [...keys].map((key) => ({ 'application/x-orrery-block': String(key).split('/').pop()! })),
  });
  const sections = useMemo(() => {
    if (!library) return [];
    if (filter) {
      const found = library.types
        .map((t) => ({
          t,
          score: Math.max(
            fuzzy(filter, t.name),
            ...(t.names ?? []).map((n) => fuzzy(filter, n) / 2),
            t.summary.toLowerCase().includes(filter.toLowerCase()) ? 30 : 0,
          ),
        })) // prettier-ignore
        .filter(({ score }) => score > 20)
        .sort((a, b) => b.score - a.score)
        .map(({ t }) => t);
      return [{ name: `${found.length} found`, types: found.slice(0, 60), count: found.length, open: true }];
    }
    const byName = new Map(library.types.map((t) => [t.name, t]));
    const used = recent.flatMap((n) => byName.get(n) ?? []).slice(0, 8);
    return [
      ...(used.length ? [{ name: 'Recent', types: used }] : []),
      ...library.palettes.map((name) => ({ name, types: library.types.filter((t) => t.palette === name) })),
    ].map((s) => ({
      ...s,
      count: s.types.length,
      open: open.has(s.name),
      types: open.has(s.name) ? s.types : [],
    }));
  }, [library, recent, filter, open]);
  const act = (id: string) => {
    if (id.startsWith('?')) {
      const name = id.slice(1);
      const next = new Set(open);
      if (!next.delete(name)) next.add(name);
      setChosen(next);
      return;
    }
    const type = id.split('/').pop()!;
    void addProposal(
      editor,
      { type, title: type, detail: '', parameters: {} },
      sheet?.middle() ?? [0, 0],
      null,
      null,
    );
  };
  return (
    <div className="palette">
      <SearchField aria-label="Filter blocks" value={filter} onChange={setFilter}>
        <Input placeholder="Filter blocks" />
      </SearchField>
      <ListBox
        aria-label="Blocks"
        className="palette-list"
        items={sections}
        selectionMode="none"
        dragAndDropHooks={dragAndDropHooks}
        onAction={(key) => act(String(key))}
      >
        {(section) => (
          <ListBoxSection id={section.name}>
            <Header className="off-screen">{section.name}</Header>
            <ListBoxItem id={`?${section.name}`} className="palette-head" textValue={section.name}>
              <span aria-hidden="true">{section.open ? '▾' : '▸'}</span> {section.name}{' '}
              <small>{section.count}</small>
            </ListBoxItem>
            <Collection items={section.types.map((t) => ({ ...t, id: `${section.name}/${t.name}` }))}>
              {(t: LibraryType & { id: string }) => (
                <ListBoxItem id={t.id} className="palette-item" textValue={t.name}>
                  <MiniIcon type={t.name} />
                  <span className="name">{t.name}</span>
                  <span className="detail">{t.summary}</span>
                </ListBoxItem>
              )}
            </Collection>
          </ListBoxSection>
        )}
      </ListBox>
    </div>
  );
});
