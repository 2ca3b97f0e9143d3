// SPDX-License-Identifier: Apache-2.0
// The animation of a run: live while it runs, played afterwards, recorded as a film, saved as a picture.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { download } from '../keys/commands';
import { useApp, useEditor } from '../shell/context';
import { currentRun } from '../state/state';
import { type FigureData, objectsAt, paintFigure, paper } from './figure';

const liveEvery = 80; // ms between looks at a run under way

function useFigure(block: string | undefined): FigureData | null {
  const editor = useEditor();
  const run = useApp(currentRun);
  const [data, setData] = useState<FigureData | null>(null);
  const live = run?.state === 'running' || run?.state === 'paused' || run?.state === 'compiling';
  const id = run?.run ?? -1;
  useEffect(() => {
    if (id < 0 || !block) return setData(null);
    let gone = false;
    let timer = 0;
    const look = async () => {
      try {
        const found = await editor.http.json<FigureData>(
          `/animation?run=${id}&block=${encodeURIComponent(block)}&frames=${live ? 1 : 1200}`,
        );
        if (!gone) setData(found);
      } catch {
        // The first rows are not there yet.
      }
      if (!gone && live) timer = window.setTimeout(() => void look(), liveEvery);
    };
    void look();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [editor, id, block, live]);
  return data;
}

export default function FigurePanel() {
  const editor = useEditor();
  const run = useApp(currentRun);
  const dark = useApp((s) => s.dark);
  const figures = run?.figures ?? [];
  const [chosen, setChosen] = useState('');
  const block = figures.some((f) => f.block === chosen) ? chosen : figures[0]?.block;
  const data = useFigure(block);
  const [time, setTime] = useState<number | null>(null); // null: the newest
  const [speed, setSpeed] = useState(1);
  const [playing, setPlaying] = useState(false);
  const recorder = useRef<MediaRecorder | null>(null);
  const [recording, setRecording] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const t = time ?? data?.to ?? 0;
  const objects = useMemo(() => (data ? objectsAt(data, t) : []), [data, t]);

  const paint = useCallback(() => {
    const c = canvas.current;
    const around = box.current;
    if (!c || !around || !data) return;
    const ratio = window.devicePixelRatio || 1;
    const room = Math.min(around.clientWidth / data.canvas[2], around.clientHeight / data.canvas[3]);
    const width = Math.max(40, Math.floor(room * data.canvas[2]));
    const height = Math.max(40, Math.floor(room * data.canvas[3]));
    if (c.width !== Math.round(width * ratio) || c.height !== Math.round(height * ratio)) {
      c.width = Math.round(width * ratio);
      c.height = Math.round(height * ratio);
      c.style.width = `${width}px`;
      c.style.height = `${height}px`;
    }
    const context = c.getContext('2d')!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    paintFigure(context, width, height, data, objects, paper(dark));
  }, [data, objects, dark]);
  useEffect(paint, [paint]);
  useEffect(() => {
    if (!box.current) return;
    const watch = new ResizeObserver(() => paint());
    watch.observe(box.current);
    return () => watch.disconnect();
  }, [paint]);

  useEffect(() => {
    if (!playing || !data) return;
    let frame = 0;
    let last = performance.now();
    let now = t >= data.to ? data.from : t;
    const advance = (at: number) => {
      now += ((at - last) / 1000) * speed;
      last = at;
      if (now >= data.to) {
        setTime(data.to);
        setPlaying(false);
        return;
      }
      setTime(now);
      frame = requestAnimationFrame(advance);
    };
    frame = requestAnimationFrame(advance);
    return () => cancelAnimationFrame(frame);
    // It plays on from where it is; `t` changes meanwhile.
  }, [playing, data, speed]);

  // A film is what is played, from the start to the end.
  const film = () => {
    const c = canvas.current;
    if (!c || !data) return;
    const type = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'].find((m) => MediaRecorder.isTypeSupported(m)); // prettier-ignore
    if (!type) return editor.toast('This browser cannot record films.');
    const parts: Blob[] = [];
    const made = new MediaRecorder(c.captureStream(30), { mimeType: type });
    made.ondataavailable = (e) => parts.push(e.data);
    made.onstop = () => {
      setRecording(false);
      download(new Blob(parts, { type: 'video/webm' }), `${editor.state.doc?.name || 'animation'}.webm`);
    };
    recorder.current = made;
    setRecording(true);
    setTime(data.from);
    made.start();
    setPlaying(true);
  };
  useEffect(() => {
    if (playing || !recording) return;
    // The last frame is still to be seen.
    const timer = setTimeout(() => recorder.current?.state === 'recording' && recorder.current.stop(), 120);
    return () => clearTimeout(timer);
  }, [playing, recording]);

  const picture = async () => {
    if (!run || !block) return;
    try {
      const answer = await editor.http.get(`/animation.svg?run=${run.run}&block=${encodeURIComponent(block)}&t=${t}&theme=${dark ? 'dark' : 'light'}`); // prettier-ignore
      download(await answer.blob(), `${editor.state.doc?.name || 'animation'}.svg`);
    } catch (error) {
      editor.report(error);
    }
  };

  if (!block)
    return (
      <div className="empty-panel">
        <p>No animation: add an Anim2D block and run.</p>
      </div>
    );
  const ended = run?.state !== 'running' && run?.state !== 'paused' && run?.state !== 'compiling';
  return (
    <div className="figure-panel">
      <div className="figure-tools" role="toolbar" aria-label="Animation">
        {figures.length > 1 && (
          <select aria-label="Figure" value={block} onChange={(e) => setChosen(e.target.value)}>
            {figures.map((f) => (
              <option key={f.block}>{f.block}</option>
            ))}
          </select>
        )}
        <Button isDisabled={!data || !ended || recording} onPress={() => setPlaying(!playing)}>
          {playing ? 'Pause' : 'Play'}
        </Button>
        <label>
          speed{' '}
          <select value={speed} onChange={(e) => setSpeed(Number(e.target.value))}>
            {[0.1, 0.25, 0.5, 1, 2, 5, 10].map((s) => (
              <option key={s} value={s}>
                {s} ×
              </option>
            ))}
          </select>
        </label>
        <input
          type="range"
          aria-label="Time of the animation"
          min={data?.from ?? 0}
          max={data?.to ?? 1}
          step="any"
          value={t}
          disabled={!data || !ended}
          onChange={(e) => {
            setPlaying(false);
            setTime(Number(e.target.value));
          }}
        />
        <output>t = {t.toPrecision(4)}</output>
        <Button isDisabled={!data || !ended || recording} onPress={film}>
          {recording ? 'Recording…' : 'Record film'}
        </Button>
        <Button isDisabled={!data} onPress={() => void picture()}>
          Save picture
        </Button>
        {data && data.all_copies > 0 && (
          <span className="quiet">
            {data.all_copies} frozen {data.all_copies === 1 ? 'copy' : 'copies'}
            {data.all_copies > data.copies.length ? `, ${data.copies.length} shown` : ''}
          </span>
        )}
      </div>
      <div className="figure-box" ref={box}>
        <canvas ref={canvas} role="img" aria-label={`Animation of ${block} at time ${t.toPrecision(4)}`} />
      </div>
    </div>
  );
}
