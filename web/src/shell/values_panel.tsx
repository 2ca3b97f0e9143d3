// SPDX-License-Identifier: Apache-2.0
// Values of all outputs while a run is paused, and what a run cost.
import { Button } from 'react-aria-components';
import { shortNumber, shortValue } from '../canvas/paint_live';
import { runOptions } from './rerun';
import { currentRun } from '../state/state';
import { run as startRun } from '../state/run_actions';
import { useApp, useEditor } from './context';

export function Values() {
  const editor = useEditor();
  const values = useApp((s) => s.values);
  const paused = useApp((s) => s.paused);
  if (!values || !paused)
    return (
      <div className="empty-panel">
        <p>Pause a run (F6) or step through it (F10): values of all outputs appear here and on the links.</p>
      </div>
    );
  return (
    <div className="table-box" tabIndex={0} role="region" aria-label="Values">
      <p className="quiet">
        t = {shortNumber(paused.t)} · {paused.breakText ? `break: ${paused.breakText}` : paused.reason}
        {paused.event ? ` · ${paused.event.cause} ${paused.event.block ?? ''}` : ''}
      </p>
      <table>
        <tbody>
          {Object.entries(values).map(([path, value]) => (
            <tr key={path}>
              <td>
                <Button onPress={() => void editor.goTo(path.replace(/:\d+$/, ''))}>{path}</Button>
              </td>
              <td className="number">{shortValue(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Report() {
  const editor = useEditor();
  const run = useApp(currentRun);
  if (!run) return <div className="empty-panel"><p>After a run: what it cost, and why.</p></div>; // prettier-ignore
  const r = run.report ?? {};
  const rows: [string, string | number | undefined][] = [
    ['state', run.state],
    ['solver', r.solver && `${r.solver}${r.solver_reason ? ` (${r.solver_reason})` : ''}`],
    ['simulated to', run.t],
    ['seconds', r.seconds ?? run.seconds],
    ['compiling', r.compile_seconds],
    ['steps', r.steps],
    ['rejected steps', r.rejected],
    ['evaluations', r.evaluations],
    ['events', r.events ?? run.events],
    ['crossings', r.crossings],
    ['cold restarts', r.restarts],
  ];
  return (
    <div className="report">
      <dl className="facts">
        {rows.map(([name, value]) =>
          value === undefined || value === '' ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{typeof value === 'number' ? shortNumber(value) : value}</dd>
            </div>
          ),
        )}
      </dl>
      <div>
        {!!r.why_slow?.length && (
          <>
            <h3>Why it took this long</h3>
            <ul>
              {r.why_slow.map((w, k) => (
                <li key={k}>{w}</li>
              ))}
            </ul>
          </>
        )}
        {(run.state === 'failed' || run.state === 'crashed') && (
          <>
            <h3>It did not get to the end</h3>
            {(run.diagnostics ?? []).map((d, k) => (
              <p key={k} className="field-error">
                {d.block ? `${d.block}: ` : ''}
                {d.message}
                {d.help && <span className="help">{d.help}</span>}
              </p>
            ))}
            <div className="row-of-buttons">
              {runOptions(run.report?.solver).map((o) => (
                <Button key={o.label} onPress={() => void startRun(editor, { settings: o.settings })}>
                  {o.label}
                </Button>
              ))}
            </div>
          </>
        )}
      </div>
    </div>
  );
}
