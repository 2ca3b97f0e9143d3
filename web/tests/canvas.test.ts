// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valuePlace } from '../src/canvas/paint_live';
import { ballScene, largeScene } from '../e2e/fixtures';
import { GridIndex } from '../src/canvas/grid_index';
import { hitTest } from '../src/canvas/hit';
import { traceRounded } from '../src/canvas/paint_links';
import { collectBadges, shortNumber, shortValue } from '../src/canvas/paint_live';
import { ScenePainter } from '../src/canvas/painter';
import { bendSegment, simplify, stretchLink } from '../src/canvas/reroute';
import { type Box, type Point, overlaps } from '../src/canvas/scene';
import { snapMove } from '../src/canvas/snap';
import { fit, reveal, toScreen, toSheet, visibleBox, zoomAt } from '../src/canvas/viewport';
import { applyChange, readScene } from '../src/protocol/wire_scene';

// A small generator of numbers, so that a failure can be repeated.
function random(seed: number) {
  return () => ((seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0), seed / 2 ** 32);
}

test('the grid finds exactly what a search of everything finds', () => {
  const next = random(7);
  const boxes: Box[] = Array.from({ length: 500 }, () => ({ x: next() * 8000 - 4000, y: next() * 8000 - 4000, width: next() * 700, height: next() * 90 })); // prettier-ignore
  const index = new GridIndex(boxes);
  for (let k = 0; k < 200; ++k) {
    const size = k % 10 === 0 ? 1e6 : 900;
    const area = {
      x: next() * 9000 - 5000,
      y: next() * 9000 - 5000,
      width: next() * size,
      height: next() * size,
    };
    const found = new Set(index.query(area));
    boxes.forEach((b, j) => overlaps(b, area) && assert.ok(found.has(j), `box ${j} of question ${k}`));
    assert.equal(found.size, index.query(area).length);
  }
});

test('zooming keeps the point under the pointer, fit shows all, reveal moves no further than needed', () => {
  const v = { x: 10, y: -20, zoom: 0.8, width: 1000, height: 600 };
  const at: Point = [333, 222];
  const before = toSheet(v, at);
  const after = toSheet(zoomAt(v, at, 1.7), at);
  assert.ok(Math.abs(before[0] - after[0]) < 1e-9 && Math.abs(before[1] - after[1]) < 1e-9);
  const box = { x: -500, y: 100, width: 4000, height: 300 };
  const seen = visibleBox(fit(v, box));
  assert.ok(seen.x <= box.x && seen.x + seen.width >= box.x + box.width);
  assert.equal(reveal(v, { x: 200, y: 100, width: 50, height: 50 }), v);
  const moved = reveal(v, { x: 5000, y: 100, width: 50, height: 50 });
  assert.ok(toScreen(moved, [5050, 0])[0] <= 1000);
});

test('a segment moved sideways keeps right angles and both ends', () => {
  const next = random(3);
  for (let k = 0; k < 300; ++k) {
    const points: Point[] = [[0, 0]];
    let horizontal = true;
    for (let j = 0; j < 2 + Math.floor(next() * 4); ++j) {
      const [x, y] = points.at(-1)!;
      const by = 20 + Math.floor(next() * 100);
      points.push(horizontal ? [x + by, y] : [x, y + (next() < 0.5 ? -by : by)]);
      horizontal = !horizontal;
    }
    const segment = Math.floor(next() * (points.length - 1));
    const bent = bendSegment(points, segment, [Math.floor(next() * 80 - 40), Math.floor(next() * 80 - 40)]);
    assert.deepEqual(bent[0], points[0]);
    assert.deepEqual(bent.at(-1), points.at(-1));
    for (let j = 0; j + 1 < bent.length; ++j)
      assert.ok(bent[j]![0] === bent[j + 1]![0] || bent[j]![1] === bent[j + 1]![1], JSON.stringify(bent));
  }
  assert.deepEqual(simplify([[0, 0], [5, 0], [5, 0], [9, 0], [9, 4]]), [[0, 0], [9, 0], [9, 4]]); // prettier-ignore
});

test('links of a moved block follow with right angles, both ends at their ports', () => {
  const scene = readScene(ballScene());
  const names = new Set(['Ball']);
  const by: Point = [30, -50];
  for (const link of scene.links) {
    const shown = stretchLink(link, names, by);
    shown.branches.forEach((b, k) => {
      const old = link.branches[k]!.points;
      const start = names.has(link.from.block) ? [old[0]![0] + 30, old[0]![1] - 50] : old[0];
      const end = names.has(b.to.block) ? [old.at(-1)![0] + 30, old.at(-1)![1] - 50] : old.at(-1);
      assert.deepEqual([...b.points[0]!], [...start!]);
      assert.deepEqual([...b.points.at(-1)!], [...end!]);
      for (let j = 0; j + 1 < b.points.length; ++j)
        assert.ok(b.points[j]![0] === b.points[j + 1]![0] || b.points[j]![1] === b.points[j + 1]![1]);
    });
  }
});

test('rounded lines begin and end where they should and never leave the box of their points', () => {
  const seen: number[][] = [];
  const path = { moveTo: (x: number, y: number) => seen.push([x, y]), lineTo: (x: number, y: number) => seen.push([x, y]), quadraticCurveTo: (_a: number, _b: number, x: number, y: number) => seen.push([x, y]) }; // prettier-ignore
  traceRounded(path, [[0, 0], [40, 0], [40, 30], [44, 30]]); // prettier-ignore
  assert.deepEqual(seen[0], [0, 0]);
  assert.deepEqual(seen.at(-1), [44, 30]);
  assert.ok(seen.every(([x, y]) => x! >= 0 && x! <= 44 && y! >= 0 && y! <= 30));
});

test('a moved block snaps so that its link becomes straight, before it snaps to the grid', () => {
  const scene = readScene(ballScene());
  // Gravity (out at y = 100) drives Ball (in at y = 80 + 40/3).
  const { by, guides } = snapMove(scene, new Set(['Gravity']), [3, -4], 1);
  assert.ok(Math.abs(100 + by[1] - (80 + 40 / 3)) < 1e-9);
  assert.ok(guides.length >= 1);
  assert.deepEqual(snapMove(scene, new Set(['Gravity']), [3.4, -34], 1, true).by, [3, -34]);
});

test('ports win over blocks, blocks over links, and far out there are only blocks', () => {
  const painter = new ScenePainter();
  const scene = readScene(ballScene());
  painter.setScene(scene);
  const none = new Set<string>();
  assert.equal(hitTest(painter, [71, 100], 1, none).kind, 'port');
  assert.equal(hitTest(painter, [35, 100], 1, none).kind, 'block');
  assert.equal(hitTest(painter, [230, 100], 1, none).kind, 'branch');
  assert.equal(hitTest(painter, [300, 400], 1, none).kind, 'empty');
  assert.equal(hitTest(painter, [71, 100], 0.2, none).kind, 'empty');
  assert.equal(hitTest(painter, [0, 80], 1, new Set(['Gravity'])).kind, 'corner');
});

test('only what is visible is painted: the same small part of 300 and of 10000 blocks', () => {
  const area = { x: 1000, y: 1000, width: 900, height: 600 };
  for (const count of [1000, 10000]) {
    const painter = new ScenePainter();
    painter.setScene(readScene(largeScene(count)));
    const seen = painter.blocksIn(area);
    assert.ok(seen.length > 30 && seen.length < 80, `${seen.length} of ${count}`);
  }
});

test('a change replaces what differs and keeps the rest as it is', () => {
  const wire = ballScene();
  const scene = readScene(wire);
  const next = applyChange(scene, {
    blocks: [{ ...wire.blocks[0]!, box: [10, 80, 70, 40] }],
    removed: ['Speed'],
    removed_links: ['Split:2'],
    order: ['Ball', 'Gravity', 'Split', 'Ground', 'Bounce', 'Height'],
  });
  assert.deepEqual(next.blocks.map((b) => b.name), ['Ball', 'Gravity', 'Split', 'Ground', 'Bounce', 'Height']); // prettier-ignore
  assert.equal(next.blocks[1]!.box.x, 10);
  assert.equal(next.blocks[0], scene.blocks[1]);
  assert.equal(next.links.length, 3);
  assert.equal(next.notes, scene.notes);
});

test('problems inside a super block mark it too, and loops mark their members', () => {
  const { worst, loop } = collectBadges('/', [
    { code: 'a', message: '', severity: 'warning', block: '/Plant/Mass' },
    { code: 'b', message: '', severity: 'error', block: '/Plant/Spring' },
    { code: 'c', message: '', severity: 'note', block: '/Gain' },
    { code: 'algebraic-loop', message: '', loop: ['/Sum', '/Gain'] },
  ]);
  assert.deepEqual([...worst], [['Plant', 'error']]); // prettier-ignore
  assert.deepEqual([...loop], ['Sum', 'Gain']);
  assert.deepEqual([...collectBadges('/Plant', [{ code: 'b', message: '', block: '/Plant/Spring' }]).worst], [['Spring', 'error']]); // prettier-ignore
});

test('numbers on links are short and never wrong by more than their last digit', () => {
  assert.equal(shortNumber(0.1 + 0.2), '0.3');
  assert.equal(shortNumber(123456), '1.235e+5');
  assert.equal(shortNumber(-1e-12), '-1e-12');
  assert.equal(shortNumber('NaN'), 'NaN');
  assert.equal(shortValue([1, 2.5]), '[1 2.5]');
  assert.equal(shortValue([1, 2, 3, 4, 5]), '[1 2 3 … 5]');
});

test('a value stands where no block is in its way', () => {
  const points: [number, number][] = [[0, 0], [100, 0], [100, 60], [180, 60]]; // prettier-ignore
  assert.deepEqual(valuePlace(points, 30, () => false), [50, 0]); // prettier-ignore
  assert.deepEqual(valuePlace(points, 30, (box) => box.y < 0), [140, 60]); // prettier-ignore
  assert.deepEqual(valuePlace(points, 30, () => true), [50, 0]); // prettier-ignore
});
