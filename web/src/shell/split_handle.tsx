// SPDX-License-Identifier: Apache-2.0
// The edge of a panel: drag it, or move it with the arrow keys.

interface Props {
  label: string;
  value: number;
  min: number;
  max: number;
  vertical?: boolean; // the edge is vertical, the panel changes its width
  reverse?: boolean; // the panel is right of or below the edge
  onChange: (value: number) => void;
}

export function SplitHandle({ label, value, min, max, vertical = false, reverse = false, onChange }: Props) {
  const clamp = (x: number) => Math.round(Math.min(max, Math.max(min, x)));
  return (
    <div
      className={vertical ? 'split vertical' : 'split horizontal'}
      role="separator"
      aria-label={label}
      aria-orientation={vertical ? 'vertical' : 'horizontal'}
      aria-valuenow={value}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      onKeyDown={(e) => {
        const step = { ArrowLeft: -20, ArrowUp: -20, ArrowRight: 20, ArrowDown: 20 }[e.key];
        if (step) onChange(clamp(value + (reverse ? -step : step)));
      }}
      onPointerDown={(e) => {
        e.currentTarget.setPointerCapture(e.pointerId);
        const start = vertical ? e.clientX : e.clientY;
        const element = e.currentTarget;
        const move = (m: PointerEvent) => {
          const by = (vertical ? m.clientX : m.clientY) - start;
          onChange(clamp(value + (reverse ? -by : by)));
        };
        const up = () => {
          element.removeEventListener('pointermove', move);
          element.removeEventListener('pointerup', up);
        };
        element.addEventListener('pointermove', move);
        element.addEventListener('pointerup', up);
      }}
    />
  );
}
