// SPDX-License-Identifier: Apache-2.0
// A field for OML: one line in the inspector, many in the context. The server completes and checks.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type CompletionContext } from '@codemirror/autocomplete'; // prettier-ignore
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { type Diagnostic as Squiggle, setDiagnostics } from '@codemirror/lint';
import { searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import type { Diagnostic } from '../protocol/messages';
import { useEditor } from '../shell/context';
import { lineNotes, scrubNumbers, setNotes } from './line_notes';
import { omlColours, omlLanguage } from './oml_language';
import { usedBy } from './used_by';

export interface CodeFieldProps {
  text: string;
  label: string;
  lines?: boolean; // many lines
  uses?: boolean; // tells where a name is used
  readOnly?: boolean;
  problems?: readonly Diagnostic[]; // lines from 1
  notes?: ReadonlyMap<number, string>;
  onChange?: (text: string) => void;
  onCommit?: (text: string) => void; // Enter (one line), Ctrl+Enter, leaving the field
  onScrub?: (text: string, done: boolean) => void;
  onEscape?: () => void;
}

const nonce = () => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.content ?? '';

export default function CodeField(props: CodeFieldProps) {
  const editor = useEditor();
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    const { lines, uses, readOnly, label, text } = latest.current;
    const { library } = editor.state;
    const commit = (v: EditorView) => {
      latest.current.onCommit?.(v.state.doc.toString());
      return true;
    };
    const single: Extension = [
      EditorState.transactionFilter.of((t) => (t.newDoc.lines > 1 ? [] : t)),
      keymap.of([{ key: 'Enter', run: commit }]),
    ];
    const v = new EditorView({
      parent: host.current!,
      state: EditorState.create({
        doc: text,
        extensions: [
          EditorView.cspNonce.of(nonce()),
          omlLanguage(library?.keywords ?? [], new Set((library?.functions ?? []).map((f) => f.name))),
          omlColours,
          history(),
          drawSelection(),
          bracketMatching(),
          closeBrackets(),
          autocompletion({ override: [(c) => complete(c)], activateOnTyping: true }),
          lines ? [lineNumbers(), highlightActiveLine(), EditorView.lineWrapping] : single,
          uses ? usedBy(editor) : [],
          lineNotes,
          readOnly ? [EditorState.readOnly.of(true), EditorView.editable.of(false)] : scrubNumbers((done) => latest.current.onScrub?.(view.current!.state.doc.toString(), done)), // prettier-ignore
          keymap.of([
            { key: 'Ctrl-Enter', run: commit },
            { key: 'Escape', run: () => (latest.current.onEscape?.(), false) },
            ...closeBracketsKeymap,
            ...completionKeymap,
            ...defaultKeymap.filter(
              (k) => k.key !== 'Mod-Enter' && k.key !== 'Alt-ArrowUp' && k.key !== 'Alt-ArrowDown',
            ),
            ...historyKeymap,
            ...(lines ? searchKeymap.filter((k) => k.key !== 'Mod-f') : []),
          ]),
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
          EditorView.updateListener.of(
            (u) => u.docChanged && latest.current.onChange?.(u.state.doc.toString()),
          ),
          EditorView.domEventHandlers({ blur: (_e, w) => void commit(w) }),
        ],
      }),
    });
    view.current = v;
    return () => v.destroy();

    async function complete(context: CompletionContext) {
      const word = context.matchBefore(/[\w.]+/);
      if (!word && !context.explicit) return null;
      const { doc, diagram } = editor.state;
      if (!doc) return null;
      const text = context.state.doc.toString();
      // Offsets are in bytes; OML texts are nearly always ASCII, so count only where needed.
      const bytes = (s: string) => new TextEncoder().encode(s).length;
      const answer = await editor
        .request<{ from: number; items: { label: string; kind: string; detail?: string }[] }>('complete', {
          doc: doc.doc,
          diagram,
          text,
          at: bytes(text.slice(0, context.pos)),
        }) // prettier-ignore
        .catch(() => null);
      if (!answer?.items.length) return null;
      return {
        from: word?.from ?? context.pos,
        options: answer.items.map((i) => ({ label: i.label, type: i.kind, detail: i.detail })),
        validFor: /^\w*$/,
      };
    }
  }, [editor]);

  // A new text from outside replaces the old one unless somebody is typing it.
  useEffect(() => {
    const v = view.current;
    if (
      !v ||
      v.state.doc.toString() === props.text ||
      v.hasFocus ||
      document.body.classList.contains('scrubbing')
    )
      return;
    v.dispatch({ changes: { from: 0, to: v.state.doc.length, insert: props.text } });
  }, [props.text]);
  useEffect(() => {
    view.current?.dispatch({ effects: setNotes.of(props.notes ?? new Map()) });
  }, [props.notes]);
  useEffect(() => {
    const v = view.current;
    if (!v) return;
    const list: Squiggle[] = (props.problems ?? []).map((p) => {
      const line = v.state.doc.line(Math.min(Math.max(1, p.line ?? 1), v.state.doc.lines));
      const from = Math.min(line.from + Math.max(0, (p.column ?? 1) - 1), line.to);
      return { from, to: p.column ? Math.min(from + 1, line.to) : line.to, severity: p.severity === 'warning' ? 'warning' : 'error', message: [p.message, p.help].filter(Boolean).join('\n') }; // prettier-ignore
    });
    v.dispatch(setDiagnostics(v.state, list));
  }, [props.problems]);

  return <div ref={host} className={props.lines ? 'code code-lines' : 'code code-line'} />;
}
