// SPDX-License-Identifier: Apache-2.0
// Commands for the server as lists of words (docs/protocol.md, "Commands of edit").
import type { PortEnd } from '../canvas/gestures';
import { type Block, type Link, type Point, type Scene, branchKey, portAt } from '../canvas/scene';
import type { Step } from '../protocol/messages';
import { join } from './paths';

const number = (x: number) => String(Math.round(x * 100) / 100);
export const point = ([x, y]: Point) => `${number(x)},${number(y)}`;

export const portWord = (diagram: string, block: string, port: number) => `${join(diagram, block)}:${port}`;

export const add = (
  diagram: string,
  type: string,
  at: Point,
  parameters: Record<string, string> = {},
): Step => [
  'add',
  type,
  'in',
  diagram,
  'at',
  point(at),
  ...Object.entries(parameters).map(([name, text]) => `${name}=${text}`),
];

export const connect = (
  diagram: string,
  event: boolean,
  from: [string, number],
  to: [string, number],
): Step => ['connect', ...(event ? ['event'] : []), portWord(diagram, ...from), portWord(diagram, ...to)];

// From two ports of which one is an output and one an input, in either order.
export function connectEnds(diagram: string, a: PortEnd, b: PortEnd): Step {
  const [out, into] = a.port.output ? [a, b] : [b, a];
  return connect(diagram, out.port.activation, [out.block, out.port.number], [into.block, into.port.number]);
}

// Why two ports cannot be joined; null: they can.
export function whyNot(a: PortEnd, b: PortEnd): string | null {
  if (a.port.output === b.port.output)
    return a.port.output ? 'Both are outputs: a link goes from an output to an input.' : 'Both are inputs: a link comes from an output.'; // prettier-ignore
  if (a.port.activation !== b.port.activation) {
    const event = a.port.output ? a.port.activation : b.port.activation;
    return event
      ? 'An activation cannot drive a signal input. A SampleHold turns it into a signal.'
      : 'A signal cannot activate a block. Put a ZeroCross or an EdgeTrigger between?';
  }
  const into = a.port.output ? b : a;
  if (into.port.connected && !into.port.activation)
    return `Input ${into.port.number} of ${into.block} is already connected.`;
  return null;
}

// The first free port of a block that fits the given one.
export function firstFit(block: Block, from: PortEnd): PortEnd | null {
  const fits = block.ports.filter(
    (p) => p.output !== from.port.output && p.activation === from.port.activation,
  );
  const port = fits.find((p) => p.output || !p.connected) ?? (from.port.activation ? fits[0] : undefined);
  return port ? { block: block.name, port } : null;
}

export function branchStep(diagram: string, verb: string, link: Link, branch: number): Step {
  const to = link.branches[branch]!.to;
  return [
    verb,
    ...(link.activation ? ['event'] : []),
    portWord(diagram, link.from.block, link.from.port),
    portWord(diagram, to.block, to.port),
  ];
}

export function removeSteps(
  diagram: string,
  scene: Scene,
  selection: { blocks: ReadonlySet<string>; branches: ReadonlySet<string>; notes: ReadonlySet<number> },
): Step[] {
  const steps: Step[] = [];
  for (const link of scene.links) {
    link.branches.forEach((branch, k) => {
      // Links of removed blocks go with them.
      if (selection.blocks.has(link.from.block) || selection.blocks.has(branch.to.block)) return;
      if (selection.branches.has(branchKey(link, branch)))
        steps.push(branchStep(diagram, 'disconnect', link, k));
    });
  }
  if (selection.blocks.size) steps.push(['remove', ...[...selection.blocks].map((n) => join(diagram, n))]);
  for (const note of [...selection.notes].sort((a, b) => b - a))
    steps.push(['unnote', 'in', diagram, String(note + 1)]);
  return steps;
}

// Takes a block out of its chain: what drove its first input drives what its first output drove.
export function pullOutSteps(diagram: string, scene: Scene, name: string): Step[] {
  const steps: Step[] = [];
  let driver: { link: Link } | null = null;
  const targets: { link: Link; branch: number }[] = [];
  for (const link of scene.links) {
    link.branches.forEach((b, k) => {
      if (b.to.block === name && link.from.block !== name) {
        steps.push(branchStep(diagram, 'disconnect', link, k));
        if (!link.activation && b.to.port === 1) driver = { link };
      } else if (link.from.block === name && b.to.block !== name) {
        steps.push(branchStep(diagram, 'disconnect', link, k));
        if (!link.activation && link.from.port === 1) targets.push({ link, branch: k });
      }
    });
  }
  const source = driver as { link: Link } | null;
  if (source)
    for (const { link, branch } of targets) {
      const to = link.branches[branch]!.to;
      const { from } = source.link;
      steps.push(connect(diagram, false, [from.block, from.port], [to.block, to.port]));
    }
  return steps;
}

// Click on a source, Ctrl+click on a target: the first free pair of ports that fit.
export function linkBlocks(diagram: string, from: Block, to: Block): Step | null {
  for (const port of from.ports.filter((p) => p.output)) {
    const into = firstFit(to, { block: from.name, port });
    if (into && !(into.port.connected && !port.activation))
      return connectEnds(diagram, { block: from.name, port }, into);
  }
  return null;
}

export const turned = (flow: Block['flow'], by: 'rotate' | 'flip'): string => {
  const word = { right: 'right', left: 'flip', up: 'up', down: 'down' };
  if (by === 'flip')
    return word[{ right: 'left', left: 'right', up: 'down', down: 'up' }[flow] as Block['flow']];
  return word[{ right: 'down', down: 'left', left: 'up', up: 'right' }[flow] as Block['flow']];
};

export { portAt };
