// SPDX-License-Identifier: Apache-2.0
// What the server says unasked.
import type {
  BlockFacts,
  Diagnostic,
  DiagramNode,
  EventRow,
  Need,
  Push,
  RunInfo,
} from '../protocol/messages';
import { type WireChange, applyChange } from '../protocol/wire_scene';
import type { Editor } from './editor';
import { blockIn } from './paths';
import { keepExisting } from './selection';
import type { State } from './state';

// A change of the viewed diagram, from a push or from the answer to our own edit.
export function takeChange(editor: Editor, revision: number, change: WireChange | null | undefined) {
  const { doc, diagram } = editor.state;
  if (!doc) return;
  if (change && (change.diagram ?? diagram) === diagram) {
    editor.store.set((s) => {
      const scene = applyChange(s.scene, change);
      return { scene, selection: keepExisting(s.selection, scene), doc: s.doc && { ...s.doc, revision } };
    });
  } else {
    editor.store.set((s) => ({ doc: s.doc && { ...s.doc, revision } }));
  }
}

export function updateRun(editor: Editor, run: RunInfo) {
  editor.store.set((s) => {
    const known = s.runs.some((r) => r.run === run.run);
    const runs = known ? s.runs.map((r) => (r.run === run.run ? { ...r, ...run } : r)) : [...s.runs, run];
    const part: Partial<State> = { runs };
    if (run.run === s.run && run.state !== 'paused') {
      part.paused = null;
      if (run.state !== 'running' && run.state !== 'compiling') part.progress = null;
    }
    return part;
  });
}

export function receivePush(editor: Editor, push: Push) {
  const { store } = editor;
  const own = push['doc'] === undefined || push['doc'] === editor.state.doc?.doc;
  if (!own) return;
  switch (push.on) {
    case 'changed': {
      const p = push as unknown as { revision: number; label: string; dirty: boolean; change?: WireChange | null; diagrams?: DiagramNode[]; undo: string | null; redo: string | null; by?: number | null }; // prettier-ignore
      if (p.change === null) void editor.view('/');
      else takeChange(editor, p.revision, p.change);
      store.set((s) => ({
        doc: s.doc && {
          ...s.doc,
          dirty: p.dirty,
          undo: p.undo,
          redo: p.redo,
          diagrams: p.diagrams ?? s.doc.diagrams,
        },
      }));
      if (p.by !== undefined && p.by !== editor.state.hello?.tab && p.label) editor.announce(p.label);
      void editor.inspect();
      break;
    }
    case 'problems': {
      const p = push as unknown as { revision: number; errors: number; warnings: number; problems?: Diagnostic[]; checking?: boolean }; // prettier-ignore
      if (p.checking && !p.problems) store.set((s) => ({ problems: { ...s.problems, checking: true } }));
      else store.set({ problems: { revision: p.revision, errors: p.errors ?? 0, warnings: p.warnings ?? 0, list: p.problems ?? [], checking: false } }); // prettier-ignore
      break;
    }
    case 'facts': {
      const p = push as unknown as {
        revision: number;
        blocks: Record<string, BlockFacts>;
        change?: WireChange;
      };
      store.set((s) => ({
        facts: p.blocks ?? s.facts,
        scene:
          p.change && (p.change.diagram ?? s.diagram) === s.diagram
            ? applyChange(s.scene, p.change)
            : s.scene,
      }));
      void editor.inspect();
      break;
    }
    case 'run':
    case 'ended':
      updateRun(editor, push as unknown as RunInfo);
      if (push.on === 'ended') ended(editor, push as unknown as RunInfo);
      break;
    case 'progress':
      if (push['run'] === editor.state.run)
        store.set({ progress: push as unknown as { run: number; t: number; share: number; speed: number } });
      break;
    case 'paused': {
      const p = push as unknown as { run: number; t: number; reason: string; event?: EventRow; activated?: string[]; break?: string }; // prettier-ignore
      if (p.run !== editor.state.run) break;
      store.set({ paused: { run: p.run, t: p.t, reason: p.reason, event: p.event, activated: p.activated ?? [], shown: 0, breakText: p.break } }); // prettier-ignore
      lightInOrder(editor, p.run, p.t);
      updateRun(editor, { run: p.run, doc: editor.state.doc?.doc ?? 0, state: 'paused', t: p.t });
      void fetchValues(editor, p.run);
      editor.announce(`Paused at ${p.t}${p.break ? `: ${p.break}` : ''}`);
      break;
    }
    case 'console':
      store.set((s) => ({ console: [...s.console, { kind: 'output', text: String(push['text'] ?? '') }] }));
      break;
    case 'disk':
      store.set({ disk: push['state'] === 'removed' ? 'removed' : 'changed' });
      break;
    case 'saved':
      store.set((s) => ({
        doc: s.doc && { ...s.doc, dirty: false, path: String(push['path']) },
        disk: 'same',
      }));
      break;
    case 'tabs':
      store.set({ tabs: Number(push['tabs']) });
      break;
    case 'tool':
      store.set((s) => {
        if (Number(push['tool']) !== s.tool.number) return {};
        if (push['done']) return { tool: { ...s.tool, running: false, code: Number(push['code'] ?? -1) } };
        return { tool: { ...s.tool, text: (s.tool.text + String(push['text'] ?? '')).slice(-200000) } };
      });
      break;
    case 'consent_needed':
      store.set({ needs: (push['needs'] as Need[]) ?? [], consentHidden: false });
      break;
    case 'worker':
      if (push['state'] === 'crashed')
        store.set({ crashed: String(push['message'] ?? 'The worker crashed.') });
      break;
    case 'bye':
      editor.toast('The server has ended.', { kind: 'error' });
      break;
  }
}

async function fetchValues(editor: Editor, run: number) {
  try {
    const { values } = await editor.request<{ values: Record<string, (number | string)[]> }>('values', {
      run,
    });
    if (editor.state.run === run && editor.state.paused) editor.store.set({ values });
  } catch {
    // The run went on meanwhile.
  }
}

function ended(editor: Editor, run: RunInfo) {
  if (run.run !== editor.state.run) return;
  editor.store.set({ values: null });
  if (run.state === 'ended')
    editor.announce(
      `Simulated to ${run.t ?? run.stop} in ${Math.round((run.seconds ?? 0) * 1000)} milliseconds.`,
    );
  else if (run.state === 'failed' || run.state === 'crashed') {
    const first = run.diagnostics?.[0];
    editor.toast(first?.message ?? 'The run failed.', { kind: 'error', help: first?.help });
    const name = first?.block ? blockIn(editor.state.diagram, first.block) : null;
    if (name) editor.store.set({ highlight: new Set([name]) });
  }
}

const lightDelay = 220; // milliseconds between two blocks

// Lights the blocks that an event activated one after the other, in their order; all at once where motion is not wanted.
function lightInOrder(editor: Editor, run: number, t: number) {
  const still = typeof matchMedia !== 'undefined' && matchMedia('(prefers-reduced-motion: reduce)').matches;
  const next = () => {
    const { paused } = editor.state;
    if (!paused || paused.run !== run || paused.t !== t || paused.shown >= paused.activated.length) return;
    editor.store.set({ paused: { ...paused, shown: still ? paused.activated.length : paused.shown + 1 } });
    setTimeout(next, lightDelay);
  };
  next();
}
