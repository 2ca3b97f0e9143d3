// SPDX-License-Identifier: Apache-2.0
// The dialog of a command: its arguments and options as fields, what it says while it works, what it has written.
import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import { download } from '../keys/commands';
import type { Tool, ToolOption } from '../protocol/messages';
import {
  type ToolValues,
  ownOptions,
  searchSkeleton,
  startTool,
  stopTool,
  toolsOf,
  usualValues,
  writtenFiles,
} from '../state/tool_actions';
import { useApp, useEditor } from './context';
import { DialogFrame } from './dialog_frame';
import { SweepTable, parseTable } from './sweep_table';

// A line that was written over shows its last state.
const lastStates = (text: string) =>
  text
    .split('\n')
    .map((l) => l.replace(/\r+$/, '').split('\r').pop())
    .join('\n');
const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function Field({
  option,
  value,
  onChange,
}: {
  option: ToolOption;
  value: string;
  onChange: (v: string) => void;
}) {
  // prettier-ignore
  const label = option.name.replace(/^-+/, '');
  const help = <small>{sentence(option.about)}</small>;
  if (option.kind === 'none')
    return (
      <label className="check-field">
        <input
          type="checkbox"
          checked={value !== ''}
          onChange={(e) => onChange(e.target.checked ? 'on' : '')}
        />
        <span>
          {label} {help}
        </span>
      </label>
    );
  return (
    <label className="plain-field tool-field">
      <span>
        {label} {help}
      </span>
      {option.kind === 'choice' ? (
        <select value={value} onChange={(e) => onChange(e.target.value)}>
          <option value="">default</option>
          {option.choices?.map((c) => (
            <option key={c}>{c}</option>
          ))}
        </select>
      ) : option.repeats ? (
        <textarea
          rows={Math.max(2, value.split('\n').length)}
          placeholder={`${option.value ?? ''}, one a line`}
          value={value}
          spellCheck={false}
          onChange={(e) => onChange(e.target.value)}
        />
      ) : (
        <input
          placeholder={option.value}
          value={value}
          spellCheck={false}
          onChange={(e) => onChange(e.target.value)}
        />
      )}
    </label>
  );
}

// Pictures are shown, tables too; everything can be saved.
function Written({ path }: { path: string }) {
  const editor = useEditor();
  const [picture, setPicture] = useState('');
  const [table, setTable] = useState('');
  const [text, setText] = useState('');
  const isFile = /\.[a-z0-9]+$/i.test(path);
  const get = () => editor.http.get(`/file?path=${encodeURIComponent(path)}`);
  useEffect(() => {
    let made = '';
    if (path.endsWith('.svg'))
      get()
        .then((r) => r.blob())
        .then((b) => setPicture((made = URL.createObjectURL(new Blob([b], { type: 'image/svg+xml' })))))
        .catch(() => {});
    if (path.endsWith('.csv'))
      get()
        .then((r) => r.text())
        .then(setTable)
        .catch(() => {});
    if (path.endsWith('.json'))
      get()
        .then((r) => r.text())
        .then(setText)
        .catch(() => {});
    return () => URL.revokeObjectURL(made);
  }, [path]);
  const keep = async () => {
    try {
      download(await (await get()).blob(), path.split('/').pop()!);
    } catch (error) {
      editor.report(error);
    }
  };
  return (
    <section className="tool-file" aria-label={path}>
      <p>
        <code>{path}</code>{' '}
        {isFile ? <Button onPress={() => void keep()}>Save a copy</Button> : 'beside the model'}
      </p>
      {picture && <img alt={`What ${path} shows`} src={picture} />}
      {table && <SweepTable table={parseTable(table)} />}
      {text && (
        <pre className="page" tabIndex={0} aria-label={`Text of ${path}`}>
          {text}
        </pre>
      )}
    </section>
  );
}

// The specification of a search is a text beside the model: read when there is one, written before it is used.
function useSpecification(path: string, model: string) {
  const editor = useEditor();
  const [read, setRead] = useState({ path: '', text: '' });
  useEffect(() => {
    if (!path.endsWith('.opt')) return;
    let late = false;
    const take = (text: string) => !late && setRead({ path, text });
    editor.http
      .get(`/file?path=${encodeURIComponent(path)}`)
      .then((r) => (r.ok ? r.text().then(take) : take(searchSkeleton(model))))
      .catch(() => take(searchSkeleton(model)));
    return () => {
      late = true;
    };
  }, [editor, path, model]);
  const write = () => editor.http.upload(read.path, new Blob([read.text]), true);
  return {
    known: read.path === path,
    text: read.text,
    change: (text: string) => setRead({ path, text }),
    write,
  };
}

export function ToolDialog({ word, title }: { word: string; title: string }) {
  const editor = useEditor();
  const tools = useApp((s) => s.hello?.tools) && toolsOf(editor.state, word);
  const settings = useApp((s) => s.library?.settings) ?? [];
  const state = useApp((s) => s.tool);
  const dirty = useApp((s) => s.doc?.dirty || !s.doc?.path);
  const [command, setCommand] = useState('');
  const [values, setValues] = useState<Record<string, ToolValues>>({});
  const [started, setStarted] = useState<{ tool: Tool; values: ToolValues } | null>(null);
  const tool = tools?.find((t) => t.command === command) ?? tools?.[0];
  const name = (editor.state.doc?.path ?? 'model').replace(/\.orr$/, '');
  const searches = tool?.command === 'optimise';
  const specification = useSpecification(searches ? (values['optimise']?.['SPEC'] ?? `${name}.opt`) : '', `${name.split('/').pop()}.orr`); // prettier-ignore
  if (!tool) return <DialogFrame title={title}>{null}</DialogFrame>;
  const own = { ...usualValues(tool.command, name), ...values[tool.command] };
  const change = (option: string, v: string) =>
    setValues({ ...values, [tool.command]: { ...own, [option]: v } });
  const args = tool.arguments.filter((a) => a !== 'MODEL');
  const [first, rest] = ownOptions(tool, settings.map((s) => s.name)); // prettier-ignore
  const send = async () => {
    setStarted(null);
    try {
      if (searches) await specification.write();
    } catch (error) {
      return editor.report(error);
    }
    if (await startTool(editor, tool, args.map((a) => own[a] ?? ''), own)) setStarted({ tool, values: own }); // prettier-ignore
  };
  const missing = args.some((a) => !own[a]?.trim());
  return (
    <DialogFrame title={title} wide>
      {tools!.length > 1 && (
        <label className="plain-field">
          What to do
          <select value={tool.command} onChange={(e) => setCommand(e.target.value)}>
            {tools!.map((t) => (
              <option key={t.command} value={t.command}>
                {t.command.slice(word.length + 1) || t.command}
              </option>
            ))}
          </select>
        </label>
      )}
      <p className="quiet">{tool.about}.</p>
      <form
        className="tool-form"
        onSubmit={(e) => {
          e.preventDefault();
          void send();
        }}
      >
        {args.map((a) => (
          <label className="plain-field tool-field" key={a}>
            <span>{sentence(a.toLowerCase())}</span>
            <input
              required
              value={own[a] ?? ''}
              spellCheck={false}
              onChange={(e) => change(a, e.target.value)}
            />
          </label>
        ))}
        {searches && specification.known && (
          <label className="plain-field tool-field">
            <span>
              What is sought{' '}
              <small>
                Variables with bounds, what is minimised or fitted, constraints; kept in the file above
              </small>
            </span>
            <textarea
              rows={8}
              spellCheck={false}
              value={specification.text}
              onChange={(e) => specification.change(e.target.value)}
            />
          </label>
        )}
        {first.map((o) => (
          <Field key={o.name} option={o} value={own[o.name] ?? ''} onChange={(v) => change(o.name, v)} />
        ))}
        {rest.length > 0 && (
          <details>
            <summary>Variables and settings of the simulation</summary>
            {rest.map((o) => (
              <Field key={o.name} option={o} value={own[o.name] ?? ''} onChange={(v) => change(o.name, v)} />
            ))}
          </details>
        )}
        <div className="row-of-buttons">
          {/* One button, so that the focus stays in the dialog. */}
          <Button
            type={state.running ? 'button' : 'submit'}
            className="primary"
            isDisabled={missing}
            onPress={() => state.running && void stopTool(editor)}
          >
            {state.running ? 'Stop' : dirty ? 'Save and start' : 'Start'}
          </Button>
        </div>
      </form>
      {(state.text || started) && (
        <pre className="page tool-output" tabIndex={0} aria-label="What the command says" aria-live="polite">
          {lastStates(state.text)}
          {!state.running &&
            state.code !== null &&
            (state.code === 0 ? '\nDone.' : `\nIt ended with code ${state.code}.`)}
        </pre>
      )}
      {started &&
        !state.running &&
        (state.code === 0 || (state.code === 1 && word === 'sweep')) &&
        writtenFiles(started.tool, started.values).map((f) => (
          <Written key={`${f}${state.number}`} path={f} />
        ))}
    </DialogFrame>
  );
}
