// SPDX-License-Identifier: Apache-2.0
// Scenes and their changes as the server sends them, turned into what the painter uses.
import type { Block, Box, Change, Crossing, Family, Flow, Link, Mark, Note, Point, Port, Scene, Shape, Side } from '../canvas/scene'; // prettier-ignore
import { linkKey } from '../canvas/scene';

export interface WireMark {
  at?: Point;
  text?: string;
  size?: number;
  anchor?: Mark['anchor'];
  points?: Point[];
  faint?: boolean;
}
export type WirePort = [number, number, Side, 'in' | 'out' | 'event-in' | 'event-out', number, boolean];
type WireBox = [number, number, number, number];
export interface WireBlock {
  name: string;
  type: string;
  box: WireBox;
  shape: Shape;
  family: Family;
  flow?: Flow;
  flags?: string;
  made?: boolean;
  ports: WirePort[];
  icon?: WireMark[];
  labels?: WireMark[];
  change?: Change;
  remarks?: string[];
}
export interface WireLink {
  id: string;
  event?: boolean;
  from: [string, number];
  name?: string;
  label?: WireMark;
  branches: { to: [string, number]; points: Point[]; first?: number }[];
  junctions?: Point[];
  change?: Change;
}
export interface WireScene {
  doc: number;
  revision: number;
  diagram: string;
  title?: string;
  bounds: WireBox;
  blocks: WireBlock[];
  links: WireLink[];
  crossings?: [number, number, boolean][];
  notes?: { box: WireBox; text: string }[];
}
export interface WireChange extends Partial<Omit<WireScene, 'doc'>> {
  removed?: string[];
  removed_links?: string[];
  order?: string[];
}

const readBox = ([x, y, width, height]: WireBox): Box => ({ x, y, width, height });

export const readMark = (m: WireMark): Mark => ({
  at: m.at ?? [0, 0],
  text: m.text ?? '',
  size: m.size ?? 12,
  anchor: m.anchor ?? 'middle',
  points: m.points ?? [],
  faint: m.faint ?? false,
});

export const readPort = ([x, y, side, kind, number, connected]: WirePort): Port => ({
  at: [x, y],
  side,
  activation: kind.startsWith('event'),
  output: kind.endsWith('out'),
  number,
  connected,
});

export function readBlock(b: WireBlock): Block {
  const flags = new Set(b.flags ? b.flags.split(' ') : []);
  return {
    name: b.name,
    type: b.type,
    box: readBox(b.box),
    shape: b.shape,
    family: b.family,
    flow: b.flow ?? 'right',
    super: flags.has('super'),
    masked: flags.has('masked'),
    foreign: flags.has('foreign'),
    off: flags.has('off'),
    unknown: flags.has('unknown'),
    ports: b.ports.map(readPort),
    icon: (b.icon ?? []).map(readMark),
    labels: (b.labels ?? []).map(readMark),
    change: b.change ?? 'none',
    remarks: b.remarks ?? [],
  };
}

export const readLink = (l: WireLink): Link => ({
  activation: l.event ?? false,
  from: { block: l.from[0], port: l.from[1] },
  name: l.name ?? '',
  label: l.label ? readMark(l.label) : null,
  branches: l.branches.map((b) => ({
    to: { block: b.to[0], port: b.to[1] },
    points: b.points,
    first: b.first ?? 0,
  })),
  junctions: l.junctions ?? [],
  change: l.change ?? 'none',
});

const readCrossing = ([x, y, activation]: [number, number, boolean]): Crossing => ({
  at: [x, y],
  activation,
});
const readNote = (n: { box: WireBox; text: string }): Note => ({
  box: readBox(n.box),
  lines: n.text.split('\n'),
});

export const readScene = (s: WireScene): Scene => ({
  title: s.title ?? '',
  bounds: readBox(s.bounds),
  blocks: s.blocks.map(readBlock),
  links: s.links.map(readLink),
  crossings: (s.crossings ?? []).map(readCrossing),
  notes: (s.notes ?? []).map(readNote),
});

// A new scene; what did not change keeps its identity.
export function applyChange(scene: Scene, change: WireChange): Scene {
  const next = { ...scene };
  if (change.blocks?.length || change.removed?.length || change.order) {
    const blocks = new Map(scene.blocks.map((b) => [b.name, b]));
    for (const name of change.removed ?? []) blocks.delete(name);
    for (const block of change.blocks ?? []) blocks.set(block.name, readBlock(block));
    const order = change.order;
    next.blocks = order ? order.flatMap((name) => blocks.get(name) ?? []) : [...blocks.values()];
  }
  if (change.links?.length || change.removed_links?.length) {
    const links = new Map(scene.links.map((l) => [linkKey(l), l]));
    for (const id of change.removed_links ?? []) links.delete(id);
    for (const link of change.links ?? []) links.set(link.id, readLink(link));
    next.links = [...links.values()];
  }
  if (change.bounds) next.bounds = readBox(change.bounds);
  if (change.crossings) next.crossings = change.crossings.map(readCrossing);
  if (change.notes) next.notes = change.notes.map(readNote);
  return next;
}
