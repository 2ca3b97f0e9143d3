// SPDX-License-Identifier: Apache-2.0
// Finds what lies in a rectangle: a grid of square cells, each with the numbers of the items that touch it.
import type { Box } from './scene';

const cell = 512;

export class GridIndex {
  private cells = new Map<number, number[]>();
  private stamp: Uint32Array;
  private round = 0;

  constructor(boxes: readonly Box[]) {
    this.stamp = new Uint32Array(boxes.length);
    boxes.forEach((box, item) => {
      this.forCells(box, (key) => {
        const list = this.cells.get(key);
        if (list) list.push(item);
        else this.cells.set(key, [item]);
      });
    });
  }

  // Every item whose cell the rectangle touches, once each, in no particular order.
  query(box: Box): number[] {
    const found: number[] = [];
    const round = ++this.round;
    this.forCells(box, (key) => {
      for (const item of this.cells.get(key) ?? []) {
        if (this.stamp[item] === round) continue;
        this.stamp[item] = round;
        found.push(item);
      }
    });
    return found;
  }

  private forCells(box: Box, visit: (key: number) => void) {
    const x0 = Math.floor(box.x / cell);
    const x1 = Math.floor((box.x + box.width) / cell);
    const y0 = Math.floor(box.y / cell);
    const y1 = Math.floor((box.y + box.height) / cell);
    // A rectangle larger than the sheet must not visit millions of empty cells.
    if ((x1 - x0 + 1) * (y1 - y0 + 1) > 4 * this.cells.size + 64 && this.cells.size > 0) {
      for (const key of this.cells.keys()) {
        const y = Math.floor(key / 65536) - 32768;
        const x = (((key % 65536) + 65536) % 65536) - 32768;
        if (x >= x0 && x <= x1 && y >= y0 && y <= y1) visit(key);
      }
      return;
    }
    for (let y = y0; y <= y1; ++y) for (let x = x0; x <= x1; ++x) visit((y + 32768) * 65536 + x + 32768);
  }
}
