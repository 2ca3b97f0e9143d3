// SPDX-License-Identifier: Apache-2.0
// A table of runs: any column over any other, and the rows themselves.
import { useState } from 'react';
import { shortNumber } from '../canvas/paint_live';

export interface Table {
  names: string[];
  rows: number[][];
  failures: string[]; // by row; why a run has no results
}

// Comma-separated numbers below a line of names, which may be quoted.
export function parseTable(text: string): Table {
  const cells = (line: string) => {
    const out: string[] = [];
    let cell = '';
    let quoted = false;
    for (const c of line) {
      if (c === '"') quoted = !quoted;
      else if (c === ',' && !quoted) {
        out.push(cell);
        cell = '';
      } else cell += c;
    }
    return [...out, cell];
  };
  const lines = text.split(/\r?\n/).filter((l) => l && !l.startsWith('#'));
  const names = lines.length ? cells(lines[0]!) : [];
  const why = names.indexOf('failure');
  const texts = lines.slice(1).map(cells);
  return {
    names,
    rows: texts.map((row) => row.map((c) => (c === '' ? NaN : Number(c)))),
    failures: texts.map((row) => (why < 0 ? '' : (row[why] ?? ''))),
  };
}

const width = 560;
const height = 240;
const margin = { left: 64, right: 12, top: 10, bottom: 34 };

export function extent(values: readonly number[]): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const v of values)
    if (Number.isFinite(v)) {
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
  if (low > high) return [0, 1];
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}

export function SweepTable({ table }: { table: Table }) {
  const [x, setX] = useState(
    Math.max(
      0,
      table.names.findIndex((n) => n !== 'run' && n !== 'failure'),
    ),
  );
  const [y, setY] = useState(Math.max(0, table.names.length - 1));
  if (!table.names.length || !table.rows.length) return <p className="quiet">The table is empty.</p>;
  const failed = table.failures.filter(Boolean).length;
  const shown = table.rows.length > 4000 ? table.rows.filter((_, k) => k % Math.ceil(table.rows.length / 4000) === 0) : table.rows; // prettier-ignore
  const xs = shown.map((r) => r[x] ?? NaN);
  const ys = shown.map((r) => r[y] ?? NaN);
  const [x0, x1] = extent(xs);
  const [y0, y1] = extent(ys);
  const X = (v: number) => margin.left + ((v - x0) / (x1 - x0)) * (width - margin.left - margin.right);
  const Y = (v: number) =>
    height - margin.bottom - ((v - y0) / (y1 - y0)) * (height - margin.top - margin.bottom);
  const choose = (label: string, value: number, set: (k: number) => void) => (
    <label>
      {label}{' '}
      <select value={value} onChange={(e) => set(Number(e.target.value))}>
        {table.names.map((n, k) => (
          <option key={k} value={k}>
            {n}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <div className="sweep-table">
      <div className="bar">
        {choose('across', x, setX)} {choose('up', y, setY)}{' '}
        <span className="quiet">{table.rows.length} runs</span>
        {failed > 0 && <span className="failed-runs">{failed} failed</span>}
      </div>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${table.names[y]} over ${table.names[x]}`}
      >
        <path
          className="axis"
          d={`M${margin.left} ${margin.top}V${height - margin.bottom}H${width - margin.right}`}
        />
        <text x={margin.left} y={height - 14} textAnchor="start">
          {shortNumber(x0)}
        </text>
        <text x={width - margin.right} y={height - 14} textAnchor="end">
          {shortNumber(x1)}
        </text>
        <text x={(margin.left + width) / 2} y={height - 6} textAnchor="middle">
          {table.names[x]}
        </text>
        <text x={margin.left - 6} y={height - margin.bottom} textAnchor="end">
          {shortNumber(y0)}
        </text>
        <text x={margin.left - 6} y={margin.top + 8} textAnchor="end">
          {shortNumber(y1)}
        </text>
        {xs.map(
          (v, k) =>
            Number.isFinite(v) &&
            Number.isFinite(ys[k]!) && <circle key={k} cx={X(v)} cy={Y(ys[k]!)} r={2.5} />,
        )}
      </svg>
      <div className="table-box" tabIndex={0} role="region" aria-label="The runs">
        <table className="plain-table">
          <thead>
            <tr>
              {table.names.map((n, k) => (
                <th key={k}>{n}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.slice(0, 200).map((r, k) => (
              <tr key={k} className={table.failures[k] ? 'failed' : ''}>
                {r.map((v, j) => (
                  <td key={j}>
                    {table.names[j] === 'failure' ? table.failures[k] : Number.isNaN(v) ? '' : shortNumber(v)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
