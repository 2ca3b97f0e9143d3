// SPDX-License-Identifier: Apache-2.0
// Colours of the sheet; the same as those of the SVG writer (src/picture/svg.cpp), which prints them.
import type { Change, Family } from './scene';

export interface Theme {
  name: 'light' | 'dark';
  sheet: string;
  gridDot: string;
  text: string;
  faint: string;
  link: string;
  event: string;
  note: string;
  noteEdge: string;
  select: string;
  selectFill: string;
  target: string;
  error: string;
  warning: string;
  value: string;
  valueFill: string;
  families: Record<Family, string>;
  changes: Record<Change, string>;
}

export const light: Theme = {
  name: 'light',
  sheet: '#ffffff',
  gridDot: '#e3e7ed',
  text: '#1b2330',
  faint: '#5b6675',
  link: '#2f3a48',
  event: '#c8372d',
  note: '#fff8dc',
  noteEdge: '#d8c98a',
  select: '#1f6feb',
  selectFill: 'rgba(31,111,235,.10)',
  target: '#12805c',
  error: '#c8231b',
  warning: '#9a6200',
  value: '#0b4a8f',
  valueFill: 'rgba(235,243,254,.94)',
  families: {
    source: '#3f8f66',
    continuous: '#3a6bc4',
    discrete: '#6b4fc0',
    viewer: '#8a7324',
    activation: '#c8372d',
    mathematics: '#46556e',
  },
  changes: { none: '#46556e', added: '#1a8f3c', removed: '#b3261e', changed: '#b36b00' },
};

export const dark: Theme = {
  name: 'dark',
  sheet: '#14181f',
  gridDot: '#252b35',
  text: '#e8ecf2',
  faint: '#9aa6b5',
  link: '#c3cbd6',
  event: '#ff7a6e',
  note: '#2a2718',
  noteEdge: '#5d5530',
  select: '#6cb0ff',
  selectFill: 'rgba(108,176,255,.14)',
  target: '#4fd0a0',
  error: '#ff7b72',
  warning: '#f0b350',
  value: '#a9d1ff',
  valueFill: 'rgba(28,42,62,.94)',
  families: {
    source: '#6fbf95',
    continuous: '#7aa7f0',
    discrete: '#a892ea',
    viewer: '#cdb566',
    activation: '#ff7a6e',
    mathematics: '#93a4bd',
  },
  changes: { none: '#93a4bd', added: '#5fd17f', removed: '#ff8a80', changed: '#ffb454' },
};

export const font = (size: number, weight = 400) =>
  `${weight} ${size}px "Inter Variable", Inter, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif`;
