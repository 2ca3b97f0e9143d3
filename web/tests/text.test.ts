// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { library } from '../e2e/fixtures';
import { coefficients, formulaBlock } from '../src/canvas/formulas';
import { fuzzy, propose } from '../src/canvas/match_types';
import type { LibraryType } from '../src/protocol/messages';
import { usesOf } from '../src/text/used_by';
import { numbersIn, scrubbed, stepOf } from '../src/text/scrub';

const types = library.types as unknown as LibraryType[];

test('formulas become blocks', () => {
  const cases: [string, string, Record<string, string>][] = [
    ['2.5', 'Constant', { value: '2.5' }],
    ['-1e3', 'Constant', { value: '-1e3' }],
    ['[1 2; 3 4]', 'Constant', { value: '[1 2; 3 4]' }],
    ['*k', 'Gain', { k: 'k' }],
    ['* 2*m', 'Gain', { k: '2*m' }],
    ['1/s', 'Integral', {}],
    ['z^-1', 'DiscreteDelay', {}],
    ['@0.1', 'SampleClock', { period: '0.1' }],
    ['1/(s+2)', 'ContTransFunc', { num: '1', den: '[1 2]' }],
    ['(s+1)/(0.5*s^2+k*s+1)', 'ContTransFunc', { num: '[1 1]', den: '[0.5 k 1]' }],
    ['1/(s^2-3)', 'ContTransFunc', { num: '1', den: '[1 0 -3]' }],
    ['(2.4z-2)/(z-1)', 'DiscrTransFunc', { num: '[2.4 -2]', den: '[1 -1]' }],
    ['u1*sin(u2)', 'MathExpression', { inputs: '2', expression: "'u1*sin(u2)'" }],
  ];
  for (const [text, type, parameters] of cases) {
    const block = formulaBlock(text);
    assert.equal(block?.type, type, text);
    assert.deepEqual(block?.parameters, parameters, text);
  }
  for (const text of ['gain', 'sum', 's', '1/', '1/x', '1/(s+s)'])
    assert.equal(formulaBlock(text), null, text);
});

test('coefficients, highest power first', () => {
  assert.deepEqual(coefficients('s^3+2', 's'), ['1', '0', '0', '2']);
  assert.deepEqual(coefficients('-s', 's'), ['-1', '0']);
  assert.equal(coefficients('sin(s)', 's'), null);
});

test('typed names find blocks: exact, beginning, capitals; recent ones first', () => {
  assert.equal(propose('gain', types, [], null)[0]?.type, 'Gain');
  assert.equal(propose('sh', types, [], null)[0]?.type, 'SampleHold');
  assert.equal(propose('2.5', types, [], null)[0]?.type, 'Constant');
  assert.equal(propose('s', types, ['Scope'], null)[0]?.type, 'Scope');
  assert.equal(fuzzy('xq', 'Gain'), 0);
  assert.ok(fuzzy('gain', 'Gain') > fuzzy('gain', 'MatrixGain'));
});

test('from a port only blocks that fit are proposed', () => {
  const port = {
    at: [0, 0] as const,
    side: 'right' as const,
    activation: true,
    output: true,
    connected: false,
    number: 1,
  };
  const found = propose('', types, [], { block: 'Clock', port });
  assert.ok(found.every((p) => types.find((t) => t.name === p.type)!.ports.event_in > 0));
  assert.ok(found.some((p) => p.type === 'SampleHold'));
});

test('numbers of a line, without those of names, strings and comments', () => {
  assert.deepEqual(numbersIn('x1 = 0.9 + a2*[3 4e-2]; % 7').map((n) => n.text), ['0.9', '3', '4e-2']); // prettier-ignore
  assert.deepEqual(numbersIn("s = 'take 5'; t = \"6\"; u = 1").map((n) => n.text), ['1']); // prettier-ignore
});

test('a dragged number changes in steps of its size, keeps its form and never turns negative', () => {
  assert.equal(stepOf('0.9'), 0.01);
  assert.equal(scrubbed('0.9', -5), '0.85');
  assert.equal(scrubbed('0.9', -1, true), '0.899');
  assert.equal(scrubbed('10', 3), '13');
  assert.equal(scrubbed('9.81', 1), '9.9');
  assert.equal(scrubbed('1e-8', 1), '1.1e-8');
  assert.equal(scrubbed('0.9', -5000), '0.00');
  assert.equal(scrubbed('0', 2), '0.2');
});

test('uses of a name are whole names, and not the line itself', () => {
  const match = (kind: string, text: string, more: object = {}) => ({ kind, diagram: '/', text, ...more });
  const uses = usesOf('k', [
    match('context', 'k = 2;', { line: 1 }),
    match('context', 'm = 3*k;', { line: 2 }),
    match('parameter', 'kp + 1', { block: '/A', parameter: 'x' }),
    match('parameter', '2*k', { block: '/B', parameter: 'k' }),
    match('parameter', 'k', { block: '/B', parameter: 'k' }),
    match('parameter', 'k', { block: '/C', parameter: 'k' }),
    match('parameter', 'k', { block: '/C', parameter: 'k' }),
    match('parameter', 's.k', { block: '/D', parameter: 'x' }),
  ], { diagram: '/', line: 1 }); // prettier-ignore
  assert.deepEqual(uses.map((u) => u.block ?? `line ${u.line}`), ['line 2', '/B', '/C']); // prettier-ignore
});
