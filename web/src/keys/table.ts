// SPDX-License-Identifier: Apache-2.0
// All keys in one table. No single letter is a command: letters typed on the sheet add blocks.
//
// `where`: "page" works everywhere, "sheet" only while the sheet has the focus.

export interface KeyRow {
  key: string;
  command: string;
  where: 'page' | 'sheet';
}

const page = (command: string, ...keys: string[]): KeyRow[] =>
  keys.map((key) => ({ key, command, where: 'page' }));
const sheet = (command: string, ...keys: string[]): KeyRow[] =>
  keys.map((key) => ({ key, command, where: 'sheet' }));

export const keyTable: readonly KeyRow[] = [
  ...page('commands', 'Ctrl+K'),
  ...page('run', 'Ctrl+Enter', 'F5'),
  ...page('stop', 'Shift+F5'),
  ...page('pause', 'F6'),
  ...page('step-event', 'F10'),
  ...page('step-step', 'F11'),
  ...page('save', 'Ctrl+S'),
  ...page('save-as', 'Ctrl+Shift+S'),
  ...page('open', 'Ctrl+O'),
  ...page('undo', 'Ctrl+Z'),
  ...page('redo', 'Ctrl+Y', 'Ctrl+Shift+Z'),
  ...page('find', 'Ctrl+F'),
  ...page('simulation', 'Ctrl+E'),
  ...page('toggle-left', 'Ctrl+B'),
  ...page('toggle-right', 'Ctrl+Alt+B'),
  ...page('toggle-bottom', 'Ctrl+J'),
  ...page('keys', 'F1'),
  ...page('next-region', 'Alt+F6'),
  ...sheet('copy', 'Ctrl+C'),
  ...sheet('cut', 'Ctrl+X'),
  ...sheet('paste', 'Ctrl+V'),
  ...sheet('select-all', 'Ctrl+A'),
  ...sheet('duplicate', 'Ctrl+D'),
  ...sheet('rotate', 'Ctrl+R'),
  ...sheet('flip', 'Ctrl+I'),
  ...sheet('group', 'Ctrl+G'),
  ...sheet('ungroup', 'Ctrl+Shift+G'),
  ...sheet('mask', 'Ctrl+M'),
  ...sheet('look-inside', 'Ctrl+U'),
  ...sheet('comment-out', 'Ctrl+Shift+X'),
  ...sheet('arrange', 'Ctrl+L'),
  ...sheet('link-to', 'Ctrl+Shift+L'),
  ...sheet('rename', 'F2'),
  ...sheet('remove', 'Delete'),
  ...sheet('fit', 'Space'),
  ...sheet('zoom-100', 'Ctrl+0'),
  ...sheet('zoom-in', 'Ctrl++', 'Ctrl+='),
  ...sheet('zoom-out', 'Ctrl+-'),
  ...sheet('zoom-selection', 'Ctrl+Shift+1'),
  ...sheet('enter', 'Enter'),
  ...sheet('leave', 'Backspace'),
  ...sheet('parameters', 'Alt+Enter'),
  ...sheet('cancel', 'Escape'),
  ...sheet('nudge-left', 'ArrowLeft'),
  ...sheet('nudge-right', 'ArrowRight'),
  ...sheet('nudge-up', 'ArrowUp'),
  ...sheet('nudge-down', 'ArrowDown'),
  ...sheet('nudge-left-far', 'Shift+ArrowLeft'),
  ...sheet('nudge-right-far', 'Shift+ArrowRight'),
  ...sheet('nudge-up-far', 'Shift+ArrowUp'),
  ...sheet('nudge-down-far', 'Shift+ArrowDown'),
  ...sheet('nudge-left-fine', 'Ctrl+ArrowLeft'),
  ...sheet('nudge-right-fine', 'Ctrl+ArrowRight'),
  ...sheet('nudge-up-fine', 'Ctrl+ArrowUp'),
  ...sheet('nudge-down-fine', 'Ctrl+ArrowDown'),
  ...sheet('follow-right', 'Alt+ArrowRight'),
  ...sheet('follow-left', 'Alt+ArrowLeft'),
  ...sheet('follow-up', 'Alt+ArrowUp'),
  ...sheet('follow-down', 'Alt+ArrowDown'),
  ...sheet('next-block', 'Tab'),
  ...sheet('previous-block', 'Shift+Tab'),
];

export interface KeyLike {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
  code?: string;
}

// "Ctrl+Shift+Z": modifiers in this order. Cmd counts as Ctrl, so that a Mac needs no table of its own.
export function keyText(e: KeyLike): string {
  let key = e.key === ' ' ? 'Space' : e.key.length === 1 ? e.key.toUpperCase() : e.key;
  // With Shift the digit row gives signs; the table names the digit.
  const digit = /^Digit(\d)$/.exec(e.code ?? '')?.[1];
  if (digit && e.ctrlKey && e.shiftKey) key = digit;
  const sign = key.length === 1 && !/[A-Z0-9]/.test(key);
  return (
    (e.ctrlKey || e.metaKey ? 'Ctrl+' : '') +
    (e.altKey ? 'Alt+' : '') +
    (e.shiftKey && !sign ? 'Shift+' : '') +
    key
  );
}

const byKey = new Map(keyTable.map((row) => [row.key, row]));

export function commandFor(e: KeyLike, onSheet: boolean): string | null {
  const row = byKey.get(keyText(e));
  return row && (row.where === 'page' || onSheet) ? row.command : null;
}

export const keysOf = (command: string) =>
  keyTable.filter((row) => row.command === command).map((row) => row.key);

const mac = typeof navigator !== 'undefined' && /Mac/.test(navigator.platform);
export const shownKey = (key: string) =>
  (mac ? key.replace('Ctrl+', '⌘') : key)
    .replace('ArrowLeft', '←')
    .replace('ArrowRight', '→')
    .replace('ArrowUp', '↑')
    .replace('ArrowDown', '↓');

// Whether a key begins to type a block's name or a formula.
export const startsTyping = (e: KeyLike) =>
  !e.ctrlKey && !e.metaKey && !e.altKey && e.key.length === 1 && /[\p{L}\p{N}*/@+\-(.[]/u.test(e.key);
