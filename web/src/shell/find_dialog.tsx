// SPDX-License-Identifier: Apache-2.0
// Ctrl+F: names, types, parameters, contexts, signals, problems, in all diagrams.
import { useEffect, useState } from 'react';
import type { FindMatch } from '../protocol/messages';
import { blockIn, join } from '../state/paths';
import { useApp, useEditor } from './context';
import { DialogFrame } from './dialog_frame';

export function FindDialog() {
  const editor = useEditor();
  const problems = useApp((s) => s.problems.list);
  const [text, setText] = useState('');
  const [matches, setMatches] = useState<FindMatch[]>([]);
  const [total, setTotal] = useState(0);
  const [at, setAt] = useState(-1); // none yet: Enter goes to the first
  useEffect(() => {
    if (!text) return setMatches([]);
    const timer = setTimeout(() => {
      void editor.ask<{ matches: FindMatch[]; total: number }>('find', { text }).then((answer) => {
        if (!answer) return;
        const wrong = problems
          .filter((p) => p.message.toLowerCase().includes(text.toLowerCase()))
          .map((p): FindMatch => ({ kind: 'problem', diagram: '/', block: p.block, text: p.message }));
        const all = [...answer.matches, ...wrong];
        setMatches(all);
        setTotal(answer.total + wrong.length);
        setAt(-1);
        const { diagram } = editor.state;
        const names = all.flatMap((m) => (m.block ? (blockIn(diagram, pathOf(m)) ?? []) : []));
        editor.store.set({ highlight: new Set(names) });
      });
    }, 100);
    return () => clearTimeout(timer);
  }, [text, editor, problems]);
  const pathOf = (m: FindMatch) => (m.block?.startsWith('/') ? m.block : join(m.diagram, m.block ?? ''));
  const go = (k: number) => {
    const m = matches[k];
    if (!m) return;
    setAt(k);
    if (m.block) void editor.goTo(pathOf(m));
    else void editor.view(m.diagram);
  };
  return (
    <DialogFrame title="Find">
      <input
        autoFocus
        className="big-input"
        aria-label="Find in the model"
        placeholder="Name, type, parameter, context, signal…"
        value={text}
        onChange={(e) => setText(e.target.value)}
        onKeyDown={(e) => {
          if (e.key === 'Enter')
            go((at + (e.shiftKey ? (at < 0 ? 0 : -1) : 1) + matches.length) % matches.length);
          else if (e.key === 'ArrowDown') setAt(Math.min(at + 1, matches.length - 1));
          else if (e.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
          else return;
          e.preventDefault();
        }}
      />
      <p className="quiet" role="status">
        {text ? `${total} found; Enter walks through them` : ''}
      </p>
      <ul className="choices">
        {matches.map((m, k) => (
          <li key={k} aria-selected={k === at} role="option" onClick={() => go(k)}>
            <span className="kind">{m.kind}</span>
            <span className="name">{m.block ? pathOf(m) : m.diagram}</span>
            <span className="detail">
              {m.parameter ? `${m.parameter} = ` : ''}
              {m.line ? `line ${m.line}: ` : ''}
              {m.text}
            </span>
          </li>
        ))}
      </ul>
    </DialogFrame>
  );
}
