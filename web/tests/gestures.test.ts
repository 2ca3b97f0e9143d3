// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ballScene } from '../e2e/fixtures';
import { type Gesture, type GestureContext, type Message, type PointerInput, idle, noSelection, reduceGesture } from '../src/canvas/gestures'; // prettier-ignore
import { hitTest } from '../src/canvas/hit';
import { ScenePainter } from '../src/canvas/painter';
import { type Point, type Scene } from '../src/canvas/scene';
import { readScene } from '../src/protocol/wire_scene';
import { whyNot } from '../src/state/steps';

function stage(scene: Scene, selected: string[] = []) {
  const painter = new ScenePainter();
  painter.setScene(scene);
  const selection = { ...noSelection, blocks: new Set(selected) };
  const context: GestureContext = { scene, selection, zoom: 1, readOnly: false, canConnect: whyNot };
  let state: Gesture = idle;
  const said: Message[] = [];
  const send = (kind: PointerInput['kind'], at: Point, more: Partial<PointerInput> = {}) => {
    const hit = hitTest(painter, at, 1, selection.blocks);
    const input: PointerInput = { kind, at, screen: at, button: 0, shift: false, ctrl: false, alt: false, space: false, hit, ...more }; // prettier-ignore
    const [next, messages] = reduceGesture(state, input, context);
    state = next;
    said.push(...messages);
  };
  const drag = (from: Point, to: Point, more: Partial<PointerInput> = {}) => {
    send('down', from, more);
    send('move', [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2], more);
    send('move', to, more);
    send('up', to, more);
  };
  return { send, drag, said, context, state: () => state };
}
const scene = () => readScene(ballScene());
// Ball with its outputs taken off, so that ports are free.
const unlinked = (): Scene => {
  const s = scene();
  return {
    ...s,
    links: [],
    blocks: s.blocks.map((b) => ({ ...b, ports: b.ports.map((p) => ({ ...p, connected: false })) })),
  };
};

test('a click selects, Shift adds, empty space clears', () => {
  const s = stage(scene());
  s.send('down', [30, 100]);
  s.send('up', [30, 100]);
  assert.deepEqual(s.said, [{ say: 'select', blocks: ['Gravity'], branches: [], notes: [], mode: 'set' }]);
  s.said.length = 0;
  s.send('down', [140, 90], { shift: true });
  s.send('up', [140, 90], { shift: true });
  assert.equal(s.said[0]?.say === 'select' && s.said[0].mode, 'toggle');
  s.said.length = 0;
  s.send('down', [30, 300]);
  s.send('up', [30, 300]);
  assert.equal(s.said[0]?.say === 'select' && s.said[0].blocks.length, 0);
});

test('a drag moves the block by the grid and is kept once', () => {
  const s = stage(unlinked());
  s.drag([30, 90], [83, 251]);
  const kept = s.said.filter((m) => m.say === 'move' && m.phase === 'keep');
  assert.equal(kept.length, 1);
  const m = kept[0] as Extract<Message, { say: 'move' }>;
  assert.deepEqual(m.names, ['Gravity']);
  assert.equal((0 + m.by[0]) % 10, 0);
  assert.deepEqual(s.state(), idle);
});

test('a move of less than three pixels is a click', () => {
  const s = stage(scene());
  s.send('down', [30, 100]);
  s.send('move', [32, 100]);
  s.send('up', [32, 100]);
  assert.deepEqual(s.said.map((m) => m.say), ['select']); // prettier-ignore
});

test('a selected group moves together, Alt copies, Shift pulls out', () => {
  for (const more of [{}, { alt: true }, { shift: true }]) {
    const s = stage(unlinked(), ['Gravity', 'Ball']);
    s.drag([30, 90], [30, 300], more);
    const m = s.said.find((x) => x.say === 'move' && x.phase === 'keep') as Extract<Message, { say: 'move' }>;
    assert.deepEqual(m.names, ['Gravity', 'Ball']);
    assert.equal(m.copy, 'alt' in more);
    assert.equal(m.pull, 'shift' in more);
  }
});

test('Escape during a drag leaves everything as it was', () => {
  const s = stage(unlinked());
  s.send('down', [30, 90]);
  s.send('move', [100, 200]);
  s.said.length = 0;
  s.send('cancel', [100, 200]);
  assert.deepEqual(s.said, []);
  assert.deepEqual(s.state(), idle);
});

test('the box takes what is inside from left to right, and what it touches from right to left', () => {
  const s = stage(scene());
  s.drag([-20, 60], [150, 130]);
  assert.deepEqual((s.said.at(-1) as Extract<Message, { say: 'select' }>).blocks, ['Gravity']);
  s.drag([200, 140], [-20, 60]);
  assert.deepEqual((s.said.at(-1) as Extract<Message, { say: 'select' }>).blocks, ['Gravity', 'Ball']);
});

test('ports connect when they fit and say why when they do not', () => {
  const s = stage(unlinked());
  const gravityOut: Point = [70, 100];
  const ballIn: Point = [120, 80 + 40 / 3];
  s.drag(gravityOut, ballIn);
  const c = s.said.at(-1) as Extract<Message, { say: 'connect' }>;
  assert.equal(c.say, 'connect');
  assert.equal(c.from.block, 'Gravity');
  assert.equal(c.to.block, 'Ball');
  assert.equal(c.to.port.number, 1);
  s.drag(gravityOut, [155, 80]);
  const refused = s.said.at(-1) as Extract<Message, { say: 'refuse' }>;
  assert.equal(refused.say, 'refuse');
  assert.match(refused.reason, /cannot activate/);
});

test('a link let go on nothing asks for a block, on a block takes its first free port', () => {
  const s = stage(unlinked());
  s.drag([70, 100], [80, 260]);
  assert.equal(s.said.at(-1)?.say, 'addFrom');
  s.drag([70, 100], [155, 190]);
  assert.deepEqual(s.said.at(-1), { say: 'connectToBlock', from: (s.said.at(-1) as Extract<Message, { say: 'connectToBlock' }>).from, block: 'Bounce' }); // prettier-ignore
});

test('segments bend, ends come off, double clicks straighten', () => {
  const s = stage(scene());
  // The vertical piece of Split:2 > Speed.
  const points = scene().links[3]!.branches[0]!.points;
  const [, b, c] = points as [Point, Point, Point];
  const middle: Point = [b[0], (b[1] + c[1]) / 2];
  s.drag(middle, [middle[0] + 21, middle[1]]);
  const bend = s.said.at(-1) as Extract<Message, { say: 'bend' }>;
  assert.equal(bend.say, 'bend');
  assert.deepEqual(bend.corners, [[b[0] + 20, b[1]], [c[0] + 20, c[1]]]); // prettier-ignore
  s.send('double', middle);
  assert.equal(s.said.at(-1)?.say, 'straighten');
  const tip = points[3]!;
  s.drag([tip[0] - 4, tip[1]], [155, 190]);
  assert.equal(s.said.at(-1)?.say, 'reconnect');
});

test('a corner of the one selected block resizes it on the grid', () => {
  const s = stage(scene(), ['Gravity']);
  s.drag([70, 120], [103, 138]);
  assert.deepEqual(s.said.at(-1), {
    say: 'resize',
    block: 'Gravity',
    box: { x: 0, y: 80, width: 100, height: 60 },
  });
});

test('an unconnected block dropped on a link is inserted', () => {
  const base = scene();
  const gain = { ...base.blocks[4]!, name: 'New', box: { x: 0, y: 300, width: 70, height: 40 }, ports: base.blocks[4]!.ports.map((p) => ({ ...p, connected: false })) }; // prettier-ignore
  const s = stage({ ...base, blocks: [...base.blocks, gain] });
  const line = base.links[3]!.branches[0]!.points;
  const at: Point = [(line[2]![0] + line[3]![0]) / 2, line[3]![1]];
  s.drag([35, 320], at, { ctrl: true });
  const m = s.said.at(-1) as Extract<Message, { say: 'move' }>;
  assert.equal(m.into?.link.from.block, 'Split');
});

test('the middle button and Space pan; while the server is away nothing is changed', () => {
  const s = stage(scene());
  s.drag([30, 300], [80, 320], { button: 1 });
  assert.ok(s.said.every((m) => m.say === 'pan') && s.said.length > 0);
  const away = stage(scene());
  away.context.readOnly = true;
  away.drag([30, 100], [200, 300]);
  assert.ok(!away.said.some((m) => m.say === 'move'));
});
