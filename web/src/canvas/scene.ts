// SPDX-License-Identifier: Apache-2.0
// A diagram as it is drawn: what the server decided, in the units of the sheet. The painter decides nothing.

export type Point = readonly [number, number];
export type Side = 'left' | 'right' | 'top' | 'bottom';
export type Shape = 'box' | 'circle' | 'triangle' | 'pill' | 'bar';
export type Family = 'source' | 'continuous' | 'discrete' | 'viewer' | 'activation' | 'mathematics';
export type Flow = 'right' | 'left' | 'up' | 'down';
export type Change = 'none' | 'added' | 'removed' | 'changed';

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Port {
  at: Point;
  side: Side;
  activation: boolean;
  output: boolean;
  connected: boolean;
  number: number;
}

// A text (at its baseline) or a line within a block.
export interface Mark {
  at: Point;
  text: string;
  size: number;
  anchor: 'start' | 'middle' | 'end';
  points: Point[];
  faint: boolean;
}

export interface Block {
  name: string;
  type: string;
  box: Box;
  shape: Shape;
  family: Family;
  flow: Flow;
  super: boolean;
  masked: boolean;
  foreign: boolean;
  off: boolean;
  unknown: boolean;
  ports: Port[];
  icon: Mark[];
  labels: Mark[];
  change: Change;
  remarks: string[];
}

export interface PortRef {
  block: string;
  port: number;
}

export interface Branch {
  to: PortRef;
  points: Point[];
  first: number; // what is before is drawn with an earlier branch
}

export interface Link {
  activation: boolean;
  from: PortRef;
  name: string;
  label: Mark | null;
  branches: Branch[];
  junctions: Point[];
  change: Change;
}

export interface Crossing {
  at: Point;
  activation: boolean;
}

export interface Note {
  box: Box;
  lines: string[];
}

export interface Scene {
  title: string;
  bounds: Box;
  blocks: Block[];
  links: Link[];
  crossings: Crossing[];
  notes: Note[];
}

export const emptyScene: Scene = {
  title: '',
  bounds: { x: 0, y: 0, width: 0, height: 0 },
  blocks: [],
  links: [],
  crossings: [],
  notes: [],
};

export const right = (b: Box) => b.x + b.width;
export const bottom = (b: Box) => b.y + b.height;
export const centre = (b: Box): Point => [b.x + b.width / 2, b.y + b.height / 2];
export const overlaps = (a: Box, b: Box) =>
  a.x <= right(b) && b.x <= right(a) && a.y <= bottom(b) && b.y <= bottom(a);
export const contains = (outer: Box, b: Box) =>
  outer.x <= b.x && outer.y <= b.y && right(b) <= right(outer) && bottom(b) <= bottom(outer);
export const inside = (b: Box, p: Point, margin = 0) =>
  p[0] >= b.x - margin && p[0] <= right(b) + margin && p[1] >= b.y - margin && p[1] <= bottom(b) + margin;

export const boxOf = (a: Point, b: Point): Box => ({
  x: Math.min(a[0], b[0]),
  y: Math.min(a[1], b[1]),
  width: Math.abs(a[0] - b[0]),
  height: Math.abs(a[1] - b[1]),
});

export function hull(boxes: Iterable<Box>): Box | null {
  let found = false;
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const b of boxes) {
    found = true;
    x0 = Math.min(x0, b.x);
    y0 = Math.min(y0, b.y);
    x1 = Math.max(x1, right(b));
    y1 = Math.max(y1, bottom(b));
  }
  return found ? { x: x0, y: y0, width: x1 - x0, height: y1 - y0 } : null;
}

export const portText = (ref: PortRef) => `${ref.block}:${ref.port}`;
export const portAt = (block: Block, output: boolean, activation: boolean, number: number) =>
  block.ports.find((p) => p.output === output && p.activation === activation && p.number === number);
export const linkKey = (link: Link) => `${link.activation ? '!' : ''}${portText(link.from)}`;
export const branchKey = (link: Link, branch: Branch) => `${linkKey(link)}>${portText(branch.to)}`;

export function linkBox(link: Link): Box {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const branch of link.branches)
    for (const [x, y] of branch.points) {
      x0 = Math.min(x0, x);
      y0 = Math.min(y0, y);
      x1 = Math.max(x1, x);
      y1 = Math.max(y1, y);
    }
  return { x: x0, y: y0, width: x1 - x0, height: y1 - y0 };
}
