// SPDX-License-Identifier: Apache-2.0
// Context or initialization: OML lines with the value of each assignment beside it; dragged numbers run the model again.
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Diagnostic, Evaluation } from '../protocol/messages';
import { useApp, useEditor } from '../shell/context';
import { edit } from '../state/edit_actions';
import { RunAgain } from '../state/run_actions';
import { OmlField } from './lazy_field';

const split = (text: string) => (text === '' ? [] : text.split('\n'));

export function LinesEditor({ kind }: { kind: 'context' | 'initialization' }) {
  const editor = useEditor();
  const diagram = useApp((s) => s.diagram);
  const info = useApp((s) => s.diagramInfo);
  const revision = useApp((s) => s.doc?.revision ?? 0);
  const kept = (kind === 'context' ? info?.context : info?.initialization)?.join('\n') ?? '';
  const [text, setText] = useState(kept);
  const [values, setValues] = useState<Evaluation>({});
  const again = useMemo(() => new RunAgain(editor), [editor]);
  const session = useRef(0);
  const sending = useRef(false);
  const next = useRef<string | null>(null);
  const sent = useRef(kept);

  useEffect(() => {
    setText(kept);
    sent.current = kept;
  }, [kept]);
  // Values as of the text being typed.
  useEffect(() => {
    const timer = setTimeout(() => {
      const { doc } = editor.state;
      if (!doc) return;
      const part = { [kind]: split(text) };
      editor
        .request<Evaluation>('evaluate', { doc: doc.doc, diagram, texts: [], ...part })
        .then(setValues)
        .catch(() => {});
    }, 120);
    return () => clearTimeout(timer);
  }, [text, diagram, revision, editor, kind]);

  const send = async (value: string, merge: string | undefined, run: boolean) => {
    if (sending.current) {
      next.current = value;
      return;
    }
    if (value === sent.current) return;
    sending.current = true;
    sent.current = value;
    const words = kind === 'context' ? ['context', 'in', diagram] : ['initialization'];
    const done = await edit(editor, [[...words, ...split(value)]], { label: `Change ${kind}`, merge });
    if (done && run && editor.state.preferences.autoRun) void again.ask();
    sending.current = false;
    const waiting = next.current;
    next.current = null;
    if (waiting !== null) void send(waiting, merge, run);
  };

  const notes = useMemo(() => {
    const map = new Map<number, string>();
    for (const v of values.variables ?? [])
      if (v.line && v.value && (v.from === 'context' || v.from === kind)) {
        const shown =
          v.value.rows * v.value.cols === 1
            ? v.value.text
            : `${v.value.text}  ${v.value.rows}×${v.value.cols}`;
        // A value that only repeats the text says nothing.
        const line = split(text)[v.line - 1] ?? '';
        const code = line
          .split('%')[0]!
          .replace(/;?\s*$/, '')
          .trim();
        if (!code.endsWith(`= ${v.value.text}`) && code !== `${v.name}=${v.value.text}`)
          map.set(v.line, shown);
      }
    return map;
  }, [values, kind, text]);
  const problems = useMemo<Diagnostic[]>(() => (values.problems ?? []).filter((p) => !p.port || p.port === kind), [values, kind]); // prettier-ignore
  return (
    <div className="lines-editor">
      <OmlField
        key={`${kind}${diagram}`}
        lines
        uses
        label={kind === 'context' ? 'Context of this diagram' : 'Initialization of the model'}
        text={text}
        problems={problems}
        notes={notes}
        onChange={setText}
        onCommit={(t) => void send(t, undefined, true)}
        onScrub={(t, done) => {
          if (!session.current) session.current = Date.now();
          void send(t, `scrub ${session.current}`, true);
          if (done) session.current = 0;
        }}
      />
      {problems[0] && (
        <p className="field-error" role="alert">
          {problems[0].line ? `Line ${problems[0].line}: ` : ''}
          {problems[0].message}
          {problems[0].help && <span className="help">{problems[0].help}</span>}
        </p>
      )}
    </div>
  );
}
