// SPDX-License-Identifier: Apache-2.0
// What is worth trying after a run that failed.

export interface Retry {
  label: string;
  settings: Record<string, string>;
}

export function runOptions(solver: string | undefined): Retry[] {
  const stiff = solver === 'radau' || solver === 'cvode_bdf' || solver === 'bdf';
  return [
    { label: 'Run with tighter tolerances', settings: { rtol: '1e-9', atol: '1e-11' } },
    ...(stiff ? [] : [{ label: 'Run with a stiff solver', settings: { solver: 'radau' } }]),
  ];
}
