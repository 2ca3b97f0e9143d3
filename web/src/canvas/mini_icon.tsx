// SPDX-License-Identifier: Apache-2.0
// A block type as a small picture: the same marks as on the sheet, as SVG.
import { memo } from 'react';
import { readMark } from '../protocol/wire_scene';
import { useApp } from '../shell/context';

export const MiniIcon = memo(function MiniIcon({ type, size = 26 }: { type: string; size?: number }) {
  const info = useApp((s) => s.library?.types.find((t) => t.name === type));
  if (!info) return <span className="mini-icon" />;
  const [x, y, w, h] = info.box;
  const r = info.shape === 'pill' ? h / 2 : info.shape === 'bar' ? 1.5 : 7;
  const body =
    info.shape === 'circle' ? (
      <circle cx={x + w / 2} cy={y + h / 2} r={Math.min(w, h) / 2} className="body" />
    ) : info.shape === 'triangle' ? (
      <path d={`M${x},${y}L${x + w},${y + h / 2}L${x},${y + h}Z`} className="body" />
    ) : (
      <rect
        x={x}
        y={y}
        width={w}
        height={h}
        rx={r}
        className={info.shape === 'bar' ? 'body solid' : 'body'}
      />
    );
  return (
    <svg
      className={`mini-icon family-${info.family}`}
      viewBox={`${x - 4} ${y - 4} ${w + 8} ${h + 8}`}
      width={size * 1.5}
      height={size}
      aria-hidden="true"
    >
      {body}
      {(info.marks ?? []).map(readMark).map((m, k) =>
        m.points.length ? (
          <polyline
            key={k}
            points={m.points.map((p) => p.join(',')).join(' ')}
            className={m.faint ? 'mark faint' : 'mark'}
          />
        ) : (
          <text
            key={k}
            x={m.at[0]}
            y={m.at[1]}
            fontSize={m.size}
            textAnchor={m.anchor}
            className={m.faint ? 'faint' : ''}
          >
            {m.text}
          </text>
        ),
      )}
    </svg>
  );
});
