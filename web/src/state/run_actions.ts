// SPDX-License-Identifier: Apache-2.0
// Running a model: start, pause, steps, end, and running again while a number is dragged.
import type { RunInfo } from '../protocol/messages';
import type { Editor } from './editor';
import { updateRun } from './pushes';
import { currentRun, isRunning } from './state';

export interface RunOptions {
  pause?: boolean;
  speed?: number;
  settings?: Record<string, string>;
  set?: Record<string, string>;
}

const memory = { breaks: [] as string[], speed: 0, probes: [] as string[] };
export const runMemory = memory;

export async function run(editor: Editor, options: RunOptions = {}): Promise<number | null> {
  const { doc, needs, problems } = editor.state;
  if (!doc) return null;
  if (problems.errors && problems.revision === doc.revision && !options.set) {
    editor.prefer({ bottomOpen: true, bottomTab: 'problems' });
    editor.toast(`${problems.errors} error${problems.errors > 1 ? 's' : ''} to repair before it can run.`, { kind: 'error' }); // prettier-ignore
    return null;
  }
  if (needs.length && !needs.every((n) => doc.allowed?.includes(n.capability)))
    editor.store.set({ consentHidden: false });
  if (isRunning(editor.state) && currentRun(editor.state)?.state !== 'paused') await stop(editor);
  const answer = await editor.ask<{ run: number; revision: number }>('run', {
    ...options,
    speed: options.speed ?? memory.speed,
    ...(memory.breaks.length ? { breaks: memory.breaks } : {}),
    ...(memory.probes.length ? { signals: memory.probes } : {}),
    events: true,
  });
  if (!answer) return null;
  editor.store.set({ run: answer.run, progress: null, paused: null, values: null, event: null, crashed: '' });
  if (!editor.state.runs.some((r) => r.run === answer.run))
    updateRun(editor, {
      run: answer.run,
      doc: doc.doc,
      revision: answer.revision,
      state: 'compiling',
      set: options.set,
    });
  return answer.run;
}

export async function tellRun(editor: Editor, what: 'pause' | 'resume' | 'stop', fields: object = {}) {
  const { run: id } = editor.state;
  if (id === null) return;
  try {
    await editor.request(what, { run: id, ...fields });
    if (what === 'resume') editor.store.set({ paused: null, values: null });
  } catch (error) {
    editor.report(error);
  }
}

// Runs the script of a block, or takes it back: while it counts, it runs before every check and run of the model.
export async function execute(editor: Editor, block: string, on = true) {
  try {
    const answer = await editor.request<{ variables?: string }>('execute', { doc: editor.state.doc?.doc, block, on }); // prettier-ignore
    if (on)
      editor.store.set((s) => ({
        console: [...s.console, { kind: 'input', text: `script of ${block}` }, { kind: 'output', text: answer.variables ?? '' }], // prettier-ignore
      }));
    editor.announce(on ? `The script of ${block} has run.` : `The script of ${block} is not run any more.`);
    if (on) editor.prefer({ bottomOpen: true, bottomTab: 'console' });
    await editor.inspect();
  } catch (error) {
    editor.report(error);
  }
}

export const stop = (editor: Editor) => tellRun(editor, 'stop');

// F5 and Ctrl+Enter: start, or go on.
export async function runOrResume(editor: Editor) {
  if (currentRun(editor.state)?.state === 'paused')
    return tellRun(editor, 'resume', { speed: memory.speed, breaks: memory.breaks });
  await run(editor);
}

export async function pauseOrResume(editor: Editor) {
  const state = currentRun(editor.state)?.state;
  if (state === 'paused') return tellRun(editor, 'resume', { speed: memory.speed, breaks: memory.breaks });
  if (state === 'running' || state === 'compiling') return tellRun(editor, 'pause');
}

// A step of a run that does not exist yet starts one that waits at its beginning.
export async function step(editor: Editor, by: 'event' | 'step') {
  if (currentRun(editor.state)?.state === 'paused') {
    try {
      await editor.request('step', { run: editor.state.run, by, count: 1 });
    } catch (error) {
      editor.report(error);
    }
    return;
  }
  if (!isRunning(editor.state)) await run(editor, { pause: true });
  else await tellRun(editor, 'pause');
}

export async function pin(editor: Editor, info: RunInfo, pinned: boolean) {
  try {
    await editor.request('pin', { run: info.run, pinned, name: info.name });
    updateRun(editor, { ...info, pinned });
  } catch (error) {
    editor.report(error);
  }
}

// Runs again soon; while a run of this kind is under way the newest wish waits. A dragged number thus never piles up.
export class RunAgain {
  private busy = false;
  private again: RunOptions | null = null;
  constructor(private editor: Editor) {}

  async ask(options: RunOptions = {}) {
    if (this.busy) {
      this.again = options;
      return;
    }
    this.busy = true;
    try {
      const id = await run(this.editor, options);
      if (id !== null) await this.finished(id);
    } finally {
      this.busy = false;
      const next = this.again;
      this.again = null;
      if (next) void this.ask(next);
    }
  }

  private finished(id: number) {
    const done = () => {
      const info = this.editor.state.runs.find((r) => r.run === id);
      return !info || !['compiling', 'running'].includes(info.state);
    };
    return new Promise<void>((resolve) => {
      if (done()) return resolve();
      // A long run is not waited for: the next one replaces it.
      const timer = setTimeout(finish, 1500);
      const leave = this.editor.store.subscribe(() => done() && finish());
      function finish() {
        clearTimeout(timer);
        leave();
        resolve();
      }
    });
  }
}
