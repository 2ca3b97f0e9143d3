// SPDX-License-Identifier: Apache-2.0
// Simulation settings, initialization, schedule, linearisation.
import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import { SettingsList } from '../inspector/simulation';
import { download } from '../keys/commands';
import { join } from '../state/paths';
import { LinesEditor } from '../text/context_editor';
import { useApp, useEditor } from './context';
import { DialogFrame } from './dialog_frame';

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

// Rows of matrices stay on one line.
export const matrixText = (model: unknown) =>
  JSON.stringify(model, null, 2).replace(/\[\s*([^[\]{}]*?)\s*\]/g, (_all, inside: string) => `[${inside.replace(/\s+/g, ' ')}]`); // prettier-ignore

export function LineariseDialog() {
  const editor = useEditor();
  const [at, setAt] = useState('0');
  const [inputs, setInputs] = useState('');
  const [outputs, setOutputs] = useState('');
  const names = (text: string) => text.split(/[\s,]+/).filter(Boolean);
  const [text, setText] = useState('');
  const path =
    editor.state.selection.blocks.size === 1
      ? join(editor.state.diagram, [...editor.state.selection.blocks][0]!)
      : '';
  const send = async () => {
    const answer = await editor.ask<{ model: unknown }>('linearise', {
      ...(path ? { block: path } : {}),
      at: Number(at),
      ...(inputs.trim() ? { inputs: names(inputs) } : {}),
      ...(outputs.trim() ? { outputs: names(outputs) } : {}),
    });
    if (answer) setText(matrixText(answer.model));
  };
  return (
    <DialogFrame title={path ? `Linearise ${path}` : 'Linearise the model'} wide>
      <p className="quiet">
        The exact linear model around the point of the run at a time: matrices A, B, C, D and the poles.
        Without names, the ports of the {path ? 'block' : 'model'} are inputs and outputs.
      </p>
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
        <label>
          inputs{' '}
          <input value={inputs} placeholder="/Force" onChange={(e) => setInputs(e.target.value)} size={14} />
        </label>
        <label>
          outputs{' '}
          <input
            value={outputs}
            placeholder="/Position"
            onChange={(e) => setOutputs(e.target.value)}
            size={14}
          />
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
