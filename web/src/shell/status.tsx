// SPDX-License-Identifier: Apache-2.0
// The line at the bottom: state of the check, size, the last run; and short messages.
import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import { shortNumber } from '../canvas/paint_live';
import { currentRun } from '../state/state';
import { useApp, useEditor } from './context';

function runText(run: ReturnType<typeof currentRun>): string {
  if (!run) return 'not run yet';
  const ms = run.seconds !== undefined ? `${Math.max(1, Math.round(run.seconds * 1000))} ms` : '';
  switch (run.state) {
    case 'ended':
      return `simulated to ${shortNumber(run.t ?? run.stop ?? 0)} in ${ms}${run.events ? `, ${run.events} events` : ''}`;
    case 'paused':
      return `paused at ${shortNumber(run.t ?? 0)}`;
    case 'failed':
    case 'crashed':
      return `failed at ${shortNumber(run.t ?? 0)}`;
    case 'stopped':
      return `stopped at ${shortNumber(run.t ?? 0)}`;
    default:
      return run.state;
  }
}

// True when the check of the present revision has not come for 300 ms.
function useChecking(): boolean {
  const revision = useApp((s) => s.doc?.revision ?? -1);
  const checked = useApp((s) => s.problems.revision);
  const [late, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (revision < 0 || checked === revision) return;
    const timer = setTimeout(() => setLate(true), 300);
    return () => clearTimeout(timer);
  }, [revision, checked]);
  return late;
}

export function StatusLine() {
  const editor = useEditor();
  const problems = useApp((s) => s.problems);
  const blocks = useApp((s) => s.scene.blocks.length);
  const links = useApp((s) => s.scene.links.length);
  const run = useApp(currentRun);
  const checking = useChecking();
  const tabs = useApp((s) => s.tabs);
  const doc = useApp((s) => s.doc);
  const bottomOpen = useApp((s) => s.preferences.bottomOpen);
  const show = () => editor.prefer({ bottomOpen: true, bottomTab: 'problems' });
  return (
    <footer className="status-line">
      <Button
        className={`check ${problems.errors ? 'bad' : problems.warnings ? 'warn' : 'good'}`}
        onPress={show}
      >
        <i className={checking ? 'dot busy' : 'dot'} />
        {checking
          ? 'checking…'
          : problems.errors
            ? `${problems.errors} error${problems.errors > 1 ? 's' : ''}`
            : problems.warnings
              ? `${problems.warnings} warning${problems.warnings > 1 ? 's' : ''}`
              : 'no problems'}
      </Button>
      {doc && (
        <span>
          {blocks} blocks, {links} links
          {blocks > 60 ? ' – a sheet is easier to read with about 40: group some?' : ''}
        </span>
      )}
      <span className="last-run">{runText(run)}</span>
      <span className="grow" />
      {tabs > 1 && <span>{tabs} tabs on this model</span>}
      {!bottomOpen && (
        <Button className="quiet-button" onPress={() => editor.prefer({ bottomOpen: true })}>
          Results ▴
        </Button>
      )}
    </footer>
  );
}

export function Toasts() {
  const editor = useEditor();
  const toasts = useApp((s) => s.toasts);
  return (
    <div className="toasts">
      {toasts.map((t) => (
        <div key={t.id} className={`toast ${t.kind}`}>
          <div>
            {t.text}
            {t.help && <small>{t.help}</small>}
          </div>
          {t.action && <Button onPress={t.action.run}>{t.action.label}</Button>}
          <Button aria-label="Close this message" onPress={() => editor.dropToast(t.id)}>
            ×
          </Button>
        </div>
      ))}
    </div>
  );
}
