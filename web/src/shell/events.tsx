// SPDX-License-Identifier: Apache-2.0
// The event ledger: what happened when, why, and why not.
import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import { shortNumber } from '../canvas/paint_live';
import type { EventRow, Explanation } from '../protocol/messages';
import type { Editor } from '../state/editor';
import { blockIn } from '../state/paths';
import { currentRun } from '../state/state';
import { useApp, useEditor } from './context';

const page = 200;

function light(editor: Editor, paths: readonly string[]) {
  const names = paths.flatMap((p) => blockIn(editor.state.diagram, p) ?? []);
  editor.store.set({ highlight: new Set(names) });
}

export function Events() {
  const editor = useEditor();
  const run = useApp(currentRun);
  const wanted = useApp((s) => s.event);
  const [filter, setFilter] = useState('');
  const [from, setFrom] = useState(0);
  const [ledger, setLedger] = useState<{ total: number; rows: EventRow[] }>({ total: 0, rows: [] });
  const [why, setWhy] = useState<Explanation | null>(null);
  const id = run?.run ?? -1;
  const count = run?.events ?? 0;
  useEffect(() => {
    if (id < 0) return setLedger({ total: 0, rows: [] });
    let gone = false;
    editor.http
      .json<{ total: number; rows: EventRow[] }>(
        `/events?run=${id}&from=${from}&count=${page}${filter ? `&filter=${encodeURIComponent(filter)}` : ''}`,
      ) // prettier-ignore
      .then((l) => !gone && setLedger(l))
      .catch(() => !gone && setLedger({ total: 0, rows: [] }));
    return () => {
      gone = true;
    };
  }, [editor, id, from, filter, run?.state, count]);
  const explain = async (event: number) => {
    editor.store.set({ event });
    try {
      const answer = await editor.request<Explanation>('explain', { run: id, event });
      setWhy(answer);
      light(editor, answer.blocks ?? (answer.event?.block ? [answer.event.block] : []));
    } catch (error) {
      editor.report(error);
    }
  };
  useEffect(() => {
    if (wanted === null || why?.event?.id === wanted || id < 0) return;
    if (wanted < from || wanted >= from + page) setFrom(Math.max(0, wanted - 20));
    void explain(wanted);
  }, [wanted, id]);
  if (!run) return <div className="empty-panel"><p>Run the model: every activation is recorded here.</p></div>; // prettier-ignore
  return (
    <div className="events">
      <div className="events-list">
        <div className="bar">
          <input
            aria-label="Filter events"
            placeholder="Filter by cause or block"
            value={filter}
            onChange={(e) => {
              setFilter(e.target.value);
              setFrom(0);
            }}
          />{' '}
          {/* prettier-ignore */}
          <span>
            {ledger.total ? `${from + 1}–${Math.min(from + page, ledger.total)} of ${ledger.total}` : 'no events'}
          </span>
          <Button
            isDisabled={from === 0}
            onPress={() => setFrom(Math.max(0, from - page))}
            aria-label="Earlier"
          >
            ‹
          </Button>
          <Button
            isDisabled={from + page >= ledger.total}
            onPress={() => setFrom(from + page)}
            aria-label="Later"
          >
            ›
          </Button>
        </div>
        <div className="table-box" tabIndex={0} role="region" aria-label="Events">
          <table>
            <thead>
              <tr>
                <th>time</th>
                <th>cause</th>
                <th>block</th>
                <th>before → after</th>
                <th>restart</th>
                <th></th>
              </tr>
            </thead>
            <tbody>
              {ledger.rows.map((e) => (
                <tr key={e.id} className={e.id === wanted ? 'chosen' : ''}>
                  <td>{shortNumber(e.t)}</td>
                  <td>{e.cause}</td>
                  <td>{e.block && <Button onPress={() => void editor.goTo(e.block!)}>{e.block}</Button>}</td>
                  <td>
                    {e.left !== undefined && e.right !== undefined
                      ? `${shortNumber(e.left)} → ${shortNumber(e.right)}`
                      : ''}
                  </td>
                  <td>{e.restarted ? 'yes' : ''}</td>
                  <td>
                    <Button onPress={() => void explain(e.id)} aria-label={`Why the event at ${e.t}`}>
                      why
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
      <WhyPanel run={id} why={why} onWhy={setWhy} onEvent={(e) => void explain(e)} />
    </div>
  );
}

function WhyPanel({
  run,
  why,
  onWhy,
  onEvent,
}: {
  run: number;
  why: Explanation | null;
  onWhy: (w: Explanation) => void;
  onEvent: (id: number) => void;
}) {
  // prettier-ignore
  const editor = useEditor();
  const selected = useApp((s) => (s.selection.blocks.size === 1 ? (s.block?.path ?? '') : ''));
  const [t, setT] = useState('');
  const whyNot = async () => {
    try {
      onWhy(await editor.request<Explanation>('explain', { run, block: selected, t: Number(t) }));
    } catch (error) {
      editor.report(error);
    }
  };
  return (
    <aside className="why" aria-label="Explanation" aria-live="polite">
      {why ? (
        <>
          {why.text.map((line, k) => (
            <p key={k}>{line}</p>
          ))}
          {why.surface && <p className="quiet">surface: {why.surface}</p>}
          {!!why.activates?.length && (
            <ol>
              {why.activates.map((a) => (
                <li key={a.block}>
                  <Button onPress={() => void editor.goTo(a.block)}>{a.block}</Button> {a.type}
                </li>
              ))}
            </ol>
          )}
          <div className="row-of-buttons">
            {why.before && <Button onPress={() => onEvent(why.before!.id)}>‹ event before</Button>}
            {why.after && <Button onPress={() => onEvent(why.after!.id)}>event after ›</Button>}
          </div>
        </>
      ) : (
        <p className="quiet">Press “why” beside an event, or click a tick below a curve.</p>
      )}
      <form
        className="bar"
        onSubmit={(e) => {
          e.preventDefault();
          void whyNot();
        }}
      >
        <label>
          Why not {selected || '(select a block)'} at t =
          <input
            aria-label="Time of the question"
            value={t}
            onChange={(e) => setT(e.target.value)}
            size={6}
          />
        </label>
        <Button type="submit" isDisabled={!selected || t === ''}>
          why not
        </Button>
      </form>
    </aside>
  );
}
