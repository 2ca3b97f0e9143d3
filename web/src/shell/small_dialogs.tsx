// SPDX-License-Identifier: Apache-2.0
// Short dialogs: settings, keys, rename, notes, break conditions, history, links by list, about.
import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import { commandById } from '../keys/commands';
import { keyTable, shownKey } from '../keys/table';
import { edit } from '../state/edit_actions';
import { join } from '../state/paths';
import { runMemory } from '../state/run_actions';
import type { Preferences, ThemeChoice } from '../state/state';
import { firstFit, connectEnds } from '../state/steps';
import { useApp, useEditor } from './context';
import { DialogFrame } from './dialog_frame';

export function SettingsDialog() {
  const editor = useEditor();
  const p = useApp((s) => s.preferences);
  const flags: [keyof Preferences, string][] = [
    ['grid', 'Dots of the grid'],
    ['portNames', 'Numbers of ports'],
    ['minimap', 'Minimap above 60 blocks'],
    ['autoRun', 'Run again when a number changes'],
  ];
  return (
    <DialogFrame title="Settings">
      <label className="plain-field">
        Theme
        <select value={p.theme} onChange={(e) => editor.prefer({ theme: e.target.value as ThemeChoice })}>
          <option value="system">as the system</option>
          <option value="light">light</option>
          <option value="dark">dark</option>
        </select>
      </label>
      {flags.map(([name, title]) => (
        <label key={name} className="check-field">
          <input
            type="checkbox"
            checked={Boolean(p[name])}
            onChange={(e) => editor.prefer({ [name]: e.target.checked })}
          />
          {title}
        </label>
      ))}
    </DialogFrame>
  );
}

export function KeysDialog() {
  const rows = keyTable.filter((row) => !/-far|-fine/.test(row.command));
  return (
    <DialogFrame title="Keys" wide>
      <p>Letters, digits and * / @ typed on the sheet add a block. Space held and dragged moves the sheet.</p>
      <div className="key-columns">
        {rows.map((row) => (
          <div key={row.key}>
            <kbd>{shownKey(row.key)}</kbd> {commandById.get(row.command)?.title ?? row.command}
          </div>
        ))}
      </div>
    </DialogFrame>
  );
}

export function RenameDialog() {
  const editor = useEditor();
  const old = [...editor.state.selection.blocks][0] ?? '';
  const [name, setName] = useState(old);
  const send = async () => {
    const path = join(editor.state.diagram, old);
    if (name !== old && !(await edit(editor, [['rename', path, name]], { label: `Rename ${old}` }))) return;
    editor.store.set({ dialog: null });
    editor.select({ blocks: new Set([name]), branches: new Set(), notes: new Set() });
    editor.sheet.focus();
  };
  return (
    <DialogFrame title={`Rename ${old}`}>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          void send();
        }}
      >
        {' '}
        {/* prettier-ignore */}
        <input autoFocus className="big-input" aria-label="New name" value={name} onChange={(e) => setName(e.target.value)} onFocus={(e) => e.target.select()} />
        <div className="row-of-buttons">
          <Button type="submit" className="primary">
            Rename
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}

export function NoteDialog({ note }: { note: number }) {
  const editor = useEditor();
  const item = editor.state.scene.notes[note];
  const [text, setText] = useState(item?.lines.join('\n') ?? '');
  if (!item) return null;
  const send = async () => {
    const lines = text.split('\n');
    const width = Math.max(80, Math.ceil((Math.max(...lines.map((l) => l.length)) * 6.6 + 16) / 10) * 10);
    const at = [item.box.x, item.box.y, width, 12 + 15 * lines.length].map(Math.round).join(',');
    await edit(editor, [['renote', 'in', editor.state.diagram, String(note + 1), 'at', at, text]], {
      label: 'Change note',
    });
    editor.store.set({ dialog: null });
  };
  return (
    <DialogFrame title="Note">
      <textarea
        autoFocus
        rows={5}
        className="big-input"
        aria-label="Text of the note"
        value={text}
        onChange={(e) => setText(e.target.value)}
      />
      <div className="row-of-buttons">
        <Button className="primary" onPress={() => void send()}>
          Keep
        </Button>
        <Button
          onPress={() =>
            void edit(editor, [['unnote', 'in', editor.state.diagram, String(note + 1)]], {
              label: 'Remove note',
            }).then(() => editor.store.set({ dialog: null }))
          }
        >
          Remove
        </Button>
      </div>
    </DialogFrame>
  );
}

export function BreaksDialog() {
  const editor = useEditor();
  const [text, setText] = useState(runMemory.breaks.join('\n'));
  return (
    <DialogFrame title="Break conditions">
      <p>
        One OML condition a line; a run pauses where one becomes true. <code>t</code> is the time,{' '}
        <code>v('/Plant/Mass')</code> the value of a block's output.
      </p>
      <textarea
        autoFocus
        rows={4}
        className="big-input code-text"
        aria-label="Conditions"
        placeholder="v('/Ball') > 2"
        value={text}
        onChange={(e) => setText(e.target.value)}
      />
      <div className="row-of-buttons">
        <Button
          className="primary"
          onPress={() => {
            runMemory.breaks = text.split('\n').map((l) => l.trim()).filter(Boolean); // prettier-ignore
            editor.store.set({ dialog: null });
          }}
        >
          Keep
        </Button>
      </div>
    </DialogFrame>
  );
}

export function HistoryDialog() {
  const editor = useEditor();
  const revision = useApp((s) => s.doc?.revision);
  const [history, setHistory] = useState<{ done: string[]; undone: string[] }>({ done: [], undone: [] });
  useEffect(() => {
    void editor.ask<{ done: string[]; undone: string[] }>('history').then((h) => h && setHistory(h));
  }, [editor, revision]);
  return (
    <DialogFrame title="History">
      <ol className="choices" reversed>
        {[...history.undone].reverse().map((label, k) => (
          <li key={`u${k}`} className="none">
            {label} (undone)
          </li>
        ))}
        {[...history.done].reverse().map((label, k) => (
          <li key={k}>{label}</li>
        ))}
      </ol>
      {!history.done.length && !history.undone.length && <p className="quiet">Nothing was changed yet.</p>}
    </DialogFrame>
  );
}

// Ctrl+Shift+L: connects the selected block by choosing from a list; no mouse needed.
export function LinkToDialog() {
  const editor = useEditor();
  const { scene, selection, diagram } = editor.state;
  const from = scene.blocks.find((b) => selection.blocks.has(b.name));
  const [output, setOutput] = useState(0);
  if (!from) return null;
  const outputs = from.ports.filter((p) => p.output);
  const port = outputs[output];
  const targets = port
    ? scene.blocks.flatMap((b) => {
        if (!port.activation && !b.ports.some((p) => !p.output && !p.activation && !p.connected)) return [];
        const end = firstFit(b, { block: from.name, port });
        if (!end) return [];
        return b.ports
          .filter((p) => !p.output && p.activation === port.activation && (port.activation || !p.connected))
          .map((p) => ({ block: b.name, type: b.type, port: p }));
      })
    : [];
  const send = async (block: string, into: (typeof targets)[0]['port']) => {
    if (!port) return;
    await edit(editor, [connectEnds(diagram, { block: from.name, port }, { block, port: into })], {
      label: `Connect ${from.name} to ${block}`,
    });
    editor.store.set({ dialog: null });
    editor.sheet.focus();
  };
  return (
    <DialogFrame title={`Connect ${from.name} to`}>
      {outputs.length > 1 && (
        <label className="plain-field">
          Output
          <select value={output} onChange={(e) => setOutput(Number(e.target.value))}>
            {outputs.map((p, k) => (
              <option key={k} value={k}>
                {p.activation ? `activation output ${p.number}` : `output ${p.number}`}
              </option>
            ))}
          </select>
        </label>
      )}
      <ul className="choices" aria-label="Free inputs">
        {targets.map((t, k) => (
          <li key={k}>
            <Button autoFocus={k === 0} onPress={() => void send(t.block, t.port)}>
              <span className="name">{t.block}</span>
              <span className="detail">
                {t.type}, {t.port.activation ? 'activation input' : 'input'} {t.port.number}
              </span>
            </Button>
          </li>
        ))}
        {!targets.length && <li className="none">No free input fits.</li>}
      </ul>
    </DialogFrame>
  );
}

export function AboutDialog() {
  const version = useApp((s) => s.library?.version);
  const types = useApp((s) => s.library?.types.length);
  return (
    <DialogFrame title="Orrery">
      <p>
        Version {version}, {types} block types. Apache-2.0.
      </p>
      <p className="quiet">Everything runs on this computer; this page talks to 127.0.0.1 only.</p>
    </DialogFrame>
  );
}
