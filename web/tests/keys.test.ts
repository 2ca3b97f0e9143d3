// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandById } from '../src/keys/commands';
import { commandFor, keyTable, keyText, startsTyping } from '../src/keys/table';

const press = (key: string, more: Partial<Parameters<typeof keyText>[0]> = {}) => ({ key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...more }); // prettier-ignore

test('no key appears twice', () => {
  const seen = new Set<string>();
  for (const { key } of keyTable) {
    assert.ok(!seen.has(key), `${key} appears twice`);
    seen.add(key);
  }
});

test('every key has a command', () => {
  for (const { command } of keyTable) assert.ok(commandById.has(command), command);
});

test('no single letter or digit is a command, and none that browsers keep for themselves', () => {
  for (const { key } of keyTable) {
    assert.ok(!/^(Shift\+)?[A-Z0-9]$/.test(key), key);
    assert.ok(!['Ctrl+N', 'Ctrl+T', 'Ctrl+W'].includes(key), key);
  }
});

test('keys are read as they are printed in the table', () => {
  assert.equal(keyText(press('z', { ctrlKey: true })), 'Ctrl+Z');
  assert.equal(keyText(press('Z', { ctrlKey: true, shiftKey: true })), 'Ctrl+Shift+Z');
  assert.equal(keyText(press('!', { ctrlKey: true, shiftKey: true, code: 'Digit1' })), 'Ctrl+Shift+1');
  assert.equal(keyText(press('+', { ctrlKey: true, shiftKey: true })), 'Ctrl++');
  assert.equal(keyText(press(' ')), 'Space');
  assert.equal(commandFor(press('z', { metaKey: true }), false), 'undo');
  assert.equal(commandFor(press('d', { ctrlKey: true }), false), null);
  assert.equal(commandFor(press('d', { ctrlKey: true }), true), 'duplicate');
});

test('letters, digits and the beginnings of formulas type', () => {
  for (const key of ['g', 'Z', '2', '*', '@', '1', 'ü']) assert.ok(startsTyping(press(key)), key);
  for (const key of ['Enter', 'F2', ' ', 'ArrowUp']) assert.ok(!startsTyping(press(key)), key);
  assert.ok(!startsTyping(press('g', { ctrlKey: true })));
});

test('keys of the design', () => {
  const wanted: [string, string][] = [['Ctrl+K', 'commands'], ['Ctrl+Enter', 'run'], ['F5', 'run'], ['Shift+F5', 'stop'], ['F6', 'pause'], ['F10', 'step-event'], ['F11', 'step-step'], ['Ctrl+Y', 'redo'], ['Ctrl+R', 'rotate'], ['Ctrl+I', 'flip'], ['Ctrl+G', 'group'], ['Ctrl+Shift+G', 'ungroup'], ['Ctrl+M', 'mask'], ['Ctrl+F', 'find'], ['Ctrl+0', 'zoom-100'], ['Ctrl+Shift+1', 'zoom-selection'], ['Enter', 'enter'], ['Backspace', 'leave'], ['Alt+Enter', 'parameters'], ['Ctrl+E', 'simulation'], ['Ctrl+Shift+X', 'comment-out'], ['Ctrl+L', 'arrange'], ['Ctrl+U', 'look-inside'], ['Ctrl+Shift+L', 'link-to']]; // prettier-ignore
  const table = new Map(keyTable.map((r) => [r.key, r.command]));
  for (const [key, command] of wanted) assert.equal(table.get(key), command, key);
});
