// SPDX-License-Identifier: Apache-2.0
// What travels between page and server (docs/protocol.md), as types.
import type { WireChange, WireMark, WirePort } from './wire_scene';
import type { Family, Shape } from '../canvas/scene';

export interface Diagnostic {
  severity?: 'error' | 'warning' | 'note';
  code: string;
  message: string;
  help?: string;
  notes?: string[];
  file?: string;
  line?: number;
  column?: number;
  block?: string;
  port?: string;
  time?: number;
  loop?: string[];
  fixes?: { label: string; steps: Step[] }[];
}
export type Step = string[];

export interface Value {
  type: string;
  rows: number;
  cols: number;
  text: string;
}

export interface DiagramNode {
  path: string;
  name: string;
  blocks: number;
  masked?: boolean;
  children?: DiagramNode[];
}
export interface Need {
  capability: string;
  meaning: string;
  place?: Diagnostic;
}
export interface DocumentInfo {
  doc: number;
  path: string | null;
  name: string;
  revision: number;
  dirty: boolean;
  read_only?: boolean;
  diagrams: DiagramNode[];
  recovery?: { edits: number; saved?: number; labels?: string[] };
  undo: string | null;
  redo: string | null;
  needs?: Need[];
  allowed?: string[];
}

export interface ParameterInfo {
  name: string;
  prompt?: string;
  text: string;
  given: boolean;
  default?: string;
  about?: string;
  choices?: string[];
  kind?: '' | 'choice' | 'check';
  code?: boolean;
  visible?: boolean;
  value?: Value;
}
export interface BlockInfo {
  path: string;
  name: string;
  type: string;
  palette?: string;
  summary?: string;
  about?: string;
  off?: boolean;
  super?: boolean;
  masked?: boolean;
  activation: 'default' | 'inherit' | 'always' | 'initial';
  icon?: string;
  executed?: boolean; // of ExecOMLScript: its script is run before checks and runs
  layout?: number[];
  flow?: string;
  parameters: ParameterInfo[];
}
export interface MaskItem {
  name: string;
  prompt?: string;
  default?: string;
  kind?: string;
  choices?: string[];
  visible?: string;
  valid?: string;
  message?: string;
}
export interface DiagramInfo {
  diagram: string;
  context: string[];
  mask: MaskItem[];
  atomic?: boolean;
  for_each?: string;
  count?: string;
  program?: string[];
  blocks: number;
  initialization?: string[];
  about?: string;
  name?: string;
  settings?: Record<string, string>;
}
export interface Variable {
  name: string;
  line?: number;
  value?: Value;
  from: 'context' | 'mask' | 'outside' | 'initialization';
}
export interface Evaluation {
  values?: (Value | null)[];
  errors?: Diagnostic[][];
  variables?: Variable[];
  problems?: Diagnostic[];
}

export interface LibraryType {
  name: string;
  palette: string;
  summary: string;
  family: Family;
  shape: Shape;
  parameters: {
    name: string;
    value: string;
    about?: string;
    choices?: string[];
    code?: boolean;
    skeleton?: string;
  }[];
  ports: { in: number; out: number; event_in: number; event_out: number };
  box: [number, number, number, number];
  marks?: WireMark[];
  port_marks?: WirePort[];
  page?: string;
  names?: string[];
  super?: boolean;
}
export interface SettingInfo {
  name: string;
  type: 'number' | 'flag' | 'word';
  default: string;
  about: string;
  unit?: string;
  choices?: string[];
}
export interface Library {
  version: string;
  types: LibraryType[];
  palettes: string[];
  settings: SettingInfo[];
  solvers: { name: string; about: string; summary?: string; fixed_step?: boolean }[];
  keywords: string[];
  functions: { name: string; summary: string }[];
  commands: { usage: string; about: string }[];
}

export interface Column {
  name: string;
  block?: string;
  unit?: string;
}
export interface RunReport {
  solver?: string;
  solver_reason?: string;
  steps?: number;
  rejected?: number;
  evaluations?: number;
  events?: number;
  crossings?: number;
  restarts?: number;
  seconds?: number;
  compile_seconds?: number;
  second_tier?: boolean | string;
  why_slow?: string[];
}
// An Anim2D block of a run.
export interface FigureInfo {
  block: string;
  canvas: number[];
  zoom: number;
}
export type RunState = 'compiling' | 'running' | 'paused' | 'ended' | 'failed' | 'stopped' | 'crashed';
export interface RunInfo {
  run: number;
  doc: number;
  name?: string;
  revision?: number;
  state: RunState;
  t?: number;
  start?: number;
  stop?: number;
  set?: Record<string, string>;
  changed?: string[]; // since the run before, for the legend
  pinned?: boolean;
  columns?: Column[];
  figures?: FigureInfo[];
  rows?: number;
  events?: number;
  seconds?: number;
  diagnostics?: Diagnostic[];
  report?: RunReport;
}
export interface EventRow {
  id: number;
  t: number;
  cause: string;
  block?: string;
  port?: number;
  left?: number | string;
  right?: number | string;
  restarted?: boolean;
}
export interface Explanation {
  text: string[];
  event?: EventRow;
  before?: EventRow | null;
  after?: EventRow | null;
  activates?: { block: string; type?: string }[];
  surface?: string;
  blocks?: string[];
}
export interface BlockFacts {
  in?: string[];
  out?: string[];
  clock?: string;
  values?: Record<string, Value>;
  order?: number;
}
export interface EditAnswer {
  revision: number;
  change: WireChange | null;
  names?: string[];
  select?: string[];
  undo?: string | null;
  redo?: string | null;
  dirty?: boolean;
  diagrams?: DiagramNode[];
}
export interface FindMatch {
  kind: string;
  diagram: string;
  block?: string;
  parameter?: string;
  line?: number;
  text: string;
  from?: number;
  to?: number;
}
export interface Difference {
  kind: string;
  what?: string;
  path: string;
  field?: string;
  before?: string;
  after?: string;
}
export interface FolderList {
  folder: string;
  folders: string[];
  files: { name: string; size: number; modified: number; model?: boolean }[];
  examples: { name: string; title?: string; about?: string }[];
  recent?: { path: string; modified?: number; unsaved?: number }[];
}
// A command of the program that works on the saved model, as its grammar says.
export interface ToolOption {
  name: string; // "--runs"
  about: string;
  kind: 'none' | 'file' | 'choice' | 'text';
  value?: string; // what stands for its value: "N"
  choices?: string[];
  repeats?: boolean;
}
export interface Tool {
  command: string; // "export c"
  about: string;
  examples?: string;
  arguments: string[];
  options: ToolOption[];
}
export interface Hello {
  version: string;
  root: string;
  model: string | null;
  tab: number;
  documents: { doc: number; path: string }[];
  tools?: Tool[];
}

export type Push = { on: string } & Record<string, unknown>;
