// SPDX-License-Identifier: Apache-2.0
// Carries out what a gesture said.
import { readLink } from '../protocol/wire_scene';
import { Trial, edit } from '../state/edit_actions';
import type { Editor } from '../state/editor';
import { join, parts } from '../state/paths';
import { execute } from '../state/run_actions';
import { applySelect } from '../state/selection';
import * as steps from '../state/steps';
import type { Message } from './gestures';
import type { Point } from './scene';
import type { SheetView } from './sheet_view';
import { pan } from './viewport';

export class Performer {
  private trial: Trial | null = null;
  private lastEmpty: Point | null = null;
  constructor(
    private editor: Editor,
    private sheet: SheetView,
  ) {}

  do(messages: readonly Message[]) {
    for (const message of messages) this.one(message);
  }

  private one(m: Message) {
    const { editor, sheet } = this;
    const { diagram, scene } = editor.state;
    switch (m.say) {
      case 'select':
        return editor.select(applySelect(editor.state.selection, m));
      case 'pan':
        return sheet.setView(pan(sheet.view, m.by[0], m.by[1]));
      case 'move':
        return m.phase === 'try' ? this.tryMove(m) : this.keepMove(m);
      case 'moveNote': {
        const note = scene.notes[m.note];
        if (!note) return;
        const { x, y, width, height } = note.box;
        const at = [x + m.by[0], y + m.by[1], width, height].join(',');
        return void edit(editor, [['renote', 'in', diagram, String(m.note + 1), 'at', at, note.lines.join('\n')]], { label: 'Move note' }); // prettier-ignore
      }
      case 'connect':
        return void edit(editor, [steps.connectEnds(diagram, m.from, m.to)], { label: 'Connect' });
      case 'connectToBlock': {
        const block = scene.blocks.find((b) => b.name === m.block);
        const end = block && steps.firstFit(block, m.from);
        // Optional activation inputs are drawn only when they are used: let the server say whether there is one.
        if (!end && m.from.port.activation && m.from.port.output)
          return void edit(editor, [steps.connect(diagram, true, [m.from.block, m.from.port.number], [m.block, 1])], { label: 'Connect' }); // prettier-ignore
        if (!end) return editor.toast(`${m.block} has no free port that fits.`);
        const reason = steps.whyNot(m.from, end);
        if (reason) return editor.toast(reason);
        return void edit(editor, [steps.connectEnds(diagram, m.from, end)], { label: 'Connect' });
      }
      case 'connectToLink': {
        const { link } = m.link;
        if (m.from.port.output) return editor.toast('A link ends at an input; this one starts at an output.');
        if (link.activation !== m.from.port.activation)
          return editor.toast(link.activation ? 'This link carries activations, the input wants a signal.' : 'This link carries a signal, the input wants activations.'); // prettier-ignore
        const step = steps.connect(diagram, link.activation, [link.from.block, link.from.port], [m.from.block, m.from.port.number]); // prettier-ignore
        return void edit(editor, [step], { label: 'Branch off' });
      }
      case 'refuse':
        return editor.toast(m.reason);
      case 'addFrom':
        return editor.store.set({ adding: { at: m.at, text: '', from: m.from } });
      case 'reconnect':
        return this.reconnect(m);
      case 'bend': {
        const step = steps.branchStep(diagram, 'bend', m.branch.link, m.branch.branch);
        return void edit(editor, [[...step, ...m.corners.map(steps.point)]], { label: 'Bend link' });
      }
      case 'straighten':
        return void edit(editor, [steps.branchStep(diagram, 'bend', m.branch.link, m.branch.branch)], { label: 'Straighten link' }); // prettier-ignore
      case 'resize': {
        const block = scene.blocks.find((b) => b.name === m.block);
        if (!block) return;
        const list = [['resize', join(diagram, m.block), steps.point([m.box.width, m.box.height])]];
        if (m.box.x !== block.box.x || m.box.y !== block.box.y)
          list.push(['move', join(diagram, m.block), 'to', steps.point([m.box.x, m.box.y])]);
        return void edit(editor, list, { label: 'Resize' });
      }
      case 'open':
        return openBlock(editor, m.block);
      case 'editNote':
        return editor.store.set({ dialog: { kind: 'note', note: m.note } });
      case 'leave':
        return leave(editor);
      case 'clickEmpty':
        this.lastEmpty = m.at;
        return;
      case 'linkSelected': {
        const from = scene.blocks.find((b) => editor.state.selection.blocks.has(b.name));
        const to = scene.blocks.find((b) => b.name === m.to);
        const step = from && to && steps.linkBlocks(diagram, from, to);
        if (step) return void edit(editor, [step], { label: 'Connect' });
        return editor.toast('No free ports of these two blocks fit.');
      }
    }
  }

  // Where the sheet was clicked last: typing adds there.
  get clicked() {
    return this.lastEmpty;
  }

  private tryMove(m: Extract<Message, { say: 'move' }>) {
    if (m.copy || m.names.length > 400) return;
    const { diagram } = this.editor.state;
    const { by } = m;
    this.trial ??= new Trial(this.editor);
    this.trial.ask([['move', ...m.names.map((n) => join(diagram, n)), 'by', steps.point(by)]], (answer) =>
      this.sheet.showTrial((answer.change?.links ?? []).map(readLink), by),
    );
  }

  private keepMove(m: Extract<Message, { say: 'move' }>) {
    const { editor, sheet } = this;
    const { diagram, scene } = editor.state;
    this.trial?.close();
    this.trial = null;
    const paths = m.names.map((n) => join(diagram, n));
    if (m.copy)
      return void edit(editor, [['duplicate', ...paths, 'by', steps.point(m.by)]], { label: 'Duplicate', select: 'made' }); // prettier-ignore
    const list = [['move', ...paths, 'by', steps.point(m.by)]];
    let label = 'Move';
    if (m.pull && m.names.length === 1) {
      list.unshift(...steps.pullOutSteps(diagram, scene, m.names[0]!));
      label = 'Pull out of link';
    }
    if (m.into) {
      const [, ...words] = steps.branchStep(diagram, 'insert', m.into.link, m.into.branch);
      list.push(['insert', paths[0]!, 'into', ...words]);
      label = 'Insert into link';
    }
    sheet.settle(true);
    void edit(editor, list, { label }).finally(() => sheet.settle(false));
  }

  private reconnect(m: Extract<Message, { say: 'reconnect' }>) {
    const { editor } = this;
    const { diagram, scene } = editor.state;
    const { link, branch } = m.branch;
    let to = m.to;
    if (!to && m.block) {
      const block = scene.blocks.find((b) => b.name === m.block);
      const points = link.branches[branch]!.points;
      to = block ? steps.firstFit(block, { block: link.from.block, port: { at: points[0]!, side: 'right', activation: link.activation, output: true, connected: true, number: link.from.port } }) : null; // prettier-ignore
      if (!to) return editor.toast(`${m.block} has no free input that fits.`);
    }
    if (!to) return editor.toast('Let go at an input to connect there; Delete removes a link.');
    const old = link.branches[branch]!.to;
    if (old.block === to.block && old.port === to.port.number) return;
    const step = steps.branchStep(diagram, 'reconnect', link, branch);
    void edit(editor, [[...step, 'to', steps.portWord(diagram, to.block, to.port.number)]], {
      label: 'Reconnect',
    });
  }
}

export function openBlock(editor: Editor, name: string, lookInside = false) {
  const { scene, diagram } = editor.state;
  const block = scene.blocks.find((b) => b.name === name);
  if (!block) return;
  if (block.super && (!block.masked || lookInside)) return void editor.view(join(diagram, name));
  if (block.type === 'ExecOMLScript' && !lookInside) return void execute(editor, join(diagram, name));
  editor.select({ blocks: new Set([name]), branches: new Set(), notes: new Set() });
  editor.prefer({ rightOpen: true });
  setTimeout(() => document.querySelector<HTMLElement>('[data-first-field] .cm-content, [data-first-field] input, [data-first-field] button')?.focus(), 60); // prettier-ignore
}

export function leave(editor: Editor) {
  const { diagram } = editor.state;
  const all = parts(diagram);
  const name = all.pop();
  if (!name) return;
  const up = all.length ? `/${all.join('/')}` : '/';
  void editor.view(up, [name]);
}
