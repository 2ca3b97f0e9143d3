// SPDX-License-Identifier: Apache-2.0
// Blocks as text beside the canvas: the one that the keyboard is on, and its neighbours, for screen readers.
import { useApp } from '../shell/context';
import { describeBlock } from './describe';
import { readingOrder } from './walk';
import { useMemo } from 'react';

const around = 12;

export function BlockList() {
  const scene = useApp((s) => s.scene);
  const diagram = useApp((s) => s.diagram);
  const focus = useApp((s) => s.focusBlock);
  const problems = useApp((s) => s.problems.list);
  const order = useMemo(() => readingOrder(scene), [scene]);
  const at = Math.max(0, order.findIndex((b) => b.name === focus)); // prettier-ignore
  const near = order.slice(Math.max(0, at - around), at + around + 1);
  return (
    <div className="off-screen">
      {near.map((block) => (
        <div
          key={block.name}
          id={block.name === focus ? 'sheet-active' : undefined}
          role="graphics-symbol img"
          aria-roledescription="block"
          aria-label={describeBlock(block, scene, diagram, problems)}
        />
      ))}
    </div>
  );
}

// Says politely what happened.
export function Announcer() {
  const text = useApp((s) => s.announcement);
  return (
    <div className="off-screen" role="status" aria-live="polite">
      {text}
    </div>
  );
}
