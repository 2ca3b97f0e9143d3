// SPDX-License-Identifier: Apache-2.0
// Tools as words of a command, tables, figures over time, places of errors in programs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tool } from '../src/protocol/messages';
import { type FigureData, frameAt, objectsAt } from '../src/scope/figure';
import { extent, parseTable } from '../src/shell/sweep_table';
import { ownOptions, toolOptions, writtenFiles } from '../src/state/tool_actions';
import { codeProblems } from '../src/text/code_problems';

const sweep: Tool = {
  command: 'sweep',
  about: '',
  arguments: ['MODEL'],
  options: [
    { name: '--vary', about: 'may be repeated', kind: 'text', repeats: true },
    { name: '--fresh', about: '', kind: 'none' },
    { name: '--runs', about: '', kind: 'text' },
    { name: '--out', about: '', kind: 'file', value: 'FILE' },
    { name: '--stop', about: '', kind: 'text' },
  ],
};

test('options become pairs: lines repeat, flags have no text, what is empty is left out', () => {
  const values = { '--vary': 'a=1:3\n\n b=[1 2] ', '--fresh': 'on', '--runs': ' ', '--out': 'x.csv' };
  assert.deepEqual(toolOptions(sweep, values), [
    ['--vary', 'a=1:3'],
    ['--vary', 'b=[1 2]'],
    ['--fresh', ''],
    ['--out', 'x.csv'],
  ]);
  assert.deepEqual(writtenFiles(sweep, values), ['x.csv']);
  const [own, common] = ownOptions(sweep, ['stop', 'solver']);
  assert.deepEqual([own.length, common.map((o) => o.name)], [4, ['--stop']]);
});

test('tables of runs', () => {
  const table = parseTable('a,"b,c"\n1,2\n3,\n');
  assert.deepEqual(parseTable('run,failure,y\n1,,3\n2,step-underflow,\n').failures, ['', 'step-underflow']);
  assert.deepEqual(table.names, ['a', 'b,c']);
  assert.equal(table.rows[0]![1], 2);
  assert.ok(Number.isNaN(table.rows[1]![1]));
  assert.deepEqual(extent([3, NaN, 1, Infinity]), [1, 3]);
  assert.deepEqual(extent([2, 2]), [1.5, 2.5]);
  assert.deepEqual(extent([]), [0, 1]);
});

test('a figure at a time is what stays, the copies so far, what moves', () => {
  const data: FigureData = {
    run: 1,
    block: '/F',
    from: 0,
    to: 3,
    canvas: [0, 0, 1, 1],
    zoom: 1,
    frames: [
      { t: 0, still: [['polygon', null, 0, 0]], moving: [['circle', '#fff', 0, 0, 1]], copies: 0 },
      { t: 1, moving: [['circle', '#fff', 1, 0, 1]], copies: 1 },
      { t: 2, still: [['polygon', null, 9, 9]], moving: [['circle', '#fff', 2, 0, 1]], copies: 2 },
    ],
    copies: [[['circle', '#fff', 0.5, 0, 1]], [['circle', '#fff', 1.5, 0, 1]]],
    all_copies: 2,
  };
  assert.deepEqual(
    [-1, 0, 0.9, 1, 1.5, 2, 9].map((t) => frameAt(data.frames, t)),
    [-1, 0, 0, 1, 1, 2, 2],
  );
  assert.deepEqual(
    objectsAt(data, 1.2).map((o) => o[2]),
    [0, 0.5, 1],
  );
  assert.deepEqual(
    objectsAt(data, 9).map((o) => o[2]),
    [9, 0.5, 1.5, 2],
  );
  assert.equal(objectsAt(data, -5).length, 2); // before the first frame: as it begins
});

test('errors of programs have lines', () => {
  const list = [
    {
      code: 'bad-parameter',
      block: '/P',
      port: 'parameter code',
      message: 'with flag 1, line 2, column 21: unexpected *',
    },
    { code: 'bad-c', block: '/P', message: 'does not compile', notes: ['block.c:7:3: error: x', 'further'] },
    { code: 'other', block: '/Q', message: 'line 1' },
  ];
  const found = codeProblems(list, '/P', 'code');
  assert.deepEqual(
    found.map((p) => [p.line, p.column]),
    [
      [2, 21],
      [7, 3],
    ],
  );
});
