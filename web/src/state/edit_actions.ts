// SPDX-License-Identifier: Apache-2.0
// Changes of the document: every one is a list of commands that the server carries out as a whole.
import { noSelection } from '../canvas/gestures';
import { Refused } from '../protocol/connection';
import type { DocumentInfo, EditAnswer, Step } from '../protocol/messages';
import type { Editor } from './editor';
import { join, split } from './paths';
import { takeChange } from './pushes';
import * as steps from './steps';

export interface EditOptions {
  label?: string;
  merge?: string;
  select?: 'made' | 'keep';
  quiet?: boolean; // the caller shows the error itself
}

// Null when it was refused.
export async function edit(
  editor: Editor,
  list: Step[],
  options: EditOptions = {},
): Promise<EditAnswer | null> {
  const { doc, diagram } = editor.state;
  if (!doc || list.length === 0) return null;
  try {
    const answer = await editor.request<EditAnswer>('edit', { doc: doc.doc, steps: list, phase: 'keep', label: options.label, merge: options.merge }); // prettier-ignore
    takeChange(editor, answer.revision, answer.change);
    editor.store.set((s) => ({
      doc: s.doc && {
        ...s.doc,
        dirty: answer.dirty ?? true,
        undo: answer.undo === undefined ? (options.label ?? 'the last change') : answer.undo,
        redo: answer.redo ?? null,
        diagrams: answer.diagrams ?? s.doc.diagrams,
      },
    }));
    if (options.select === 'made' && (answer.select?.length || answer.names?.length)) {
      const names = answer.select?.length
        ? answer.select
            .map((p) => split(p))
            .filter((p) => p.diagram === diagram)
            .map((p) => p.name)
        : answer.names!;
      editor.select({ ...noSelection, blocks: new Set(names) });
    } else void editor.inspect();
    if (options.label) editor.announce(options.label);
    return answer;
  } catch (error) {
    if (options.quiet && error instanceof Refused) throw error;
    editor.report(error);
    return null;
  }
}

// Gestures ask what a change would look like: one question at a time, and the newest wins.
export class Trial {
  private busy = false;
  private waiting: (() => void) | null = null;
  private closed = false;
  constructor(private editor: Editor) {}

  ask(list: Step[], show: (answer: EditAnswer) => void) {
    const { doc } = this.editor.state;
    if (!doc || this.closed) return;
    if (this.busy) {
      this.waiting = () => this.ask(list, show);
      return;
    }
    this.busy = true;
    this.editor
      .request<EditAnswer>('edit', { doc: doc.doc, steps: list, phase: 'try' })
      .then((answer) => !this.closed && show(answer))
      .catch(() => {})
      .finally(() => {
        this.busy = false;
        const next = this.waiting;
        this.waiting = null;
        if (!this.closed) next?.();
      });
  }

  close() {
    this.closed = true;
  }
}

export async function undoOrRedo(editor: Editor, what: 'undo' | 'redo') {
  const { doc } = editor.state;
  if (!doc || !(what === 'undo' ? doc.undo : doc.redo)) {
    editor.announce(`Nothing to ${what}.`);
    return;
  }
  const answer = await editor.ask<{ revision: number; label?: string; diagram?: string; select?: string[] }>(
    what,
  );
  if (!answer) return;
  const { diagram, doc: now } = editor.state;
  const names = (answer.select ?? []).map((p) => split(p));
  const where = answer.diagram ?? diagram;
  if (where !== diagram || (now && now.revision < answer.revision)) await editor.view(where);
  const here = names.filter((p) => p.diagram === where).map((p) => p.name);
  const known = new Set(editor.state.scene.blocks.map((b) => b.name));
  const shown = here.filter((n) => known.has(n));
  if (shown.length) {
    editor.select({ ...noSelection, blocks: new Set(shown) });
    editor.sheet.revealBlocks(shown);
  }
  editor.announce(`${what === 'undo' ? 'Undone' : 'Redone'}: ${answer.label ?? ''}`);
}

export async function save(editor: Editor, force = false): Promise<boolean> {
  const { doc } = editor.state;
  if (!doc) return false;
  if (!doc.path) {
    editor.store.set({ dialog: { kind: 'saveAs' } });
    return false;
  }
  try {
    const answer = await editor.request<{ path: string; revision: number }>('save', { doc: doc.doc, ...(force ? { force } : {}) }); // prettier-ignore
    editor.store.set((s) => ({ doc: s.doc && { ...s.doc, dirty: false, path: answer.path }, disk: 'same' }));
    editor.toast(`Saved ${answer.path}`);
    return true;
  } catch (error) {
    if (error instanceof Refused && error.diagnostic.code === 'changed-on-disk')
      editor.store.set({ disk: 'changed' });
    editor.report(error);
    return false;
  }
}

export async function revert(editor: Editor) {
  const doc = await editor.ask<DocumentInfo>('revert');
  if (doc) {
    editor.store.set({ disk: 'same', sceneOf: '' });
    editor.showDocument(doc);
  }
}

export async function copySelection(editor: Editor): Promise<string | null> {
  const { diagram, selection } = editor.state;
  if (!selection.blocks.size) return null;
  const blocks = [...selection.blocks].map((n) => join(diagram, n));
  const answer = await editor.ask<{ text: string }>('copy', { blocks });
  return answer?.text ?? null;
}

export function paste(editor: Editor, text: string) {
  const { diagram } = editor.state;
  if (!text.trim().startsWith('{')) {
    editor.toast('The clipboard holds no blocks: copy some first.');
    return;
  }
  return edit(editor, [['paste', 'in', diagram, 'by', '20,20', text]], { label: 'Paste', select: 'made' });
}

export function removeSelected(editor: Editor) {
  const { diagram, scene, selection } = editor.state;
  const list = steps.removeSteps(diagram, scene, selection);
  if (list.length) void edit(editor, list, { label: `Remove ${describeCount(selection.blocks.size, selection.branches.size)}` }); // prettier-ignore
}

const describeCount = (blocks: number, links: number) =>
  blocks ? `${blocks} block${blocks > 1 ? 's' : ''}` : `${links || 1} item${links > 1 ? 's' : ''}`;

// Paths of the selected blocks; empty when there are none.
export const selectedPaths = (editor: Editor) =>
  [...editor.state.selection.blocks].map((n) => join(editor.state.diagram, n));
