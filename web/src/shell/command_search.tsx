// SPDX-License-Identifier: Apache-2.0
// Ctrl+K: blocks and commands by name.
import { useEffect, useRef, useState } from 'react';
import { fuzzy } from '../canvas/match_types';
import { MiniIcon } from '../canvas/mini_icon';
import type { SheetView } from '../canvas/sheet_view';
import { addProposal } from '../canvas/type_to_add';
import { propose } from '../canvas/match_types';
import { commands, perform } from '../keys/commands';
import { keysOf, shownKey } from '../keys/table';
import { useApp, useEditor } from './context';
import { DialogFrame } from './dialog_frame';

export function CommandSearch({ sheet }: { sheet: SheetView | null }) {
  const editor = useEditor();
  const state = useApp((s) => s);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  const found = commands
    .filter(
      (c) =>
        !c.hidden && c.present?.(state) !== false && (!c.enabled || c.enabled(state)) && c.id !== 'commands',
    )
    .map((c) => ({ c, score: fuzzy(text, c.title) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, text ? 12 : 40);
  const blocks =
    text && state.doc
      ? propose(text, state.library?.types ?? [], state.preferences.recentBlocks, null, 12)
      : [];
  const rows = [
    ...found.map(({ c, score }) => ({ id: `c${c.id}`, score, title: c.title, detail: c.menu ?? '', key: shownKey(keysOf(c.id)[0] ?? ''), icon: '', act: () => perform(c.id, editor, sheet) })), // prettier-ignore
    ...blocks.map((p, k) => ({ id: `b${k}`, score: fuzzy(text, p.title) || (p.detail === 'formula' ? 2000 : 10), title: p.title, detail: p.detail, key: '', icon: p.type, act: () => void addProposal(editor, p, sheet?.middle() ?? [0, 0], null, null) })), // prettier-ignore
  ].sort((a, b) => (text ? b.score - a.score : 0));
  const choose = (k: number) => {
    const row = rows[k];
    if (!row) return;
    editor.store.set({ dialog: null });
    row.act();
    if (!editor.state.dialog) editor.sheet.focus();
  };
  return (
    <DialogFrame title="Blocks and commands">
      <input
        autoFocus
        className="big-input"
        role="combobox"
        aria-expanded="true"
        aria-controls="command-list"
        aria-label="Search blocks and commands"
        aria-activedescendant={rows.length ? `command-${at}` : undefined}
        placeholder="Type a block or a command"
        value={text}
        onChange={(e) => {
          setText(e.target.value);
          setAt(0);
        }}
        onKeyDown={(e) => {
          if (e.key === 'ArrowDown') setAt(Math.min(at + 1, rows.length - 1));
          else if (e.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
          else if (e.key === 'Enter') choose(at);
          else return;
          e.preventDefault();
        }}
      />
      <ul className="choices" id="command-list" role="listbox" aria-label="Found" ref={list}>
        {rows.map((row, k) => (
          <li
            key={row.id}
            id={`command-${k}`}
            role="option"
            aria-selected={k === at}
            onMouseMove={() => setAt(k)}
            onClick={() => choose(k)}
          >
            {row.icon ? <MiniIcon type={row.icon} size={20} /> : <span className="no-icon" />}
            <span className="name">{row.title}</span>
            <span className="detail">{row.detail}</span>
            {row.key && <kbd>{row.key}</kbd>}
          </li>
        ))}
      </ul>
    </DialogFrame>
  );
}
