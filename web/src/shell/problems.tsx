// SPDX-License-Identifier: Apache-2.0
// What is wrong, where, and what to do about it.
import { Button } from 'react-aria-components';
import type { Diagnostic } from '../protocol/messages';
import { edit } from '../state/edit_actions';
import type { Editor } from '../state/editor';
import { blockIn } from '../state/paths';
import { useApp, useEditor } from './context';
import { fixesFor } from './fixes';

export async function showProblem(editor: Editor, p: Diagnostic) {
  const path = p.block ?? p.loop?.[0];
  if (path && path !== '/') await editor.goTo(path);
  if (p.loop) {
    const names = p.loop.flatMap((m) => blockIn(editor.state.diagram, m) ?? []);
    editor.store.set({ highlight: new Set(names) });
  }
  const parameter = /^parameter (.+)$/.exec(p.port ?? '')?.[1];
  if (parameter) {
    editor.prefer({ rightOpen: true });
    setTimeout(() => document.querySelector<HTMLElement>(`[data-parameter="${CSS.escape(parameter)}"] .cm-content`)?.focus(), 150); // prettier-ignore
  }
}

export function Problems() {
  const editor = useEditor();
  const list = useApp((s) => s.problems.list);
  const diagram = useApp((s) => s.diagram);
  const scene = useApp((s) => s.scene);
  const run = useApp((s) => s.runs.find((r) => r.run === s.run));
  const all = [...list, ...(run?.diagnostics ?? []).filter((d) => !list.some((p) => p.code === d.code && p.block === d.block))]; // prettier-ignore
  if (!all.length) return <div className="empty-panel"><p>No problems: every edit is checked as you work.</p></div>; // prettier-ignore
  return (
    <ul className="problems" aria-label="Problems">
      {all.map((p, k) => (
        <li key={k} className={p.severity ?? 'error'}>
          <Button className="problem" onPress={() => void showProblem(editor, p)}>
            <span className="severity">{p.severity ?? 'error'}</span>
            <span className="message">
              {p.message}
              {p.help && <span className="help">{p.help}</span>}
              {p.notes?.map((n, j) => (
                <span key={j} className="help">
                  {n}
                </span>
              ))}
            </span>
            <span className="place">
              {p.block}
              {p.port ? `, ${p.port}` : ''}
              {p.line ? ` line ${p.line}` : ''}
              {p.time !== undefined ? ` t = ${p.time}` : ''}
            </span>
            <code>{p.code}</code>
          </Button>
          {fixesFor(p, diagram, scene).map((f) => (
            <Button
              key={f.label}
              className="fix"
              onPress={() => void edit(editor, f.steps, { label: f.label })}
            >
              {f.label}
            </Button>
          ))}
        </li>
      ))}
    </ul>
  );
}
