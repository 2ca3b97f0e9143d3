// SPDX-License-Identifier: Apache-2.0
// One line of tools: search, running, stop time, solver, speed.
import { Button } from 'react-aria-components';
import type { SheetView } from '../canvas/sheet_view';
import { perform } from '../keys/commands';
import { keysOf, shownKey } from '../keys/table';
import { SettingField } from '../inspector/simulation';
import { runMemory } from '../state/run_actions';
import { currentRun, isRunning } from '../state/state';
import { useApp, useEditor } from './context';
import { useState } from 'react';
import { shortNumber } from '../canvas/paint_live';

const glyphs: Record<string, React.ReactNode> = {
  run: <path d="M5 3.5v13l11-6.5z" />,
  pause: <path d="M5 4h3.5v12H5zM11.5 4H15v12h-3.5z" />,
  stop: <path d="M5 5h10v10H5z" />,
  'step-event': <path d="M3 4v12l8-6zM13 4h2.5v12H13z" />,
  'step-step': <path d="M4 9h8V5.5L17 10l-5 4.5V11H4z" />,
  undo: <path d="M8 4 3 8.5 8 13v-3h3.5a3 3 0 0 1 0 6H8v2h3.5a5 5 0 0 0 0-10H8z" />,
  redo: <path d="m12 4 5 4.5-5 4.5v-3H8.500a3 3 0 0 0 0 6H12v2H8.500a5 5 0 0 1 0-10H12z" />,
  save: <path d="M3 3h11l3 3v11H3zM6 4.500v4h7v-4zM6 11v5h8v-5z" fillRule="evenodd" />,
};

export function Glyph({ name }: { name: string }) {
  return (
    <svg viewBox="0 0 20 20" width="16" height="16" fill="currentColor" aria-hidden="true">
      {glyphs[name]}
    </svg>
  );
}

function Tool({
  id,
  label,
  sheet,
  disabled,
  primary,
}: {
  id: string;
  label: string;
  sheet: SheetView | null;
  disabled?: boolean;
  primary?: boolean;
}) {
  // prettier-ignore
  const editor = useEditor();
  const key = keysOf(id)[0];
  return (
    <Button
      className={primary ? 'tool primary' : 'tool'}
      aria-label={label}
      isDisabled={disabled}
      onPress={() => perform(id, editor, sheet)}
    >
      <Glyph name={id} />
      {primary && <span>{label}</span>}
      <span className="tool-tip" aria-hidden="true">
        {label} {key && <kbd>{shownKey(key)}</kbd>}
      </span>
    </Button>
  );
}

// How long the rest takes at the speed of the moment; nothing where it is over before it is read.
export function remaining(progress: { t: number; speed: number }, stop: number | undefined): string {
  const seconds = stop === undefined ? NaN : (stop - progress.t) / progress.speed;
  if (!Number.isFinite(seconds) || seconds < 2) return '';
  if (seconds < 100) return ` · ${Math.round(seconds)} s left`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? ` · ${minutes} min left` : ` · ${Math.round(minutes / 60)} h left`;
}

export function ToolBar({ sheet }: { sheet: SheetView | null }) {
  const editor = useEditor();
  const doc = useApp((s) => s.doc);
  const state = useApp((s) => currentRun(s)?.state);
  const running = useApp(isRunning);
  const progress = useApp((s) => s.progress);
  const end = useApp((s) => currentRun(s)?.stop);
  const settings = useApp((s) => s.library?.settings);
  const [speed, setSpeed] = useState(runMemory.speed);
  const stop = settings?.find((s) => s.name === 'stop');
  const solver = settings?.find((s) => s.name === 'solver');
  return (
    <div className="tool-bar" role="toolbar" aria-label="Tools">
      <Button className="search" onPress={() => perform('commands', editor, sheet)}>
        <svg
          viewBox="0 0 20 20"
          width="14"
          height="14"
          fill="none"
          stroke="currentColor"
          strokeWidth="2"
          aria-hidden="true"
        >
          <circle cx="8.5" cy="8.500" r="5.5" />
          <path d="m13 13 4 4" />
        </svg>
        <span>Blocks and commands</span>
        <kbd>{shownKey('Ctrl+K')}</kbd>
      </Button>
      <div className="tool-group">
        <Tool id="save" label="Save" sheet={sheet} disabled={!doc} />
        <Tool id="undo" label={`Undo ${doc?.undo ?? ''}`} sheet={sheet} disabled={!doc?.undo} />
        <Tool id="redo" label={`Redo ${doc?.redo ?? ''}`} sheet={sheet} disabled={!doc?.redo} />
      </div>
      <div className="tool-group">
        <Tool id="run" label={state === 'paused' ? 'Go on' : 'Run'} sheet={sheet} disabled={!doc} primary />
        <Tool id="pause" label="Pause" sheet={sheet} disabled={!running} />
        <Tool id="step-event" label="Step to the next event" sheet={sheet} disabled={!doc} />
        <Tool id="step-step" label="Step of the solver" sheet={sheet} disabled={!doc} />
        <Tool id="stop" label="Stop" sheet={sheet} disabled={!running} />
      </div>
      {doc && stop && <SettingField setting={stop} compact />}
      {doc && solver && <SettingField setting={solver} compact />}
      <label className="setting">
        <span>speed</span>
        <select
          value={speed}
          onChange={(e) => {
            runMemory.speed = Number(e.target.value);
            setSpeed(runMemory.speed);
          }}
        >
          <option value={0}>fastest</option>
          <option value={0.1}>× 0.1</option>
          <option value={1}>real time</option>
          <option value={10}>× 10</option>
        </select>
      </label>
      {running && state !== 'paused' && progress && (
        <div
          className="progress"
          role="progressbar"
          aria-label="Progress of the run"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(100 * (progress.share ?? 0))}
        >
          <i style={{ width: `${100 * Math.min(1, progress.share ?? 0)}%` }} />
          <span>
            t = {shortNumber(progress.t)} · {shortNumber(progress.speed)} s/s{remaining(progress, end)}
          </span>
        </div>
      )}
    </div>
  );
}
