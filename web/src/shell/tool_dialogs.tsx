// SPDX-License-Identifier: Apache-2.0
// Tools beside the sheet: simulation settings, initialization, masks, comparison, linearisation, FMU import, export.
import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import { SettingsList } from '../inspector/simulation';
import { download } from '../keys/commands';
import type { DiagramInfo, Difference, MaskItem } from '../protocol/messages';
import { edit } from '../state/edit_actions';
import { join } from '../state/paths';
import { currentRun } from '../state/state';
import { LinesEditor } from '../text/context_editor';
import { useApp, useEditor } from './context';
import { DialogFrame } from './dialog_frame';
import { FileList } from './file_dialogs';

export function SimulationDialog() {
  const solvers = useApp((s) => s.library?.solvers) ?? [];
  return (
    <DialogFrame title="Simulation settings" wide>
      <SettingsList />
      <details>
        <summary>The solvers</summary>
        <dl className="facts wide-facts">
          {solvers.map((s) => (
            <div key={s.name}>
              <dt>
                <code>{s.name}</code>
              </dt>
              <dd>{[s.about, s.summary].filter(Boolean).join(': ')}</dd>
            </div>
          ))}
        </dl>
      </details>
    </DialogFrame>
  );
}

export function InitializationDialog() {
  return (
    <DialogFrame title="Initialization" wide>
      <p className="quiet">Runs once before all contexts.</p>
      <LinesEditor kind="initialization" />
    </DialogFrame>
  );
}

const kinds = ['', 'choice', 'check'];

// The parameters that a super block shows to the outside: name and prompt side by side.
export function MaskDialog() {
  const editor = useEditor();
  const { diagram, selection, scene } = editor.state;
  const chosen = scene.blocks.find((b) => selection.blocks.has(b.name) && b.super);
  const path = chosen ? join(diagram, chosen.name) : diagram;
  const [mask, setMask] = useState<MaskItem[] | null>(null);
  useEffect(() => {
    void editor.ask<DiagramInfo>('diagram', { diagram: path }).then((i) => setMask(i?.mask ?? []));
  }, [editor, path]);
  if (!mask) return <DialogFrame title="Mask">{null}</DialogFrame>;
  const change = (k: number, part: Partial<MaskItem>) =>
    setMask(mask.map((m, j) => (j === k ? { ...m, ...part } : m)));
  const send = async () => {
    const clean = mask.filter((m) => m.name).map((m) => Object.fromEntries(Object.entries(m).filter(([, v]) => v !== '' && !(Array.isArray(v) && !v.length)))); // prettier-ignore
    if (await edit(editor, [['mask', path, JSON.stringify(clean)]], { label: 'Change mask' }))
      editor.store.set({ dialog: null });
  };
  const auto = async () => {
    if (!(await edit(editor, [['automask', path]], { label: 'Auto-mask' }))) return;
    const info = await editor.ask<DiagramInfo>('diagram', { diagram: path });
    if (info) setMask(info.mask);
  };
  const cell = (
    k: number,
    field: 'name' | 'prompt' | 'default' | 'visible' | 'valid' | 'message',
    label: string,
  ) => (
    <td>
      <input
        aria-label={`${label} of parameter ${k + 1}`}
        value={mask[k]![field] ?? ''}
        onChange={(e) => change(k, { [field]: e.target.value })}
        spellCheck={false}
      />
    </td>
  );
  return (
    <DialogFrame title={`Mask of ${path}`} wide>
      <div className="table-box" tabIndex={0} role="region" aria-label="Parameters of the mask">
        <table className="mask-table">
          <thead>
            <tr>
              {['name', 'prompt', 'default', 'kind', 'choices', 'visible if', 'valid if', 'message', ''].map(
                (h) => (
                  <th key={h}>{h}</th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {mask.map((m, k) => (
              <tr key={k}>
                {cell(k, 'name', 'Name')}
                {cell(k, 'prompt', 'Prompt')}
                {cell(k, 'default', 'Default')}
                <td>
                  <select
                    aria-label={`Kind of parameter ${k + 1}`}
                    value={m.kind ?? ''}
                    onChange={(e) => change(k, { kind: e.target.value })}
                  >
                    {kinds.map((kind) => (
                      <option key={kind} value={kind}>
                        {kind || 'value'}
                      </option>
                    ))}
                  </select>
                </td>
                <td>
                  <input
                    aria-label={`Choices of parameter ${k + 1}`}
                    value={(m.choices ?? []).join(', ')}
                    onChange={(e) =>
                      change(k, {
                        choices: e.target.value
                          .split(',')
                          .map((c) => c.trim())
                          .filter(Boolean),
                      })
                    }
                  />
                </td>
                {cell(k, 'visible', 'Condition to show')}
                {cell(k, 'valid', 'Condition of validity')}
                {cell(k, 'message', 'Message')}
                <td>
                  <Button
                    aria-label={`Remove parameter ${m.name}`}
                    onPress={() => setMask(mask.filter((_, j) => j !== k))}
                  >
                    ×
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {!mask.length && <p className="quiet">No parameters: the inside sees the variables outside.</p>}
      <div className="row-of-buttons">
        <Button onPress={() => setMask([...mask, { name: `p${mask.length + 1}`, default: '1' }])}>
          Add parameter
        </Button>
        <Button onPress={() => void auto()}>Auto-mask</Button>
        <Button className="primary" onPress={() => void send()}>
          Keep
        </Button>
      </div>
    </DialogFrame>
  );
}

export function DiffDialog() {
  const editor = useEditor();
  const [against, setAgainst] = useState('file');
  const [choosing, setChoosing] = useState(false);
  const [answer, setAnswer] = useState<{ differences: Difference[]; svg?: string } | null>(null);
  useEffect(() => {
    void editor.ask<{ differences: Difference[]; svg?: string }>('diff', { with: against }).then(setAnswer);
  }, [editor, against]);
  return (
    <DialogFrame
      title={against === 'file' ? 'Changes since the file was saved' : `Compared with ${against}`}
      wide
    >
      <div className="row-of-buttons">
        <Button onPress={() => setAgainst('file')}>The saved file</Button>
        <Button onPress={() => setChoosing(!choosing)}>Another model…</Button>
      </div>
      {choosing && (
        <FileList
          onOpen={(path) => {
            setAgainst(path);
            setChoosing(false);
          }}
        />
      )}{' '}
      {/* prettier-ignore */}
      {answer?.svg && (
        <img
          className="diff-picture"
          alt="Differences drawn"
          src={`data:image/svg+xml;utf8,${encodeURIComponent(answer.svg)}`}
        />
      )}
      {answer && !answer.differences.length && <p>No differences.</p>}
      <div className="table-box" tabIndex={0} role="region" aria-label="Differences">
        <table>
          <tbody>
            {answer?.differences.map((d, k) => (
              <tr key={k} className={`diff-${d.kind}`}>
                <td>{d.kind}</td>
                <td>
                  <Button
                    onPress={() => {
                      editor.store.set({ dialog: null });
                      void editor.goTo(d.path);
                    }}
                  >
                    {d.path}
                  </Button>{' '}
                  {/* prettier-ignore */}
                </td>
                <td>{d.field ?? d.what}</td>
                <td>
                  {d.before !== undefined && <del>{d.before}</del>}{' '}
                  {d.after !== undefined && <ins>{d.after}</ins>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </DialogFrame>
  );
}

export function TextDialog({ what, title }: { what: 'schedule'; title: string }) {
  const editor = useEditor();
  const [text, setText] = useState('');
  useEffect(() => {
    void editor.ask<{ text: string }>(what).then((a) => setText(a?.text ?? ''));
  }, [editor, what]);
  return (
    <DialogFrame title={title} wide>
      <pre className="page" tabIndex={0}>
        {text}
      </pre>
    </DialogFrame>
  );
}

export function LineariseDialog() {
  const editor = useEditor();
  const [at, setAt] = useState('0');
  const [text, setText] = useState('');
  const path =
    editor.state.selection.blocks.size === 1
      ? join(editor.state.diagram, [...editor.state.selection.blocks][0]!)
      : '';
  const send = async () => {
    const answer = await editor.ask<{ model: unknown }>('linearise', {
      ...(path ? { block: path } : {}),
      at: Number(at),
    });
    if (answer) setText(JSON.stringify(answer.model, null, 2));
  };
  return (
    <DialogFrame title={path ? `Linearise ${path}` : 'Linearise the model'} wide>
      <form
        className="bar"
        onSubmit={(e) => {
          e.preventDefault();
          void send();
        }}
      >
        {' '}
        {/* prettier-ignore */}
        <label>
          at time <input value={at} onChange={(e) => setAt(e.target.value)} size={8} />
        </label>
        <Button type="submit" className="primary">
          Linearise
        </Button>
      </form>
      {text && (
        <>
          <pre className="page" tabIndex={0}>
            {text}
          </pre>
          <Button onPress={() => download(new Blob([text], { type: 'application/json' }), 'linear.json')}>
            Save as JSON
          </Button>
        </>
      )}
    </DialogFrame>
  );
}

// An FMU is copied into the model's folder, then placed as a block that names it.
export function FmuDialog() {
  const editor = useEditor();
  const type = useApp((s) =>
    s.library?.types.find((t) => t.name === 'FMU' || t.name === 'FMUBlock' || t.name === 'Fmu'),
  );
  const [path, setPath] = useState('');
  const take = async (file: File) => {
    try {
      setPath((await editor.http.upload(file.name, file)).path);
    } catch (error) {
      editor.report(error);
    }
  };
  const place = async () => {
    if (!type) return;
    const parameter =
      type.parameters.find((p) => /file|path|fmu/i.test(p.name))?.name ?? type.parameters[0]?.name ?? 'file';
    await edit(
      editor,
      [['add', type.name, 'in', editor.state.diagram, 'at', '0,0', `${parameter}='${path}'`]],
      { label: `Import ${path}`, select: 'made' },
    );
    editor.store.set({ dialog: null });
  };
  return (
    <DialogFrame title="Import an FMU">
      <p>
        Choose a file from this computer, or one that is already in the folder. Its code runs only after you
        allow it, in a process of its own.
      </p>
      <input
        type="file"
        accept=".fmu"
        aria-label="FMU file"
        onChange={(e) => e.target.files?.[0] && void take(e.target.files[0])}
      />
      <FileList models={false} onOpen={setPath} />
      {path && <p>Chosen: {path}. All options of the block are in the inspector once it is placed.</p>}
      <div className="row-of-buttons">
        <Button className="primary" isDisabled={!path || !type} onPress={() => void place()}>
          Place the block
        </Button>
      </div>
    </DialogFrame>
  );
}

export function ExportDialog() {
  const editor = useEditor();
  const run = useApp(currentRun);
  const get = async (suffix: string) => {
    try {
      const answer = await editor.http.get(`/results/${run?.run}.${suffix}`);
      download(await answer.blob(), `${editor.state.doc?.name || 'run'}.${suffix}`);
    } catch (error) {
      editor.report(error);
    }
  };
  return (
    <DialogFrame title="Export results">
      <p>
        Run {run?.run}: {run?.rows} rows, {run?.columns?.length} columns.
      </p>
      <div className="row-of-buttons">
        <Button onPress={() => void get('csv')}>CSV</Button>
      </div>
      <p className="quiet">
        C code and FMUs: <code>orrery export</code> on the saved file.
      </p>
    </DialogFrame>
  );
}
