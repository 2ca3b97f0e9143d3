// SPDX-License-Identifier: Apache-2.0
// Scenes and a library made here, for tests of the page alone.
import type { WireBlock, WireLink, WirePort, WireScene } from '../src/protocol/wire_scene';

export const ball: [
  string,
  string,
  WireBlock['family'],
  WireBlock['shape'],
  number,
  number,
  string,
  number,
  number,
  number,
  number,
][] = [
  ['Gravity', 'Constant', 'source', 'box', 0, 80, '−9.81', 0, 1, 0, 0],
  ['Ball', 'JumpStateSpace', 'continuous', 'box', 120, 80, 'ẋ = Ax+Bu', 2, 1, 1, 0],
  ['Split', 'Demux', 'mathematics', 'bar', 260, 75, '', 1, 2, 0, 0],
  ['Ground', 'ZeroCross', 'activation', 'box', 360, 40, '↓0', 1, 0, 0, 1],
  ['Bounce', 'MatrixGain', 'mathematics', 'box', 120, 170, 'K u', 1, 1, 0, 0],
  ['Height', 'Scope', 'viewer', 'box', 480, 40, '', 1, 0, 0, 0],
  ['Speed', 'Scope', 'viewer', 'box', 480, 120, '', 1, 0, 0, 0],
];

export function block(
  name: string,
  type: string,
  family: WireBlock['family'],
  shape: WireBlock['shape'],
  x: number,
  y: number,
  icon: string,
  ins: number,
  outs: number,
  evIn: number,
  evOut: number,
): WireBlock {
  // prettier-ignore
  const w = shape === 'bar' ? 8 : 70;
  const h = shape === 'bar' ? 50 : 40;
  const ports: WirePort[] = [];
  for (let k = 0; k < ins; ++k) ports.push([x, y + (h * (k + 1)) / (ins + 1), 'left', 'in', k + 1, true]);
  for (let k = 0; k < outs; ++k)
    ports.push([x + w, y + (h * (k + 1)) / (outs + 1), 'right', 'out', k + 1, true]);
  for (let k = 0; k < evIn; ++k)
    ports.push([x + (w * (k + 1)) / (evIn + 1), y, 'top', 'event-in', k + 1, true]);
  for (let k = 0; k < evOut; ++k) ports.push([x + (w * (k + 1)) / (evOut + 1), y + h, 'bottom', 'event-out', k + 1, true]); // prettier-ignore
  return {
    name, type, family, shape, ports, flow: 'right', box: [x, y, w, h],
    icon: icon ? [{ at: [x + w / 2, y + h / 2 + 4], text: icon, size: 12, anchor: 'middle' }] : [],
    labels: [{ at: [x + w / 2, y + h + 13], text: name, size: 11, anchor: 'middle', faint: true }],
  }; // prettier-ignore
}

const find = (blocks: WireBlock[], name: string, kind: WirePort[3], number: number) =>
  blocks.find((b) => b.name === name)!.ports.find((p) => p[3] === kind && p[4] === number)!;

// A link with right angles, one branch for each target.
export function link(
  blocks: WireBlock[],
  event: boolean,
  from: [string, number],
  to: [string, number][],
): WireLink {
  const [x0, y0] = find(blocks, from[0], event ? 'event-out' : 'out', from[1]);
  return {
    id: `${event ? '!' : ''}${from[0]}:${from[1]}`,
    event,
    from,
    branches: to.map((t) => {
      const [x1, y1] = find(blocks, t[0], event ? 'event-in' : 'in', t[1]);
      const middle = (x0 + x1) / 2;
      return { to: t, first: 0, points: y0 === y1 ? [[x0, y0], [x1, y1]] : [[x0, y0], [middle, y0], [middle, y1], [x1, y1]] }; // prettier-ignore
    }),
  };
}

export function ballScene(): WireScene {
  const blocks = ball.map((b) => block(...b));
  const links = [
    link(blocks, false, ['Gravity', 1], [['Ball', 1]]),
    link(blocks, false, ['Ball', 1], [['Split', 1], ['Bounce', 1]]), // prettier-ignore
    link(blocks, false, ['Split', 1], [['Ground', 1], ['Height', 1]]), // prettier-ignore
    link(blocks, false, ['Split', 2], [['Speed', 1]]),
  ];
  return { doc: 1, revision: 1, diagram: '/', title: 'ball', bounds: [0, 0, 600, 300], blocks, links, crossings: [], notes: [] }; // prettier-ignore
}

// Columns of blocks with 1.2 links a block, as in the measurements of the design.
export function largeScene(count: number): WireScene {
  const families = ['source', 'continuous', 'discrete', 'viewer', 'mathematics'] as const;
  const rows = Math.ceil(Math.sqrt(count / 1.5));
  const blocks: WireBlock[] = [];
  const links: WireLink[] = [];
  for (let k = 0; k < count; ++k) {
    const [column, row] = [Math.floor(k / rows), k % rows];
    blocks.push(block(`B${k}`, 'Gain', families[k % 5]!, k % 7 === 0 ? 'triangle' : 'box', column * 150, row * 90, `${k % 100}.5`, 2, 1, k % 10 === 0 ? 1 : 0, 0)); // prettier-ignore
    const at = (n: number) => blocks[n]!;
    if (k >= rows) {
      const to = k;
      const from = k - rows;
      const p = at(from).ports.find((q) => q[3] === 'out')!;
      const q = at(to).ports[0]!;
      const points: [number, number][] = [[p[0], p[1]], [p[0] + 30, p[1]], [p[0] + 30, q[1]], [q[0], q[1]]]; // prettier-ignore
      links.push({
        id: `B${from}:1`,
        from: [`B${from}`, 1],
        branches: [{ to: [`B${to}`, 1], points, first: 0 }],
      });
      if (k % 5 === 0 && row > 0) {
        const r = at(to - 1).ports[1]!;
        const extra: [number, number][] = [[p[0], p[1]], [p[0] + 50, p[1]], [p[0] + 50, r[1]], [r[0], r[1]]]; // prettier-ignore
        links[links.length - 1]!.branches.push({ to: [`B${to - 1}`, 2], points: extra, first: 1 });
      }
    }
  }
  return { doc: 1, revision: 1, diagram: '/', title: 'large', bounds: [0, 0, Math.ceil(count / rows) * 150, rows * 90], blocks, links, crossings: [], notes: [] }; // prettier-ignore
}

const type = (name: string, palette: string, summary: string, family: WireBlock['family'], shape: WireBlock['shape'], ports: [number, number, number, number], parameters: [string, string, string][], icon: string) => ({ // prettier-ignore
  name, palette, summary, family, shape,
  ports: { in: ports[0], out: ports[1], event_in: ports[2], event_out: ports[3] },
  parameters: parameters.map(([n, value, about]) => ({ name: n, value, about })),
  box: [0, 0, shape === 'bar' ? 8 : 70, 40], marks: icon ? [{ at: [35, 24], text: icon, size: 12, anchor: 'middle' }] : [],
  page: `${name}: ${summary}`, names: [],
}); // prettier-ignore

export const library = {
  version: '0.1.0',
  palettes: ['Sources', 'Continuous', 'Discrete', 'Mathematics', 'Activation', 'Viewers'],
  types: [
    type(
      'Constant',
      'Sources',
      'a value that never changes',
      'source',
      'box',
      [0, 1, 0, 0],
      [['value', '1', 'the value']],
      '1',
    ),
    type(
      'StepGenerator',
      'Sources',
      'jumps once',
      'source',
      'box',
      [0, 1, 0, 0],
      [['time', '1', 'when']],
      'step',
    ),
    type(
      'Integral',
      'Continuous',
      'integrates its input',
      'continuous',
      'box',
      [1, 1, 0, 0],
      [['x0', '0', 'at the start']],
      '1/s',
    ),
    type('ContTransFunc', 'Continuous', 'a fraction of polynomials in s', 'continuous', 'box', [1, 1, 0, 0], [['num', '1', 'numerator'], ['den', '[1 1]', 'denominator']], '1/(s+1)'), // prettier-ignore
    type(
      'JumpStateSpace',
      'Continuous',
      'a linear system whose state jumps',
      'continuous',
      'box',
      [2, 1, 1, 0],
      [['A', '0', 'matrix A']],
      'ẋ',
    ),
    type(
      'DiscreteDelay',
      'Discrete',
      'the value of the sample before',
      'discrete',
      'box',
      [1, 1, 1, 0],
      [['z0', '0', 'at the start']],
      'z⁻¹',
    ),
    type('SampleHold', 'Discrete', 'holds what it sampled', 'discrete', 'box', [1, 1, 1, 0], [], 'S/H'),
    type(
      'Gain',
      'Mathematics',
      'multiplies by a constant',
      'mathematics',
      'triangle',
      [1, 1, 0, 0],
      [['k', '1', 'the factor']],
      'k',
    ),
    type(
      'Sum',
      'Mathematics',
      'adds and subtracts',
      'mathematics',
      'circle',
      [2, 1, 0, 0],
      [['signs', "'++'", 'a sign for each input']],
      'Σ',
    ),
    type(
      'Demux',
      'Mathematics',
      'takes a vector apart',
      'mathematics',
      'bar',
      [1, 2, 0, 0],
      [['sizes', '[1 1]', 'sizes']],
      '',
    ),
    type(
      'ZeroCross',
      'Activation',
      'an event when its input crosses zero',
      'activation',
      'box',
      [1, 0, 0, 1],
      [],
      '↓0',
    ),
    type(
      'SampleClock',
      'Activation',
      'ticks',
      'activation',
      'pill',
      [0, 0, 0, 1],
      [['period', '0.1', 'seconds']],
      'T',
    ),
    type(
      'Scope',
      'Viewers',
      'shows curves',
      'viewer',
      'box',
      [1, 0, 0, 0],
      [['inputs', '1', 'how many']],
      '⌇',
    ),
    type('MathExpression', 'Mathematics', 'any formula', 'mathematics', 'box', [1, 1, 0, 0], [['inputs', '1', 'how many'], ['expression', "'u1'", 'the formula']], 'f(u)'), // prettier-ignore
  ],
  settings: [
    { name: 'stop', type: 'number', default: '10', about: 'end of the simulation', choices: [] },
    { name: 'solver', type: 'word', default: '', about: 'method', choices: [] },
    { name: 'rtol', type: 'number', default: '1e-6', about: 'relative tolerance', choices: [] },
    { name: 'atol', type: 'number', default: '1e-8', about: 'absolute tolerance', choices: [] },
  ],
  solvers: [{ name: 'rk45', about: 'Dormand–Prince' }, { name: 'radau', about: 'Radau IIA' }], // prettier-ignore
  keywords: ['for', 'end', 'if', 'while', 'function'],
  functions: [{ name: 'sin', summary: 'sine' }],
  commands: [],
};

// A frame of samples as the server sends it.
export function sampleFrame(run: number, watch: number, times: number[], channels: number[][]): Buffer {
  const n = times.length;
  const buffer = Buffer.alloc(16 + 8 * n * (1 + channels.length) + n);
  buffer.writeUInt8(1, 0);
  buffer.writeUInt8(2, 1);
  buffer.writeUInt16LE(channels.length, 2);
  buffer.writeUInt32LE(run, 4);
  buffer.writeUInt32LE(watch, 8);
  buffer.writeUInt32LE(n, 12);
  [times, ...channels].forEach((list, c) =>
    list.forEach((v, k) => buffer.writeDoubleLE(v, 16 + 8 * (c * n + k))),
  );
  return buffer;
}
