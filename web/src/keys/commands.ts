// SPDX-License-Identifier: Apache-2.0
// Every command of the menus, of the search and of the keys, once.
import { leave, openBlock } from '../canvas/perform';
import type { SheetView } from '../canvas/sheet_view';
import { zoomTo } from '../canvas/viewport';
import { noSelection } from '../canvas/gestures';
import * as edits from '../state/edit_actions';
import type { Editor } from '../state/editor';
import { join } from '../state/paths';
import * as runs from '../state/run_actions';
import { type DialogKind, type State, currentRun, isRunning, noTool } from '../state/state';
import { toolsOf } from '../state/tool_actions';
import * as steps from '../state/steps';
import { followLink, nextBlock } from '../access/walk';

export interface Command {
  id: string;
  title: string;
  menu?: Menu;
  group?: number;
  hidden?: boolean; // not in the search: arrow keys and the like
  present?: (s: State) => boolean; // else it is not offered at all
  enabled?: (s: State) => boolean;
  checked?: (s: State) => boolean;
  run: (editor: Editor, sheet: SheetView | null) => unknown;
}
export type Menu = 'File' | 'Edit' | 'View' | 'Model' | 'Tools' | 'Help';
export const menus: Menu[] = ['File', 'Edit', 'View', 'Model', 'Tools', 'Help'];

const hasDoc = (s: State) => s.doc !== null;
const hasBlocks = (s: State) => s.selection.blocks.size > 0;
const hasMany = (s: State) => s.selection.blocks.size > 1;
const oneBlock = (s: State) => s.selection.blocks.size === 1;
const theBlock = (s: State) => s.scene.blocks.find((b) => s.selection.blocks.has(b.name));
const oneSuper = (s: State) => oneBlock(s) && theBlock(s)?.super === true;
const dialog = (kind: DialogKind) => (e: Editor) => e.store.set({ dialog: { kind } });

// Tools of the program that the server offers; one dialog for all commands with the same first word.
const tools: [word: string, title: string, group: number][] = [
  ['sweep', 'Sweep', 1],
  ['optimise', 'Optimise', 1],
  ['estimate', 'Estimate parameters', 1],
  ['trim', 'Trim', 1],
  ['export', 'Export code or FMU', 2],
  ['new', 'New block', 2],
  ['library', 'Library manager', 2],
];
export const toolTitle = (word: string) => tools.find((t) => t[0] === word)?.[1] ?? word;
const toolCommands: Command[] = tools.map(([word, title, group]) => ({
  id: `tool-${word}`,
  title: `${title}…`,
  menu: 'Tools',
  group,
  present: (s) => toolsOf(s, word).length > 0,
  enabled: hasDoc,
  run: (e) => e.store.set({ dialog: { kind: 'tool', tool: word }, tool: noTool }),
}));
const codeOf = (s: State) => oneBlock(s) && s.block?.parameters.some((p) => p.code) === true;

const alignments: Command[] = (['left', 'centre', 'right', 'top', 'middle', 'bottom'] as const).map(
  (edge) => ({
    id: `align-${edge}`,
    title: `Align ${edge}`,
    menu: 'Edit',
    group: 5,
    enabled: hasMany,
    run: (e) => edits.edit(e, [['align', edge, ...edits.selectedPaths(e)]], { label: `Align ${edge}` }),
  }),
);

const nudges: Command[] = (
  [
    ['left', -1, 0],
    ['right', 1, 0],
    ['up', 0, -1],
    ['down', 0, 1],
  ] as const
).flatMap(([name, x, y]) =>
  (
    [
      ['', 10],
      ['-far', 50],
      ['-fine', 1],
    ] as const
  ).map(([suffix, by]) => ({
    // prettier-ignore
    id: `nudge-${name}${suffix}`,
    title: `Move ${name} by ${by}`,
    hidden: true,
    run: (e: Editor, sheet: SheetView | null) => {
      if (!hasBlocks(e.state)) {
        if (sheet)
          sheet.setView({ ...sheet.view, x: sheet.view.x + x * by * 4, y: sheet.view.y + y * by * 4 });
        return;
      }
      return edits.edit(e, [['move', ...edits.selectedPaths(e), 'by', `${x * by},${y * by}`]], { label: 'Move', merge: `nudge ${edits.selectedPaths(e).join(' ')}` }); // prettier-ignore
    },
  })),
);

// One place up or down in the file: what happens first where several things happen at once.
const reorder = (title: string, id: string, by: number): Command => ({
  id,
  title,
  menu: 'Edit',
  group: 4,
  enabled: oneBlock,
  run: (e) => {
    const { scene, diagram } = e.state;
    const at = scene.blocks.findIndex((b) => e.state.selection.blocks.has(b.name));
    const place = at + by;
    if (at < 0 || place < 0 || place >= scene.blocks.length) return;
    e.store.set({ overlay: 'order' });
    return edits.edit(e, [['reorder', join(diagram, scene.blocks[at]!.name), 'to', String(place + 1)]], { label: title }); // prettier-ignore
  },
});

async function turn(e: Editor, by: 'rotate' | 'flip') {
  const { scene, selection, diagram } = e.state;
  const list = scene.blocks
    .filter((b) => selection.blocks.has(b.name))
    .map((b) => ['turn', join(diagram, b.name), steps.turned(b.flow, by)]);
  await edits.edit(e, list, { label: by === 'flip' ? 'Flip' : 'Rotate' });
}

async function copy(e: Editor) {
  const text = await edits.copySelection(e);
  if (text === null) return;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    e.toast('The browser does not let the page write to the clipboard.');
    return;
  }
  e.announce(`Copied ${e.state.selection.blocks.size} blocks.`);
}

async function paste(e: Editor) {
  try {
    await edits.paste(e, await navigator.clipboard.readText());
  } catch {
    e.toast('Press Ctrl+V on the sheet to paste: the browser asks for that key.');
  }
}

function makeNote(e: Editor, sheet: SheetView | null) {
  const [x, y] = sheet?.middle() ?? [0, 0];
  const at = `${Math.round(x / 10) * 10 - 80},${Math.round(y / 10) * 10 - 20},160,40`;
  return edits
    .edit(e, [['note', 'in', e.state.diagram, 'at', at, 'Note']], { label: 'Add note' })
    .then((answer) => {
      if (answer) e.store.set((s) => ({ dialog: { kind: 'note', note: s.scene.notes.length - 1 } }));
    });
}

// Asks before unsaved work would be left.
const guarded = (then: (e: Editor) => void) => (e: Editor) =>
  e.state.doc?.dirty ? e.store.set({ dialog: { kind: 'unsaved', then: () => then(e) } }) : then(e);

export const commands: readonly Command[] = [
  { id: 'new', title: 'New model', menu: 'File', group: 1, run: guarded((e) => void e.open({ new: true })) },
  { id: 'open', title: 'Open…', menu: 'File', group: 1, run: guarded(dialog('open')) },
  { id: 'gallery', title: 'Examples…', menu: 'File', group: 1, run: guarded(dialog('gallery')) },
  { id: 'save', title: 'Save', menu: 'File', group: 2, enabled: hasDoc, run: (e) => edits.save(e) },
  { id: 'save-as', title: 'Save as…', menu: 'File', group: 2, enabled: hasDoc, run: dialog('saveAs') },
  { id: 'revert', title: 'Revert to the file', menu: 'File', group: 2, enabled: (s) => hasDoc(s) && s.doc!.dirty, run: (e) => edits.revert(e) }, // prettier-ignore
  { id: 'diff', title: 'Compare with…', menu: 'File', group: 3, enabled: hasDoc, run: dialog('diff') },
  { id: 'picture', title: 'Save picture (SVG)', menu: 'File', group: 3, enabled: hasDoc, run: savePicture },
  { id: 'close', title: 'Close', menu: 'File', group: 4, enabled: hasDoc, run: guarded((e) => { void e.ask('close', { discard: true }); e.leaveDocument(); }) }, // prettier-ignore
  {
    id: 'undo',
    title: 'Undo',
    menu: 'Edit',
    group: 1,
    enabled: (s) => !!s.doc?.undo,
    run: (e) => edits.undoOrRedo(e, 'undo'),
  },
  {
    id: 'redo',
    title: 'Redo',
    menu: 'Edit',
    group: 1,
    enabled: (s) => !!s.doc?.redo,
    run: (e) => edits.undoOrRedo(e, 'redo'),
  },
  { id: 'history', title: 'History…', menu: 'Edit', group: 1, enabled: hasDoc, run: dialog('history') },
  { id: 'cut', title: 'Cut', menu: 'Edit', group: 2, enabled: hasBlocks, run: async (e) => { await copy(e); edits.removeSelected(e); } }, // prettier-ignore
  { id: 'copy', title: 'Copy', menu: 'Edit', group: 2, enabled: hasBlocks, run: copy },
  { id: 'paste', title: 'Paste', menu: 'Edit', group: 2, enabled: hasDoc, run: paste },
  { id: 'duplicate', title: 'Duplicate', menu: 'Edit', group: 2, enabled: hasBlocks, run: (e) => edits.edit(e, [['duplicate', ...edits.selectedPaths(e)]], { label: 'Duplicate', select: 'made' }) }, // prettier-ignore
  { id: 'remove', title: 'Delete', menu: 'Edit', group: 2, enabled: (s) => s.selection.blocks.size + s.selection.branches.size + s.selection.notes.size > 0, run: (e) => edits.removeSelected(e) }, // prettier-ignore
  { id: 'select-all', title: 'Select all', menu: 'Edit', group: 3, enabled: hasDoc, run: (e) => e.select({ ...noSelection, blocks: new Set(e.state.scene.blocks.map((b) => b.name)), notes: new Set(e.state.scene.notes.keys()) }) }, // prettier-ignore
  { id: 'find', title: 'Find…', menu: 'Edit', group: 3, enabled: hasDoc, run: dialog('find') },
  { id: 'rename', title: 'Rename…', menu: 'Edit', group: 4, enabled: oneBlock, run: dialog('rename') },
  {
    id: 'rotate',
    title: 'Rotate',
    menu: 'Edit',
    group: 4,
    enabled: hasBlocks,
    run: (e) => turn(e, 'rotate'),
  },
  { id: 'flip', title: 'Flip', menu: 'Edit', group: 4, enabled: hasBlocks, run: (e) => turn(e, 'flip') },
  { id: 'comment-out', title: 'Comment out', menu: 'Edit', group: 4, enabled: hasBlocks, checked: (s) => theBlock(s)?.off === true, run: (e) => edits.edit(e, [[theBlock(e.state)?.off ? 'on' : 'off', ...edits.selectedPaths(e)]], { label: 'Comment out' }) }, // prettier-ignore
  reorder('Earlier in the order', 'earlier', -1),
  reorder('Later in the order', 'later', 1),
  ...alignments,
  { id: 'distribute-h', title: 'Distribute horizontally', menu: 'Edit', group: 5, enabled: hasMany, run: (e) => edits.edit(e, [['distribute', 'horizontally', ...edits.selectedPaths(e)]], { label: 'Distribute' }) }, // prettier-ignore
  { id: 'distribute-v', title: 'Distribute vertically', menu: 'Edit', group: 5, enabled: hasMany, run: (e) => edits.edit(e, [['distribute', 'vertically', ...edits.selectedPaths(e)]], { label: 'Distribute' }) }, // prettier-ignore
  { id: 'arrange', title: 'Arrange', menu: 'Edit', group: 5, enabled: hasDoc, run: arrange },
  { id: 'note', title: 'Add note', menu: 'Edit', group: 6, enabled: hasDoc, run: makeNote },
  { id: 'link-to', title: 'Connect to…', menu: 'Edit', group: 6, enabled: oneBlock, run: dialog('linkTo') },
  {
    id: 'fit',
    title: 'Fit to view',
    menu: 'View',
    group: 1,
    enabled: hasDoc,
    run: (_e, sheet) => sheet?.fit(),
  },
  { id: 'zoom-in', title: 'Zoom in', menu: 'View', group: 1, enabled: hasDoc, run: (_e, s) => s?.setView(zoomTo(s.view, s.view.zoom * 1.25)) }, // prettier-ignore
  { id: 'zoom-out', title: 'Zoom out', menu: 'View', group: 1, enabled: hasDoc, run: (_e, s) => s?.setView(zoomTo(s.view, s.view.zoom / 1.25)) }, // prettier-ignore
  { id: 'zoom-100', title: 'Zoom to 100 %', menu: 'View', group: 1, enabled: hasDoc, run: (_e, s) => s?.setView(zoomTo(s.view, 1)) }, // prettier-ignore
  { id: 'zoom-selection', title: 'Zoom to selection', menu: 'View', group: 1, enabled: hasBlocks, run: (e, s) => s?.fitBoxes(e.state.scene.blocks.filter((b) => e.state.selection.blocks.has(b.name)).map((b) => b.box)) }, // prettier-ignore
  { id: 'timing', title: 'Show timing', menu: 'View', group: 2, checked: (s) => s.overlay === 'timing', run: toggleOverlay('timing') }, // prettier-ignore
  { id: 'order', title: 'Show order', menu: 'View', group: 2, checked: (s) => s.overlay === 'order', run: toggleOverlay('order') }, // prettier-ignore
  { id: 'types', title: 'Show types and sizes', menu: 'View', group: 2, checked: (s) => s.overlay === 'types', run: toggleOverlay('types') }, // prettier-ignore
  { id: 'port-names', title: 'Port numbers', menu: 'View', group: 2, checked: (s) => s.preferences.portNames, run: (e) => e.prefer({ portNames: !e.state.preferences.portNames }) }, // prettier-ignore
  { id: 'grid', title: 'Grid', menu: 'View', group: 2, checked: (s) => s.preferences.grid, run: (e) => e.prefer({ grid: !e.state.preferences.grid }) }, // prettier-ignore
  { id: 'minimap', title: 'Minimap', menu: 'View', group: 2, checked: (s) => s.preferences.minimap, run: (e) => e.prefer({ minimap: !e.state.preferences.minimap }) }, // prettier-ignore
  { id: 'toggle-left', title: 'Blocks and outline', menu: 'View', group: 3, checked: (s) => s.preferences.left !== 'none', run: (e) => e.prefer({ left: e.state.preferences.left === 'none' ? 'blocks' : 'none' }) }, // prettier-ignore
  { id: 'toggle-right', title: 'Inspector', menu: 'View', group: 3, checked: (s) => s.preferences.rightOpen, run: (e) => e.prefer({ rightOpen: !e.state.preferences.rightOpen }) }, // prettier-ignore
  { id: 'toggle-bottom', title: 'Results panel', menu: 'View', group: 3, checked: (s) => s.preferences.bottomOpen, run: (e) => e.prefer({ bottomOpen: !e.state.preferences.bottomOpen }) }, // prettier-ignore
  { id: 'dark', title: 'Dark theme', menu: 'View', group: 4, checked: (s) => s.dark, run: (e) => e.prefer({ theme: e.state.dark ? 'light' : 'dark' }) }, // prettier-ignore
  { id: 'run', title: 'Run', menu: 'Model', group: 1, enabled: hasDoc, run: (e) => runs.runOrResume(e) },
  {
    id: 'pause',
    title: 'Pause or go on',
    menu: 'Model',
    group: 1,
    enabled: isRunning,
    run: (e) => runs.pauseOrResume(e),
  },
  { id: 'step-event', title: 'Step to the next event', menu: 'Model', group: 1, enabled: hasDoc, run: (e) => runs.step(e, 'event') }, // prettier-ignore
  { id: 'step-step', title: 'Step of the solver', menu: 'Model', group: 1, enabled: hasDoc, run: (e) => runs.step(e, 'step') }, // prettier-ignore
  { id: 'stop', title: 'Stop', menu: 'Model', group: 1, enabled: isRunning, run: (e) => runs.stop(e) },
  {
    id: 'breaks',
    title: 'Break conditions…',
    menu: 'Model',
    group: 1,
    enabled: hasDoc,
    run: dialog('breaks'),
  },
  {
    id: 'simulation',
    title: 'Simulation settings…',
    menu: 'Model',
    group: 2,
    enabled: hasDoc,
    run: dialog('simulation'),
  },
  { id: 'initialization', title: 'Initialization…', menu: 'Model', group: 2, enabled: hasDoc, run: dialog('initialization') }, // prettier-ignore
  { id: 'group', title: 'Group into super block', menu: 'Model', group: 3, enabled: hasBlocks, run: (e) => edits.edit(e, [['group', 'Group', ...edits.selectedPaths(e)]], { label: 'Group', select: 'made' }) }, // prettier-ignore
  { id: 'ungroup', title: 'Ungroup', menu: 'Model', group: 3, enabled: oneSuper, run: (e) => edits.edit(e, [['ungroup', edits.selectedPaths(e)[0]!]], { label: 'Ungroup' }) }, // prettier-ignore
  { id: 'enter', title: 'Open block', menu: 'Model', group: 3, enabled: oneBlock, run: (e) => openBlock(e, theBlock(e.state)?.name ?? '') }, // prettier-ignore
  { id: 'look-inside', title: 'Look inside', menu: 'Model', group: 3, enabled: oneSuper, run: (e) => openBlock(e, theBlock(e.state)?.name ?? '', true) }, // prettier-ignore
  {
    id: 'leave',
    title: 'Leave diagram',
    menu: 'Model',
    group: 3,
    enabled: (s) => s.diagram !== '/',
    run: leave,
  },
  { id: 'mask', title: 'Mask editor…', menu: 'Model', group: 4, enabled: (s) => oneSuper(s) || s.diagram !== '/', run: dialog('mask') }, // prettier-ignore
  { id: 'auto-mask', title: 'Auto-mask', menu: 'Model', group: 4, enabled: (s) => oneSuper(s) || s.diagram !== '/', run: (e) => edits.edit(e, [['automask', oneSuper(e.state) ? edits.selectedPaths(e)[0]! : e.state.diagram]], { label: 'Auto-mask' }) }, // prettier-ignore
  {
    id: 'linearise',
    title: 'Linearise…',
    menu: 'Tools',
    group: 1,
    enabled: hasDoc,
    run: dialog('linearise'),
  },
  {
    id: 'schedule',
    title: 'What runs when',
    menu: 'Tools',
    group: 1,
    enabled: hasDoc,
    run: dialog('schedule'),
  },
  ...toolCommands.filter((c) => c.group === 1),
  ...toolCommands.filter((c) => c.group === 2),
  { id: 'builder', title: 'Block builder…', menu: 'Tools', group: 2, enabled: oneSuper, run: (e) => e.store.set({ dialog: { kind: 'builder', block: edits.selectedPaths(e)[0]! } }) }, // prettier-ignore
  { id: 'code', title: 'Program of the block…', menu: 'Tools', group: 2, enabled: codeOf, run: (e) => e.store.set({ dialog: { kind: 'code', block: edits.selectedPaths(e)[0]! } }) }, // prettier-ignore
  { id: 'fmu', title: 'Import FMU…', menu: 'Tools', group: 2, enabled: hasDoc, run: dialog('fmu') },
  { id: 'export', title: 'Export results…', menu: 'Tools', group: 2, enabled: (s) => currentRun(s) !== null, run: dialog('export') }, // prettier-ignore
  { id: 'restart-worker', title: 'Restart the engine of this model', menu: 'Tools', group: 3, enabled: hasDoc, run: (e) => e.ask('restart_worker') }, // prettier-ignore
  { id: 'another-tab', title: 'Address for another tab', menu: 'Tools', group: 3, run: anotherTab },
  { id: 'settings', title: 'Settings…', menu: 'Tools', group: 4, run: dialog('settings') },
  { id: 'keys', title: 'Keys…', menu: 'Help', group: 1, run: dialog('keys') },
  { id: 'tour', title: 'First steps', menu: 'Help', group: 1, run: (e) => e.prefer({ tourDone: false }) },
  { id: 'about', title: 'About Orrery', menu: 'Help', group: 2, run: dialog('about') },
  { id: 'commands', title: 'Search blocks and commands', menu: 'Help', group: 1, run: dialog('commands') },
  ...nudges,
  { id: 'parameters', title: 'Go to the parameters', hidden: true, run: (e) => openBlockFields(e) },
  { id: 'cancel', title: 'Cancel', hidden: true, run: (e) => { e.select(noSelection); e.store.set({ adding: null }); } }, // prettier-ignore
  { id: 'next-region', title: 'Next part of the window', hidden: true, run: nextRegion },
  ...(['right', 'left', 'up', 'down'] as const).map((way): Command => ({ id: `follow-${way}`, title: `Follow links ${way}`, hidden: true, run: (e, s) => walk(e, s, followLink(e.state, way)) })), // prettier-ignore
  { id: 'next-block', title: 'Next block', hidden: true, run: (e, s) => walk(e, s, nextBlock(e.state, 1)) },
  {
    id: 'previous-block',
    title: 'Previous block',
    hidden: true,
    run: (e, s) => walk(e, s, nextBlock(e.state, -1)),
  },
];

export const commandById = new Map(commands.map((c) => [c.id, c]));

export function perform(id: string, editor: Editor, sheet: SheetView | null): boolean {
  const command = commandById.get(id);
  if (!command || command.present?.(editor.state) === false) return false;
  if (command.enabled && !command.enabled(editor.state)) return false;
  void command.run(editor, sheet);
  return true;
}

function toggleOverlay(overlay: State['overlay']) {
  return (e: Editor) => e.store.set((s) => ({ overlay: s.overlay === overlay ? 'none' : overlay }));
}

function walk(e: Editor, sheet: SheetView | null, name: string | null) {
  if (!name) return;
  if (sheet) sheet.keyboard = true;
  e.select({ ...noSelection, blocks: new Set([name]) });
  sheet?.revealBlocks([name]);
}

function openBlockFields(e: Editor) {
  e.prefer({ rightOpen: true });
  setTimeout(() => document.querySelector<HTMLElement>('[data-first-field] .cm-content, [data-first-field] input, [data-first-field] button')?.focus(), 60); // prettier-ignore
}

function arrange(e: Editor) {
  const count = e.state.scene.blocks.length;
  if (count > 100 && !window.confirm(`Arrange moves up to ${count} blocks. Undo brings them back.`)) return;
  return edits.edit(e, [['arrange', e.state.diagram]], { label: 'Arrange' });
}

async function savePicture(e: Editor) {
  const { doc, diagram, dark } = e.state;
  if (!doc) return;
  try {
    const answer = await e.http.get(`/picture.svg?doc=${doc.doc}&diagram=${encodeURIComponent(diagram)}&theme=${dark ? 'dark' : 'light'}`); // prettier-ignore
    download(await answer.blob(), `${doc.name || 'diagram'}.svg`);
  } catch (error) {
    e.report(error);
  }
}

export function download(blob: Blob, name: string) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function anotherTab(e: Editor) {
  try {
    const { address } = await e.request<{ address: string }>('code');
    await navigator.clipboard.writeText(address).catch(() => {});
    e.toast(`Open within a minute: ${address}`);
  } catch (error) {
    e.report(error);
  }
}

function nextRegion() {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-region]')];
  const at = regions.findIndex((r) => r.contains(document.activeElement));
  const next = regions[(at + 1) % regions.length];
  (next?.querySelector<HTMLElement>('[tabindex="0"], button, input') ?? next)?.focus();
}
