// SPDX-License-Identifier: Apache-2.0
// The program of a custom block in a window of its own, with a skeleton to begin from and errors where they are.
import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import type { BlockInfo } from '../protocol/messages';
import { edit } from '../state/edit_actions';
import { run } from '../state/run_actions';
import { currentRun } from '../state/state';
import { codeProblems } from '../text/code_problems';
import { OmlField } from '../text/lazy_field';
import { useApp, useEditor } from './context';
import { DialogFrame } from './dialog_frame';

export function CodeDialog({ block }: { block: string }) {
  const editor = useEditor();
  const [info, setInfo] = useState<BlockInfo | null>(null);
  const [text, setText] = useState('');
  const [again, setAgain] = useState(0);
  const revision = useApp((s) => s.doc?.revision ?? 0);
  const checked = useApp((s) => s.problems.revision === (s.doc?.revision ?? -1));
  const list = useApp((s) => s.problems.list);
  // Compilers of other languages are asked when the model runs.
  const ofRun = useApp((s) =>
    currentRun(s)?.revision === s.doc?.revision ? currentRun(s)?.diagnostics : undefined,
  );
  const library = useApp((s) => s.library);
  useEffect(() => {
    void editor.ask<BlockInfo>('inspect', { block }).then((i) => setInfo(i));
  }, [editor, block, revision]);
  const parameter = info?.parameters.find((p) => p.code);
  useEffect(() => setText(parameter?.text ?? ''), [parameter?.text]);
  if (!info || !parameter) return <DialogFrame title="Program">{null}</DialogFrame>;
  const skeleton = library?.types
    .find((t) => t.name === info.type)
    ?.parameters.find((p) => p.name === parameter.name)?.skeleton;
  const problems = codeProblems([...list, ...(ofRun ?? [])], block, parameter.name);
  const keep = async (program = text) => {
    if (program === parameter.text) return true;
    return (await edit(editor, [['set', block, `${parameter.name}=${program}`]], { label: `Program of ${info.name}` })) !== null; // prettier-ignore
  };
  const begin = () => {
    // The function is named after the block.
    const program = skeleton!.replaceAll('NAME', info.name.replace(/\W/g, '_'));
    const steps = [['set', block, `${parameter.name}=${program}`]];
    if (info.parameters.some((p) => p.name === 'function'))
      steps[0]!.push(`function='${info.name.replace(/\W/g, '_')}'`);
    if (info.parameters.some((p) => p.name === 'rpar')) steps[0]!.push('rpar=2');
    void edit(editor, steps, { label: `Skeleton of ${info.name}` }).then(() => setAgain((k) => k + 1));
  };
  return (
    <DialogFrame title={`${info.type} ${info.name}: ${parameter.prompt || parameter.name}`} wide>
      <p className="quiet">{parameter.about}. Ctrl+Enter keeps it; the model is checked at once.</p>
      <div className="code-window">
        <OmlField
          key={`${block}${again}`}
          label={`Program of ${info.name}`}
          text={parameter.text}
          lines
          problems={problems.filter((p) => p.line)}
          onChange={setText}
          onCommit={(t) => void keep(t)}
        />
      </div>
      {problems.length > 0 ? (
        <ul className="code-problems" aria-label="Problems of the program">
          {problems.map((p, k) => (
            <li key={k} className={p.severity === 'warning' ? 'warn' : 'bad'}>
              {p.line ? <b>line {p.line}: </b> : null}
              {p.message}
              {p.help && <small> {p.help}</small>}
            </li>
          ))}
        </ul>
      ) : (
        <p className="quiet">{checked && text === parameter.text ? 'No problem was found in it.' : ' '}</p>
      )}
      <div className="row-of-buttons">
        {skeleton && (
          <Button onPress={begin}>
            {parameter.text ? 'Replace by a skeleton' : 'Begin with a skeleton'}
          </Button>
        )}
        <Button className="primary" onPress={() => void keep()}>
          Keep
        </Button>
        <Button onPress={() => void keep().then((done) => (done ? run(editor) : null))}>Keep and run</Button>
        <Button onPress={() => void keep().then((done) => done && editor.store.set({ dialog: null }))}>
          Keep and close
        </Button>
      </div>
    </DialogFrame>
  );
}
