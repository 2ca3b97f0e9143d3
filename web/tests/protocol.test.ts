// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ballScene, sampleFrame } from '../e2e/fixtures';
import { noSelection } from '../src/canvas/gestures';
import { Connection, Refused, type SocketLike } from '../src/protocol/connection';
import { decodeSamples, toCurves } from '../src/protocol/samples';
import { readScene } from '../src/protocol/wire_scene';
import { blockIn, join, split, trail } from '../src/state/paths';
import { applySelect, keepExisting } from '../src/state/selection';
import * as steps from '../src/state/steps';
import { Store } from '../src/state/store';

const plain = (b: Buffer) => b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength) as ArrayBuffer;

test('sample frames are read back, and a damaged one is refused', () => {
  const frame = decodeSamples(plain(sampleFrame(3, 9, [0, 1, 2], [[1, 2, 3], [4, 5, NaN]]))); // prettier-ignore
  assert.equal(frame.run, 3);
  assert.equal(frame.watch, 9);
  assert.equal(frame.ended, true);
  assert.deepEqual([...frame.times], [0, 1, 2]);
  assert.deepEqual([...frame.channels[1]!], [4, 5, NaN]);
  const whole = plain(sampleFrame(1, 1, [0, 1], [[1, 2]])); // prettier-ignore
  assert.throws(() => decodeSamples(whole.slice(0, 40)), /bytes/);
  assert.throws(() => decodeSamples(new ArrayBuffer(4)), /head/);
});

test('buckets keep first, extremes and last in an order that draws no needless lines', () => {
  const n = 2;
  const buffer = new ArrayBuffer(16 + 8 * n * 5 + n);
  const view = new DataView(buffer);
  view.setUint8(0, 1);
  view.setUint8(1, 1);
  view.setUint16(2, 1, true);
  view.setUint32(12, n, true);
  const arrays = [[0, 1], [0, 5], [-1, 2], [4, 6], [3, 2.5]]; // prettier-ignore
  arrays.forEach((a, k) => a.forEach((v, j) => view.setFloat64(16 + 8 * (k * n + j), v, true)));
  const { x, y } = toCurves(decodeSamples(buffer));
  assert.deepEqual([...x], [0, 0.25, 0.5, 0.75, 1, 1, 1, 1]);
  assert.deepEqual([...y[0]!], [0, -1, 4, 3, 5, 6, 2, 2.5]); // rising: minimum first; falling: maximum first
});

class PlayedSocket implements SocketLike {
  binaryType = '';
  onopen: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  sent: { id: number; do: string }[] = [];
  send(text: string) {
    this.sent.push(JSON.parse(text) as { id: number; do: string });
  }
  close() {
    this.onclose?.(undefined as never);
  }
}

test('requests are answered by their number, refused with a diagnostic, and fail when the line breaks', async () => {
  const sockets: PlayedSocket[] = [];
  const connection = new Connection(() => sockets[sockets.push(new PlayedSocket()) - 1]!);
  const states: string[] = [];
  connection.onState = (s) => states.push(s);
  await assert.rejects(connection.request('early'), Refused);
  connection.start();
  const socket = sockets[0]!;
  socket.onopen?.(undefined as never);
  const a = connection.request<{ x: number }>('one');
  const b = connection.request('two');
  const c = connection.request('three');
  const [one, two] = socket.sent;
  socket.onmessage?.({ data: JSON.stringify({ id: two!.id, error: { code: 'no', message: 'not today' } }) });
  socket.onmessage?.({ data: JSON.stringify({ id: one!.id, ok: { x: 7 } }) });
  assert.equal((await a).x, 7);
  await assert.rejects(b, (e: Refused) => e.diagnostic.code === 'no');
  socket.close();
  await assert.rejects(c, (e: Refused) => e.diagnostic.code === 'not-connected');
  assert.deepEqual(states, ['connecting', 'open', 'lost']);
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(sockets.length, 2); // it tried again by itself
  connection.stop();
});

test('the store tells listeners only of changes', () => {
  const store = new Store({ a: 1, b: 'x' });
  let calls = 0;
  const leave = store.subscribe(() => ++calls);
  store.set({ a: 1 });
  assert.equal(calls, 0);
  store.set((s) => ({ a: s.a + 1 }));
  assert.equal(calls, 1);
  assert.equal(store.get().a, 2);
  leave();
  store.set({ b: 'y' });
  assert.equal(calls, 1);
});

test('paths', () => {
  assert.equal(join('/', 'A'), '/A');
  assert.equal(join('/A', 'B'), '/A/B');
  assert.deepEqual(split('/A/B'), { diagram: '/A', name: 'B' });
  assert.deepEqual(split('/B'), { diagram: '/', name: 'B' });
  assert.deepEqual(trail('/A/B').map((p) => p.path), ['/A', '/A/B']); // prettier-ignore
  assert.equal(blockIn('/', '/A/B'), 'A');
  assert.equal(blockIn('/A', '/A/B/C'), 'B');
  assert.equal(blockIn('/A', '/AB'), null);
});

test('commands are the words of the command line', () => {
  const scene = readScene(ballScene());
  assert.deepEqual(steps.add('/', 'Gain', [10, 20], { k: '2 * m' }), [
    'add',
    'Gain',
    'in',
    '/',
    'at',
    '10,20',
    'k=2 * m',
  ]);
  assert.deepEqual(steps.connect('/P', true, ['C', 1], ['H', 2]), ['connect', 'event', '/P/C:1', '/P/H:2']);
  const gone = steps.removeSteps('/', scene, { blocks: new Set(['Ball']), branches: new Set(['Split:2>Speed:1', 'Gravity:1>Ball:1']), notes: new Set([0, 2]) }); // prettier-ignore
  assert.deepEqual(gone, [['disconnect', '/Split:2', '/Speed:1'], ['remove', '/Ball'], ['unnote', 'in', '/', '3'], ['unnote', 'in', '/', '1']]); // prettier-ignore
  const out = steps.pullOutSteps('/', scene, 'Split');
  assert.deepEqual(out.at(-1), ['connect', '/Ball:1', '/Height:1']);
  assert.equal(steps.turned('right', 'flip'), 'flip');
  let flow: 'right' | 'left' | 'up' | 'down' = 'right';
  for (let k = 0; k < 4; ++k) flow = { right: 'right', flip: 'left', up: 'up', down: 'down' }[steps.turned(flow, 'rotate')] as typeof flow; // prettier-ignore
  assert.equal(flow, 'right'); // four quarter turns
});

test('a selection keeps what still exists', () => {
  const scene = readScene(ballScene());
  const both = {
    ...noSelection,
    blocks: new Set(['Ball', 'Gone']),
    branches: new Set(['Split:2>Speed:1', 'No:1>Ball:1']),
  };
  const kept = keepExisting(both, scene);
  assert.deepEqual([...kept.blocks], ['Ball']);
  assert.deepEqual([...kept.branches], ['Split:2>Speed:1']);
  assert.equal(keepExisting(kept, scene), kept);
  const toggled = applySelect(kept, {
    say: 'select',
    blocks: ['Ball'],
    branches: [],
    notes: [],
    mode: 'toggle',
  });
  assert.equal(toggled.blocks.size, 0);
});
