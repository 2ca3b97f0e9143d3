// SPDX-License-Identifier: Apache-2.0
// OML at the open model: scripts see the current model and the selected block.
import { useEffect, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { Refused } from '../protocol/connection';
import type { ConsoleEntry } from '../state/state';
import { useApp, useEditor } from './context';

export function Console() {
  const editor = useEditor();
  const lines = useApp((s) => s.console);
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const past = useRef<string[]>([]);
  const at = useRef(0);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'end' });
  }, [lines]);
  const add = (...entries: ConsoleEntry[]) =>
    editor.store.set((s) => ({ console: [...s.console, ...entries].slice(-500) }));
  const send = async () => {
    const { doc } = editor.state;
    if (!doc || !text.trim()) return;
    setBusy(true);
    try {
      const answer = await editor.request<{ output?: string; error?: string; figures?: string[]; incomplete?: boolean }>('console', { doc: doc.doc, text }); // prettier-ignore
      if (answer.incomplete) return setText(`${text}\n`);
      past.current.push(text);
      at.current = past.current.length;
      setText('');
      add(
        { kind: 'input', text },
        ...(answer.output ? [{ kind: 'output' as const, text: answer.output }] : []),
        ...(answer.figures ?? []).map((f) => ({ kind: 'figure' as const, text: f })),
        ...(answer.error ? [{ kind: 'error' as const, text: answer.error }] : []),
      );
    } catch (error) {
      add(
        { kind: 'input', text },
        { kind: 'error', text: error instanceof Refused ? error.message : String(error) },
      );
      setText('');
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="console">
      <div className="console-lines" role="log" aria-label="Console" tabIndex={0}>
        {lines.map((line, k) =>
          line.kind === 'figure' ? (
            <img key={k} alt="Figure" src={`data:image/svg+xml;utf8,${encodeURIComponent(line.text)}`} />
          ) : (
            <pre key={k} className={line.kind}>
              {line.kind === 'input' ? `» ${line.text}` : line.text}
            </pre>
          ),
        )}
        <div ref={end} />
      </div>
      <div className="bar">
        <textarea
          aria-label="OML statement"
          rows={Math.min(6, text.split('\n').length)}
          value={text}
          spellCheck={false}
          placeholder="OML, for example A = [1 2; 3 4] \ [1; 2]"
          onChange={(e) => setText(e.target.value)}
          onKeyDown={(e) => {
            if (e.key === 'Enter' && !e.shiftKey) {
              e.preventDefault();
              void send();
            } else if (e.key === 'ArrowUp' && !text.includes('\n') && at.current > 0) {
              setText(past.current[--at.current] ?? '');
            } else if (e.key === 'ArrowDown' && !text.includes('\n') && at.current < past.current.length) {
              setText(past.current[++at.current] ?? '');
            }
          }}
        />
        {busy ? (
          <Button onPress={() => void editor.ask('interrupt')}>Interrupt</Button>
        ) : (
          <Button onPress={() => void send()}>Run</Button>
        )}
      </div>
    </div>
  );
}
