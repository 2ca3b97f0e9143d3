// SPDX-License-Identifier: Apache-2.0
// The list that opens when somebody types on the sheet.
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useEditor, useApp } from '../shell/context';
import { edit } from '../state/edit_actions';
import type { Editor } from '../state/editor';
import type { Step } from '../protocol/messages';
import { portWord } from '../state/steps';
import * as steps from '../state/steps';
import type { PortEnd } from './gestures';
import { type Proposal, propose } from './match_types';
import { type Point, overlaps } from './scene';
import type { SheetView } from './sheet_view';
import { MiniIcon } from './mini_icon';

const snap = (x: number) => Math.round(x / 10) * 10;

export async function addProposal(
  editor: Editor,
  p: Proposal,
  at: Point,
  from: PortEnd | null,
  after: string | null,
) {
  const { diagram, library, scene } = editor.state;
  const type = library?.types.find((t) => t.name === p.type);
  const [, , w = 70, h = 40] = type?.box ?? [];
  const leftwards = from && !from.port.output;
  let place: Point = [snap(at[0] - (from ? (leftwards ? w : 0) : w / 2)), snap(at[1] - h / 2)];
  const source = after ? scene.blocks.find((b) => b.name === after) : undefined;
  if (source && !from)
    place = [snap(source.box.x + source.box.width + 50), snap(source.box.y + source.box.height / 2 - h / 2)];
  // Never on top of another block.
  while (scene.blocks.some((b) => overlaps(b.box, { x: place[0], y: place[1], width: w, height: h })))
    place = [place[0], place[1] + 60];
  const list: Step[] = [steps.add(diagram, p.type, place, p.parameters)];
  if (from) {
    const ends = [portWord(diagram, from.block, from.port.number), portWord(diagram, '$1', 1)];
    list.push([
      'connect',
      ...(from.port.activation ? ['event'] : []),
      ...(from.port.output ? ends : ends.reverse()),
    ]);
  } else if (source) {
    const out = source.ports.find((q) => q.output && !q.connected) ?? source.ports.find((q) => q.output);
    if (out && type && (out.activation ? type.ports.event_in : type.ports.in) > 0)
      list.push(['connect', ...(out.activation ? ['event'] : []), portWord(diagram, source.name, out.number), portWord(diagram, '$1', 1)]); // prettier-ignore
  }
  const recent = [p.type, ...editor.state.preferences.recentBlocks.filter((t) => t !== p.type)].slice(0, 12);
  editor.prefer({ recentBlocks: recent });
  return edit(editor, list, { label: `Add ${p.type}`, select: 'made' });
}

export function TypeToAdd({ sheet }: { sheet: SheetView }) {
  const editor = useEditor();
  const adding = useApp((s) => s.adding);
  const library = useApp((s) => s.library);
  const recent = useApp((s) => s.preferences.recentBlocks);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);

  useLayoutEffect(() => {
    if (!adding) return;
    setText(adding.text);
    setAt(0);
    input.current?.focus();
    input.current?.setSelectionRange(adding.text.length, adding.text.length);
  }, [adding]);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  if (!adding || !library) return null;

  const proposals = propose(text, library.types, recent, adding.from);
  const close = () => {
    editor.store.set({ adding: null });
    editor.sheet.focus();
  };
  const choose = (p: Proposal | undefined, connected: boolean) => {
    if (!p) return;
    const selected = [...editor.state.selection.blocks];
    close();
    void addProposal(
      editor,
      p,
      adding.at,
      adding.from,
      connected && selected.length === 1 ? selected[0]! : null,
    );
  };
  const [x, y] = sheet.onScreen(adding.at);
  const left = Math.max(8, Math.min(x, sheet.view.width - 348));
  const top = Math.max(8, Math.min(y, sheet.view.height - 320));
  return (
    <div
      className="type-to-add popover"
      style={{ left, top }}
      onBlur={(e) => !e.currentTarget.contains(e.relatedTarget) && close()}
    >
      <input
        ref={input}
        role="combobox"
        aria-label="Add a block"
        aria-expanded="true"
        aria-controls="add-list"
        aria-activedescendant={proposals.length ? `add-${at}` : undefined}
        placeholder={adding.from ? 'Block that fits this port' : 'Block, or a formula like 1/(s+2)'}
        value={text}
        spellCheck={false}
        autoComplete="off"
        onChange={(e) => {
          setText(e.target.value);
          setAt(0);
        }}
        onKeyDown={(e) => {
          e.stopPropagation();
          if (e.key === 'ArrowDown') setAt(Math.min(at + 1, proposals.length - 1));
          else if (e.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
          else if (e.key === 'Enter') choose(proposals[at], false);
          else if (e.key === 'Tab') choose(proposals[at], true);
          else if (e.key === 'Escape') close();
          else return;
          e.preventDefault();
        }}
      />
      <ul id="add-list" role="listbox" aria-label="Blocks" ref={list}>
        {proposals.map((p, k) => (
          <li
            key={p.title}
            id={`add-${k}`}
            role="option"
            aria-selected={k === at}
            onMouseDown={(e) => {
              e.preventDefault();
              choose(p, false);
            }}
            onMouseMove={() => setAt(k)}
          >
            <MiniIcon type={p.type} />
            <span className="name">{p.title}</span>
            <span className="detail">{p.detail}</span>
          </li>
        ))}
        {!proposals.length && <li className="none">No block is called “{text}”.</li>}
      </ul>
      <div className="hint">
        <kbd>Enter</kbd> adds · <kbd>Tab</kbd> adds and connects · <kbd>Esc</kbd> closes
      </div>
    </div>
  );
}
