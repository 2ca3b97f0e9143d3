// SPDX-License-Identifier: Apache-2.0
// What the block, port or link under the resting pointer is.
import { useEffect, useState } from 'react';
import { useEditor } from '../shell/context';
import { join } from '../state/paths';
import type { State } from '../state/state';
import type { Hit } from './hit';
import { shortValue } from './paint_live';
import type { SheetView } from './sheet_view';

export function tipText(hit: Hit, s: State): string[] {
  if (hit.kind === 'block') {
    const { block } = hit;
    const path = join(s.diagram, block.name);
    const type = s.library?.types.find((t) => t.name === block.type);
    const lines = [`${block.name} · ${block.type}`];
    if (type?.summary) lines.push(type.summary);
    for (const p of s.problems.list)
      if (p.block === path) lines.push(`${p.severity ?? 'error'}: ${p.message}`);
    return lines;
  }
  if (hit.kind === 'port') {
    const { port, block } = hit;
    const kind = `${port.activation ? 'activation ' : ''}${port.output ? 'output' : 'input'} ${port.number}`;
    const facts = s.facts[join(s.diagram, block.name)];
    const size = port.activation ? undefined : (port.output ? facts?.out : facts?.in)?.[port.number - 1];
    return [`${block.name}, ${kind}${size ? ` · ${size}` : ''}`];
  }
  if (hit.kind === 'branch') {
    const { link } = hit;
    const path = join(s.diagram, link.from.block);
    const size = link.activation ? 'activation' : s.facts[path]?.out?.[link.from.port - 1];
    const value = s.values?.[path];
    const lines = [`${link.name || `${link.from.block}:${link.from.port}`}${size ? ` · ${size}` : ''}`];
    if (value && !link.activation) lines.push(`= ${shortValue(value)}`);
    return lines;
  }
  return [];
}

export function Tooltip({ sheet }: { sheet: SheetView }) {
  const editor = useEditor();
  const [tip, setTip] = useState<{ lines: string[]; x: number; y: number } | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const host = sheet['canvases'].gesture;
    const move = (e: PointerEvent) => {
      clearTimeout(timer);
      setTip(null);
      if (e.buttons) return;
      const box = host.getBoundingClientRect();
      timer = setTimeout(() => {
        if (sheet.gesture.kind !== 'idle') return;
        const lines = tipText(sheet.gesture.hover, editor.state);
        if (lines.length) setTip({ lines, x: e.clientX - box.left + 14, y: e.clientY - box.top + 16 });
      }, 550);
    };
    const hide = () => {
      clearTimeout(timer);
      setTip(null);
    };
    host.addEventListener('pointermove', move);
    host.addEventListener('pointerdown', hide);
    host.addEventListener('pointerleave', hide);
    return () => {
      hide();
      host.removeEventListener('pointermove', move);
      host.removeEventListener('pointerdown', hide);
      host.removeEventListener('pointerleave', hide);
    };
  }, [editor, sheet]);
  if (!tip) return null;
  const left = Math.min(tip.x, sheet.view.width - 280);
  return (
    <div className="tip" role="tooltip" style={{ left, top: Math.min(tip.y, sheet.view.height - 60) }}>
      {tip.lines.map((line, k) => (
        <div key={k} className={k ? 'more' : ''}>
          {line}
        </div>
      ))}
    </div>
  );
}
