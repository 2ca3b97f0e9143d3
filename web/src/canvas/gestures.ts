// SPDX-License-Identifier: Apache-2.0
// Gestures of the pointer as a pure function: (state, event, context) -> state and messages. No DOM, no server.
import type { BranchHit, Corner, Hit } from './hit';
import { nothing } from './hit';
import { bendSegment, cornersOf } from './reroute';
import { type Block, type Box, type Point, type Port, type Scene, boxOf, inside } from './scene';
import { type Guide, grid, snapMove } from './snap';

export interface Selection {
  blocks: ReadonlySet<string>;
  branches: ReadonlySet<string>;
  notes: ReadonlySet<number>;
}
export const noSelection: Selection = { blocks: new Set(), branches: new Set(), notes: new Set() };

export interface PointerInput {
  kind: 'down' | 'move' | 'up' | 'cancel' | 'double';
  at: Point; // on the sheet
  screen: Point;
  button: number;
  shift: boolean;
  ctrl: boolean;
  alt: boolean;
  space: boolean;
  hit: Hit;
}

export interface GestureContext {
  scene: Scene;
  selection: Selection;
  zoom: number;
  readOnly: boolean;
  canConnect(from: PortEnd, to: PortEnd): string | null; // null: it can; else the reason
}

export interface PortEnd {
  block: string;
  port: Port;
}

export type Gesture =
  | { kind: 'idle'; hover: Hit }
  | { kind: 'press'; down: PointerInput }
  | { kind: 'pan'; last: Point }
  | { kind: 'box'; from: Point; to: Point; add: boolean }
  | { kind: 'move'; names: ReadonlySet<string>; from: Point; by: Point; guides: Guide[]; copy: boolean; pull: boolean; into: BranchHit | null } // prettier-ignore
  | { kind: 'moveNote'; note: number; from: Point; by: Point }
  | { kind: 'connect'; from: PortEnd; to: Point; target: Hit; reason: string | null }
  | { kind: 'reconnect'; branch: BranchHit; to: Point; target: Hit }
  | { kind: 'bend'; branch: BranchHit; from: Point; points: Point[] }
  | { kind: 'resize'; block: Block; corner: Corner; box: Box };

export type Message =
  | { say: 'select'; blocks: string[]; branches: string[]; notes: number[]; mode: 'set' | 'toggle' | 'add' }
  | { say: 'pan'; by: Point }
  | { say: 'move'; names: string[]; by: Point; phase: 'try' | 'keep'; copy: boolean; pull: boolean; into: BranchHit | null } // prettier-ignore
  | { say: 'moveNote'; note: number; by: Point }
  | { say: 'connect'; from: PortEnd; to: PortEnd }
  | { say: 'connectToBlock'; from: PortEnd; block: string }
  | { say: 'connectToLink'; from: PortEnd; link: BranchHit }
  | { say: 'refuse'; reason: string; at: Point }
  | { say: 'addFrom'; from: PortEnd; at: Point }
  | { say: 'reconnect'; branch: BranchHit; to: PortEnd | null; block: string | null }
  | { say: 'bend'; branch: BranchHit; corners: Point[] }
  | { say: 'straighten'; branch: BranchHit }
  | { say: 'resize'; block: string; box: Box }
  | { say: 'open'; block: string }
  | { say: 'editNote'; note: number }
  | { say: 'leave' }
  | { say: 'clickEmpty'; at: Point }
  | { say: 'linkSelected'; to: string };

export const idle: Gesture = { kind: 'idle', hover: nothing };
const threshold = 3;

export function reduceGesture(state: Gesture, e: PointerInput, c: GestureContext): [Gesture, Message[]] {
  if (e.kind === 'cancel') return [idle, []];
  if (e.kind === 'double') return [idle, doubleClick(e, c)];
  switch (state.kind) {
    case 'idle':
      if (e.kind === 'down') return press(e);
      return [{ kind: 'idle', hover: e.hit }, []];
    case 'press':
      if (e.kind === 'up') return [{ kind: 'idle', hover: e.hit }, click(state.down, c)];
      if (Math.hypot(e.screen[0] - state.down.screen[0], e.screen[1] - state.down.screen[1]) < threshold)
        return [state, []];
      return begin(state.down, e, c);
    case 'pan': {
      if (e.kind === 'up') return [{ kind: 'idle', hover: e.hit }, []];
      const by: Point = [e.screen[0] - state.last[0], e.screen[1] - state.last[1]];
      return [{ kind: 'pan', last: e.screen }, [{ say: 'pan', by }]];
    }
    case 'box':
      if (e.kind === 'up')
        return [{ kind: 'idle', hover: e.hit }, [selectBox(state.from, e.at, state.add, c)]];
      return [{ ...state, to: e.at }, []];
    case 'move':
      return dragBlocks(state, e, c);
    case 'moveNote': {
      const by = snapped([e.at[0] - state.from[0], e.at[1] - state.from[1]]);
      if (e.kind === 'up') return [idle, by[0] || by[1] ? [{ say: 'moveNote', note: state.note, by }] : []];
      return [{ ...state, by }, []];
    }
    case 'connect':
      return dragConnection(state, e, c);
    case 'reconnect': {
      if (e.kind !== 'up') return [{ ...state, to: e.at, target: e.hit }, []];
      const { hit } = e;
      if (hit.kind === 'port' && !hit.port.output && hit.port.activation === state.branch.link.activation)
        return [idle, [{ say: 'reconnect', branch: state.branch, to: { block: hit.block.name, port: hit.port }, block: null }]]; // prettier-ignore
      if (hit.kind === 'block')
        return [idle, [{ say: 'reconnect', branch: state.branch, to: null, block: hit.block.name }]];
      return [idle, [{ say: 'reconnect', branch: state.branch, to: null, block: null }]];
    }
    case 'bend': {
      const by = snapped([e.at[0] - state.from[0], e.at[1] - state.from[1]]);
      const source = state.branch.link.branches[state.branch.branch]!.points;
      const points = bendSegment(source, state.branch.segment, by);
      if (e.kind === 'up') return [idle, [{ say: 'bend', branch: state.branch, corners: cornersOf(points) }]];
      return [{ ...state, points }, []];
    }
    case 'resize': {
      const box = resized(state.block.box, state.corner, e.at);
      if (e.kind === 'up') return [idle, [{ say: 'resize', block: state.block.name, box }]];
      return [{ ...state, box }, []];
    }
  }
}

const snapped = ([x, y]: Point): Point => [Math.round(x / grid) * grid, Math.round(y / grid) * grid];

function press(e: PointerInput): [Gesture, Message[]] {
  if (e.button === 1 || (e.button === 0 && e.space)) return [{ kind: 'pan', last: e.screen }, []];
  return e.button === 0 ? [{ kind: 'press', down: e }, []] : [idle, []];
}

// What a drag that began at `down` becomes.
function begin(down: PointerInput, e: PointerInput, c: GestureContext): [Gesture, Message[]] {
  const { hit } = down;
  if (c.readOnly && hit.kind !== 'empty')
    return [{ kind: 'pan', last: e.screen }, [{ say: 'refuse', reason: 'The server is away; changes have to wait.', at: e.at }]]; // prettier-ignore
  switch (hit.kind) {
    case 'empty':
      return [{ kind: 'box', from: down.at, to: e.at, add: down.shift }, []];
    case 'port':
      return dragConnection(
        {
          kind: 'connect',
          from: { block: hit.block.name, port: hit.port },
          to: e.at,
          target: nothing,
          reason: null,
        },
        { ...e, kind: 'move' },
        c,
      );
    case 'corner':
      return [{ kind: 'resize', block: hit.block, corner: hit.corner, box: hit.block.box }, []];
    case 'note':
      return [{ kind: 'moveNote', note: hit.note, from: down.at, by: [0, 0] }, []];
    case 'branch':
      if (hit.end) return [{ kind: 'reconnect', branch: hit, to: e.at, target: nothing }, []];
      return [
        { kind: 'bend', branch: hit, from: down.at, points: hit.link.branches[hit.branch]!.points },
        [],
      ];
    case 'block': {
      const held = c.selection.blocks.has(hit.block.name);
      const names: ReadonlySet<string> = held ? c.selection.blocks : new Set([hit.block.name]);
      const messages: Message[] = held
        ? []
        : [{ say: 'select', blocks: [hit.block.name], branches: [], notes: [], mode: 'set' }];
      const state: Gesture = { kind: 'move', names, from: down.at, by: [0, 0], guides: [], copy: down.alt, pull: down.shift, into: null }; // prettier-ignore
      const [next, more] = dragBlocks(state, { ...e, kind: 'move' }, c);
      return [next, [...messages, ...more]];
    }
  }
}

function dragBlocks(
  state: Extract<Gesture, { kind: 'move' }>,
  e: PointerInput,
  c: GestureContext,
): [Gesture, Message[]] {
  const raw: Point = [e.at[0] - state.from[0], e.at[1] - state.from[1]];
  const { by, guides } = snapMove(c.scene, state.names, raw, c.zoom, e.ctrl);
  const names = [...state.names];
  const into = names.length === 1 && !state.copy && !state.pull ? linkBelow(c.scene, names[0]!, by) : null;
  const message: Message = { say: 'move', names, by, phase: e.kind === 'up' ? 'keep' : 'try', copy: state.copy, pull: state.pull, into }; // prettier-ignore
  if (e.kind === 'up') return [idle, by[0] || by[1] ? [message] : []];
  const same = by[0] === state.by[0] && by[1] === state.by[1];
  return [{ ...state, by, guides, into }, same ? [] : [message]];
}

// The link that passes through the middle of an unconnected block: dropping it there inserts it.
function linkBelow(scene: Scene, name: string, by: Point): BranchHit | null {
  const block = scene.blocks.find((b) => b.name === name);
  if (!block || block.ports.some((p) => p.connected)) return null;
  const box = { ...block.box, x: block.box.x + by[0], y: block.box.y + by[1] };
  const core = { x: box.x + box.width * 0.3, y: box.y + box.height * 0.3, width: box.width * 0.4, height: box.height * 0.4 }; // prettier-ignore
  for (const link of scene.links) {
    const fits =
      block.ports.some((p) => !p.output && p.activation === link.activation) &&
      block.ports.some((p) => p.output && p.activation === link.activation);
    if (!fits) continue;
    for (const [k, branch] of link.branches.entries()) {
      for (let s = 0; s + 1 < branch.points.length; ++s) {
        const at = crosses(core, branch.points[s]!, branch.points[s + 1]!);
        if (at) return { kind: 'branch', link, keys: [], branch: k, segment: s, end: false, at };
      }
    }
  }
  return null;
}

function crosses(box: Box, a: Point, b: Point): Point | null {
  const span = boxOf(a, b);
  const at: Point = [
    Math.max(span.x, Math.min(box.x + box.width / 2, span.x + span.width)),
    Math.max(span.y, Math.min(box.y + box.height / 2, span.y + span.height)),
  ];
  return inside(box, at) ? at : null;
}

// At the tip of a link there is an input; whoever comes with an output means that.
function tipAsPort(hit: Hit, scene: Scene): Hit {
  if (hit.kind !== 'branch' || !hit.end) return hit;
  const { to } = hit.link.branches[hit.branch]!;
  const block = scene.blocks.find((b) => b.name === to.block);
  const port = block?.ports.find((p) => !p.output && p.activation === hit.link.activation && p.number === to.port); // prettier-ignore
  return block && port ? { kind: 'port', block, port } : hit;
}

function dragConnection(
  state: Extract<Gesture, { kind: 'connect' }>,
  e: PointerInput,
  c: GestureContext,
): [Gesture, Message[]] {
  const { from } = state;
  const hit = from.port.output ? tipAsPort(e.hit, c.scene) : e.hit;
  let reason: string | null = null;
  if (hit.kind === 'port' && !(hit.block.name === from.block && hit.port === from.port))
    reason = c.canConnect(from, { block: hit.block.name, port: hit.port });
  if (e.kind !== 'up') return [{ ...state, to: e.at, target: hit, reason }, []];
  if (hit.kind === 'port') {
    if (hit.block.name === from.block && hit.port === from.port) return [idle, []];
    if (reason) return [idle, [{ say: 'refuse', reason, at: e.at }]];
    return [idle, [{ say: 'connect', from, to: { block: hit.block.name, port: hit.port } }]];
  }
  if (hit.kind === 'block' && hit.block.name !== from.block)
    return [idle, [{ say: 'connectToBlock', from, block: hit.block.name }]];
  if (hit.kind === 'branch') return [idle, [{ say: 'connectToLink', from, link: hit }]];
  if (hit.kind === 'empty') return [idle, [{ say: 'addFrom', from, at: e.at }]];
  return [idle, []];
}

function selectBox(from: Point, to: Point, add: boolean, c: GestureContext): Message {
  const box = boxOf(from, to);
  const contained = to[0] >= from[0]; // left to right: what is inside; right to left: what is touched
  const touches = (b: Box) =>
    contained
      ? b.x >= box.x &&
        b.y >= box.y &&
        b.x + b.width <= box.x + box.width &&
        b.y + b.height <= box.y + box.height
      : b.x <= box.x + box.width &&
        box.x <= b.x + b.width &&
        b.y <= box.y + box.height &&
        box.y <= b.y + b.height;
  return {
    say: 'select',
    blocks: c.scene.blocks.filter((b) => touches(b.box)).map((b) => b.name),
    branches: [],
    notes: c.scene.notes.flatMap((n, k) => (touches(n.box) ? [k] : [])),
    mode: add ? 'add' : 'set',
  };
}

function click(down: PointerInput, c: GestureContext): Message[] {
  const { hit } = down;
  const mode = down.shift ? 'toggle' : 'set';
  switch (hit.kind) {
    case 'empty':
      return [
        ...(down.shift ? [] : ([{ say: 'select', blocks: [], branches: [], notes: [], mode }] as Message[])),
        { say: 'clickEmpty', at: down.at },
      ];
    case 'block':
    case 'corner': {
      const one = [...c.selection.blocks];
      if (down.ctrl && one.length === 1 && one[0] !== hit.block.name)
        return [{ say: 'linkSelected', to: hit.block.name }];
      return [
        {
          say: 'select',
          blocks: [hit.block.name],
          branches: [],
          notes: [],
          mode: down.ctrl ? 'toggle' : mode,
        },
      ];
    }
    case 'port':
      return [{ say: 'select', blocks: [hit.block.name], branches: [], notes: [], mode }];
    case 'branch':
      return [{ say: 'select', blocks: [], branches: hit.keys, notes: [], mode }];
    case 'note':
      return [{ say: 'select', blocks: [], branches: [], notes: [hit.note], mode }];
  }
}

function doubleClick(e: PointerInput, c: GestureContext): Message[] {
  if (e.button !== 0) return [];
  switch (e.hit.kind) {
    case 'block':
    case 'corner':
      return [{ say: 'open', block: e.hit.block.name }];
    case 'branch':
      return c.readOnly ? [] : [{ say: 'straighten', branch: e.hit }];
    case 'note':
      return [{ say: 'editNote', note: e.hit.note }];
    case 'empty':
      return [{ say: 'leave' }];
    default:
      return [];
  }
}

const smallest = 10;

function resized(box: Box, corner: Corner, to: Point): Box {
  const [x, y] = snapped(to);
  const west = corner === 'nw' || corner === 'sw';
  const north = corner === 'nw' || corner === 'ne';
  const x0 = west ? Math.min(x, box.x + box.width - smallest) : box.x;
  const y0 = north ? Math.min(y, box.y + box.height - smallest) : box.y;
  const x1 = west ? box.x + box.width : Math.max(x, box.x + smallest);
  const y1 = north ? box.y + box.height : Math.max(y, box.y + smallest);
  return { x: x0, y: y0, width: x1 - x0, height: y1 - y0 };
}
