// SPDX-License-Identifier: Apache-2.0
// One parameter: prompt and name, its text, its value below, and what is wrong with it where it is wrong.
import { useEffect, useMemo, useRef, useState } from 'react';
import { Button, ListBox, ListBoxItem, Popover, Select, SelectValue } from 'react-aria-components';
import type { BlockInfo, Diagnostic, Evaluation, ParameterInfo, Value } from '../protocol/messages';
import { useApp, useEditor } from '../shell/context';
import { edit } from '../state/edit_actions';
import { RunAgain } from '../state/run_actions';
import { OmlField } from '../text/lazy_field';

const shape = (v: Value) => (v.rows === 1 && v.cols === 1 ? v.type : `${v.rows}×${v.cols} ${v.type}`);

export function ParameterField({
  blocks,
  parameter,
  first,
}: {
  blocks: readonly BlockInfo[];
  parameter: ParameterInfo;
  first: boolean;
}) {
  // prettier-ignore
  const editor = useEditor();
  const diagram = useApp((s) => s.diagram);
  const problems = useApp((s) => s.problems.list);
  const mixed = blocks.some(
    (b) => b.parameters.find((p) => p.name === parameter.name)?.text !== parameter.text,
  );
  const [typed, setTyped] = useState<string | null>(null);
  const [live, setLive] = useState<{ value: Value | null; error: Diagnostic | null } | null>(null);
  const again = useMemo(() => new RunAgain(editor), [editor]);
  const session = useRef(0);
  const path = blocks[0]!.path;
  const revision = useApp((s) => s.doc?.revision ?? 0);

  useEffect(() => setTyped(null), [parameter.text, path]);
  useEffect(() => setLive(null), [revision]);
  useEffect(() => {
    if (typed === null) return;
    const timer = setTimeout(() => {
      const { doc } = editor.state;
      if (!doc) return;
      editor
        .request<Evaluation>('evaluate', { doc: doc.doc, diagram, texts: [typed] })
        .then((e) => setLive({ value: e.values?.[0] ?? null, error: e.errors?.[0]?.[0] ?? null }))
        .catch(() => {});
    }, 120);
    return () => clearTimeout(timer);
  }, [typed, diagram, editor]);

  const commit = async (text: string, merge?: string) => {
    if (text === parameter.text && !mixed) return;
    if (mixed && text === '') return;
    const done = await edit(editor, blocks.map((b) => ['set', b.path, `${parameter.name}=${text}`]), { label: `Set ${parameter.name}`, merge }); // prettier-ignore
    if (done && editor.state.preferences.autoRun && editor.state.runs.length) void again.ask();
  };
  const reset = () => edit(editor, blocks.map((b) => ['unset', b.path, parameter.name]), { label: `Reset ${parameter.name}` }); // prettier-ignore
  const wrong = live?.error ?? problems.find((p) => p.block === path && p.port === `parameter ${parameter.name}`) ?? null; // prettier-ignore
  const value = live ? live.value : (parameter.value ?? null);
  const id = `p-${parameter.name}`;
  const choices = parameter.kind === 'check' ? ['true', 'false'] : (parameter.choices ?? []);
  return (
    <div
      className={`field${wrong ? ' wrong' : ''}`}
      data-first-field={first || undefined}
      data-parameter={parameter.name}
    >
      <div className="field-head">
        <label id={id}>{parameter.prompt || parameter.about || parameter.name}</label>
        <code>{parameter.name}</code>
        {parameter.code && blocks.length === 1 && (
          <Button
            className="quiet-button"
            onPress={() => editor.store.set({ dialog: { kind: 'code', block: path } })}
          >
            Open…
          </Button>
        )}
        {parameter.given && (
          <Button
            className="reset"
            aria-label={`Reset ${parameter.name} to ${parameter.default}`}
            onPress={() => void reset()}
          >
            ↺
          </Button>
        )}
      </div>
      {choices.length > 0 && choices.includes(parameter.text.replace(/^'(.*)'$/, '$1')) ? (
        <Select
          aria-labelledby={id}
          selectedKey={parameter.text.replace(/^'(.*)'$/, '$1')}
          onSelectionChange={(key) => void commit(parameter.text.startsWith("'") ? `'${key}'` : String(key))}
        >
          <Button className="select">
            <SelectValue />
            <span aria-hidden="true">▾</span>
          </Button>
          <Popover>
            <ListBox className="menu">
              {choices.map((c) => (
                <ListBoxItem key={c} id={c}>
                  {c}
                </ListBoxItem>
              ))}
            </ListBox>
          </Popover>
        </Select>
      ) : (
        <OmlField
          key={path + parameter.name}
          label={`${parameter.prompt || parameter.about || parameter.name} (${parameter.name})`}
          text={mixed ? '' : parameter.text}
          lines={parameter.code}
          onChange={setTyped}
          onCommit={(t) => void commit(t)}
          onScrub={(t, done) => {
            session.current ||= Date.now();
            void commit(t, `scrub ${session.current}`);
            if (done) session.current = 0;
          }}
        />
      )}
      {mixed && <p className="field-value">different values; what you type is set for all {blocks.length}</p>}
      {wrong ? (
        <p className="field-error" role="alert">
          {wrong.message}
          {wrong.help && <span className="help">{wrong.help}</span>}
        </p>
      ) : (
        !mixed &&
        value &&
        (value.text !== (typed ?? parameter.text) || value.rows * value.cols > 1) && (
          <p className="field-value">
            = {value.text} <span>{shape(value)}</span>
          </p>
        )
      )}
    </div>
  );
}
