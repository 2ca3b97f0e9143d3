// SPDX-License-Identifier: Apache-2.0
// All scopes side by side, and the runs that are shown in them.
import { useEffect, useMemo, useState } from 'react';
import { Button, ToggleButton } from 'react-aria-components';
import { useApp, useEditor } from '../shell/context';
import { popOut, popped } from '../shell/pop_out';
import { pin, run as startRun } from '../state/run_actions';
import { listenForFrames, useEvents } from './run_data';
import { runLegend, scopeGroups } from './scope_groups';
import { ScopePlot } from './scope_plot';

export default function ScopePanel() {
  const editor = useEditor();
  const runs = useApp((s) => s.runs);
  const current = useApp((s) => s.run);
  const [range, setRange] = useState<[number, number] | null>(null);
  const [only, setOnly] = useState<string | null>(null);
  useEffect(() => listenForFrames(editor), [editor]);
  const run = runs.find((r) => r.run === current) ?? null;
  // While a new run has no curves yet, the one before stays.
  const before = [...runs].reverse().find((r) => r.run !== current && r.columns?.length);
  const shown = run?.columns?.length ? run : (before ?? run);
  const groups = useMemo(() => scopeGroups(shown), [shown?.run, shown?.columns]);
  const events = useEvents(editor, shown);
  const older = useMemo(
    () =>
      runs.filter(
        (r) => r.run !== shown?.run && r.columns?.length && (r.pinned || r.run >= (shown?.run ?? 0) - 5),
      ),
    [runs, shown?.run],
  );
  if (!shown || !groups.length)
    return (
      <div className="empty-panel">
        <p>No curves yet: add a Scope, or click a link and press Record.</p>
        <div className="row-of-buttons">
          <Button onPress={() => editor.store.set({ adding: { at: [0, 0], text: 'Scope', from: null } })}>
            Add a Scope
          </Button>
          <Button onPress={() => void startRun(editor)}>Run</Button>
        </div>
      </div>
    );
  const visible =
    only && groups.some((g) => g.block === only)
      ? groups.filter((g) => g.block === only)
      : groups.slice(0, 6);
  return (
    <div className="scopes">
      <div className="run-list" role="toolbar" aria-label="Runs">
        {groups.length > 1 && (
          <select
            aria-label="Scopes shown"
            value={only ?? ''}
            onChange={(e) => setOnly(e.target.value || null)}
          >
            <option value="">all {groups.length} scopes</option>
            {groups.map((g) => (
              <option key={g.block} value={g.block}>
                {g.title}
              </option>
            ))}
          </select>
        )}
        {[...older, shown].map((r) => (
          <span key={r.run} className={r.run === shown.run ? 'run current' : 'run'}>
            <Button onPress={() => editor.store.set({ run: r.run })}>{runLegend(r)}</Button>
            <ToggleButton
              isSelected={r.pinned ?? false}
              onChange={(on) => void pin(editor, r, on)}
              aria-label={`Keep ${runLegend(r)}`}
            >
              {r.pinned ? '★' : '☆'}
            </ToggleButton>
          </span>
        ))}
        <span className="grow" />
        {!popped && (
          <Button aria-label="Scopes in a window of their own" onPress={() => popOut(editor)}>
            Window
          </Button>
        )}
      </div>
      <div
        className="scope-grid"
        style={{ gridTemplateColumns: `repeat(${Math.min(visible.length, 3)}, minmax(0, 1fr))` }}
      >
        {visible.map((g) => (
          <ScopePlot
            key={g.block}
            run={shown}
            older={older}
            group={g}
            events={events}
            range={range}
            onRange={setRange}
          />
        ))}
      </div>
    </div>
  );
}
