// SPDX-License-Identifier: Apache-2.0
// One scope: its plot, its legend with the values under the pointer.
import { useEffect, useMemo, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { shortNumber } from '../canvas/paint_live';
import { download } from '../keys/commands';
import type { EventRow, RunInfo } from '../protocol/messages';
import { useApp, useEditor } from '../shell/context';
import { type Overlay, Plot, palettes } from './plot';
import { useCurves, useOlderCurves } from './run_data';
import { type ScopeGroup, runLegend, sameColumns } from './scope_groups';

interface Props {
  run: RunInfo;
  older: readonly RunInfo[];
  group: ScopeGroup;
  events: readonly EventRow[];
  range: [number, number] | null;
  onRange: (range: [number, number] | null) => void;
}

export function ScopePlot({ run, older, group, events, range, onRange }: Props) {
  const editor = useEditor();
  const dark = useApp((s) => s.dark);
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | null>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [cursors, setCursors] = useState<number[]>([]);
  const [at, setAt] = useState<{ t: number | null; values: (number | null)[] }>({ t: null, values: [] });
  const signals = useMemo(() => group.columns.map((c) => c.index), [group]);
  const pixels = Math.round(size.width / 100) * 100;
  const curves = useCurves(editor, run, signals, range, pixels);
  const olderSignals = useMemo(
    () => older.flatMap((r) => { const s = sameColumns(run, r, signals); return s ? [{ run: r.run, signals: s }] : []; }), // prettier-ignore
    [older, run, signals],
  );
  const olderCurves = useOlderCurves(editor, olderSignals, range, pixels);
  const names = group.columns.map((c) => c.name).join('\n');

  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect;
      setSize({ width: Math.floor(width), height: Math.floor(height) });
    });
    observer.observe(host.current!);
    return () => observer.disconnect();
  }, []);

  const latest = useRef({ events, onRange });
  latest.current = { events, onRange };
  useEffect(() => {
    if (size.width < 40 || size.height < 40) return;
    const made = new Plot(host.current!, {
      names: names.split('\n'),
      dark,
      width: size.width,
      height: size.height,
      onZoom: (from, to) => latest.current.onRange([from, to]),
      onAll: () => latest.current.onRange(null),
      onMark: (t) => setCursors((old) => (old.length === 1 ? [old[0]!, t] : [t])),
      onEvent: (k) => {
        const event = latest.current.events[k];
        if (!event) return;
        editor.store.set({ event: event.id });
        editor.prefer({ bottomTab: 'events', bottomOpen: true });
      },
    });
    made.onCursor((t, values) => setAt({ t, values }));
    plot.current = made;
    return () => {
      made.destroy();
      plot.current = null;
    };
  }, [names, dark, size.width > 40 && size.height > 40]);
  useEffect(() => {
    if (size.width > 40) plot.current?.resize(size.width, size.height);
  }, [size]);
  useEffect(() => {
    const overlays: Overlay[] = older.flatMap((r) => {
      const c = olderCurves.get(r.run);
      return c ? [{ label: runLegend(r), curves: c, colour: 0, faint: !r.pinned }] : [];
    });
    const whole: [number, number] | null =
      range ?? (run.state === 'running' && run.stop !== undefined ? [run.start ?? 0, run.stop] : null);
    plot.current?.set(curves.y.length === signals.length ? curves : { x: new Float64Array(0), y: signals.map(() => new Float64Array(0)) }, overlays, Float64Array.from(events, (e) => e.t), run.state === 'failed' || run.state === 'crashed' ? (run.t ?? null) : null, whole); // prettier-ignore
  }, [curves, olderCurves, older, events, range, run, signals, dark, size.width > 40]);

  useEffect(() => plot.current?.setCursors(cursors), [cursors, curves]);
  const difference = (k: number) => {
    const [a, b] = cursors.map((t) => plot.current?.valuesAt(t)[k] ?? null);
    return typeof a === 'number' && typeof b === 'number' ? shortNumber(b - a) : '–';
  };
  const colours = palettes[dark ? 'dark' : 'light'];
  const csv = () =>
    editor.http
      .get(`/results/${run.run}.csv`)
      .then((r) => r.blob())
      .then((b) => download(b, `${editor.state.doc?.name ?? 'run'}.csv`))
      .catch((e: unknown) => editor.report(e));
  const part = range ? `&from=${range[0]}&to=${range[1]}` : '';
  const svg = () =>
    editor.http
      .get(
        `/results/${run.run}.svg?signals=${signals.join(',')}&title=${encodeURIComponent(group.title)}${part}`,
      )
      .then((r) => r.blob())
      .then((b) => download(b, `${group.title}.svg`))
      .catch((e: unknown) => editor.report(e));
  return (
    <section className="scope" aria-label={`Scope ${group.title}`}>
      <header>
        <h3>{group.title}</h3>
        <ul className="legend">
          {group.columns.map((c, k) => (
            <li key={c.index}>
              <i style={{ background: colours[k % colours.length] }} />
              {group.columns.length === 1 && c.name === group.title ? '' : c.name}
              {c.unit && <small>{c.unit}</small>}
              {at.t !== null && (
                <b>
                  {at.values[k] === null || at.values[k] === undefined ? '–' : shortNumber(at.values[k]!)}
                </b>
              )}
            </li>
          ))}
          {cursors.length === 2 && (
            <li className="time">
              Δt = {shortNumber(cursors[1]! - cursors[0]!)}, Δ ={' '}
              {group.columns.map((_, k) => difference(k)).join(', ')}
            </li>
          )}
          {at.t !== null && <li className="time">t = {shortNumber(at.t)}</li>}
        </ul>
        <span className="scope-tools">
          {range && <Button onPress={() => onRange(null)}>All</Button>}
          {cursors.length > 0 && <Button onPress={() => setCursors([])}>No cursors</Button>}
          <Button aria-label={`Show block ${group.title}`} onPress={() => void editor.goTo(group.block)}>
            <Aim />
          </Button>
          <Button aria-label="CSV, save the run" onPress={csv}>
            CSV
          </Button>
          <Button aria-label="SVG, save as drawing" onPress={svg}>
            SVG
          </Button>
          <Button
            aria-label="PNG, save as picture"
            onPress={() => void plot.current?.toPng().then((b) => b && download(b, `${group.title}.png`))}
          >
            PNG
          </Button>
        </span>
      </header>
      <div
        ref={host}
        className="plot"
        role="img"
        aria-label={`Curves of ${group.columns.map((c) => c.name).join(', ')}`}
      />
    </section>
  );
}

const Aim = () => (
  <svg
    viewBox="0 0 16 16"
    width="13"
    height="13"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.4"
    aria-hidden="true"
  >
    <circle cx="8" cy="8" r="4.5" />
    <path d="M8 1v4M8 11v4M1 8h4M11 8h4" />
  </svg>
);
