// SPDX-License-Identifier: Apache-2.0
// Samples of runs: fetched for what is visible, and pushed while a run is under way.
import { useEffect, useState } from 'react';
import type { EventRow, RunInfo } from '../protocol/messages';
import { type Curves, type SampleFrame, decodeSamples, toCurves } from '../protocol/samples';
import type { Editor } from '../state/editor';

export const noCurves: Curves = { x: new Float64Array(0), y: [] };

export async function fetchCurves(
  editor: Editor,
  run: number,
  signals: readonly number[],
  range: [number, number] | null,
  pixels: number,
): Promise<Curves> {
  const part = range ? `&from=${range[0]}&to=${range[1]}` : '';
  const answer = await editor.http.get(
    `/samples?run=${run}&signals=${signals.join(',')}${part}&pixels=${pixels}`,
  );
  return toCurves(decodeSamples(await answer.arrayBuffer()));
}

// Watches: frames go to whoever asked for them.
const watchers = new Map<number, (frame: SampleFrame) => void>();
export function listenForFrames(editor: Editor) {
  editor.onFrame = (frame) => {
    watchers.get(frame.watch)?.(frame);
    editor.connection.tell('acknowledge', { watch: frame.watch });
  };
}

// Curves of a run: live while it runs, fetched when it ended or when a part of it is asked for.
export function useCurves(
  editor: Editor,
  run: RunInfo | null,
  signals: readonly number[],
  range: [number, number] | null,
  pixels: number,
): Curves {
  const [curves, setCurves] = useState(noCurves);
  const live =
    run !== null && (run.state === 'running' || run.state === 'compiling' || run.state === 'paused');
  const id = run?.run ?? -1;
  const key = `${signals.join()}|${range?.join() ?? ''}|${run?.state ?? ''}`;
  useEffect(() => {
    if (id < 0 || !signals.length || pixels < 10) return setCurves(noCurves);
    let gone = false;
    let watch = 0;
    const part = range ? { from: range[0], to: range[1] } : {};
    if (live)
      void editor
        .request<{ watch: number }>('watch', { run: id, signals, pixels, ...part })
        .then((answer) => {
          watch = answer.watch;
          if (gone) return void editor.request('unwatch', { watch }).catch(() => {});
          watchers.set(watch, (frame) => !gone && setCurves(toCurves(frame)));
        })
        .catch(() => {});
    else
      fetchCurves(editor, id, signals, range, pixels)
        .then((c) => !gone && setCurves(c))
        .catch(() => !gone && setCurves(noCurves));
    return () => {
      gone = true;
      if (!watch) return;
      watchers.delete(watch);
      void editor.request('unwatch', { watch }).catch(() => {});
    };
    // `key` holds signals, range and state.
  }, [editor, id, live, key, pixels]);
  return curves;
}

// Curves of older runs, fetched once.
export function useOlderCurves(
  editor: Editor,
  runs: readonly { run: number; signals: number[] }[],
  range: [number, number] | null,
  pixels: number,
) {
  // prettier-ignore
  const [found, setFound] = useState<Map<number, Curves>>(new Map());
  const key = `${runs.map((r) => `${r.run}:${r.signals.join('.')}`).join()}|${range?.join() ?? ''}|${pixels}`;
  useEffect(() => {
    let gone = false;
    if (pixels < 10) return;
    void Promise.all(
      runs.map((r) =>
        fetchCurves(editor, r.run, r.signals, range, Math.min(600, pixels))
          .then((c) => [r.run, c] as const)
          .catch(() => [r.run, noCurves] as const),
      ),
    ).then((list) => !gone && setFound(new Map(list)));
    return () => {
      gone = true;
    };
  }, [editor, key]);
  return found;
}

export function useEvents(editor: Editor, run: RunInfo | null, count = 2000): EventRow[] {
  const [rows, setRows] = useState<EventRow[]>([]);
  const id = run?.run ?? -1;
  const done = run !== null && run.state !== 'running' && run.state !== 'compiling';
  const total = run?.events ?? 0;
  useEffect(() => {
    if (id < 0 || !done) return setRows([]);
    let gone = false;
    editor.http
      .json<{ rows: EventRow[] }>(`/events?run=${id}&from=0&count=${count}`)
      .then((answer) => !gone && setRows(answer.rows))
      .catch(() => !gone && setRows([]));
    return () => {
      gone = true;
    };
  }, [editor, id, done, total, count]);
  return rows;
}
