// SPDX-License-Identifier: Apache-2.0
// Everything the page shows. What comes from the server is a mirror, replaced and never edited here.
import { type Selection, noSelection, type PortEnd } from '../canvas/gestures';
import { type Point, type Scene, emptyScene } from '../canvas/scene';
import type { LinkState } from '../protocol/connection';
import type { BlockFacts, BlockInfo, Diagnostic, DiagramInfo, DocumentInfo, EventRow, Hello, Library, Need, RunInfo } from '../protocol/messages'; // prettier-ignore
import { Store } from './store';

export type BottomTab = 'scopes' | 'problems' | 'events' | 'console' | 'values' | 'report' | 'animation';
export type Overlay = 'none' | 'timing' | 'order' | 'types';
export type ThemeChoice = 'system' | 'light' | 'dark';

export interface Adding {
  at: Point; // on the sheet
  text: string;
  from: PortEnd | null;
}

export interface Toast {
  id: number;
  text: string;
  kind: 'info' | 'error';
  help?: string;
  action?: { label: string; run: () => void };
}

export interface ConsoleEntry {
  kind: 'input' | 'output' | 'error' | 'figure';
  text: string;
}

export type DialogKind = 'settings' | 'keys' | 'find' | 'commands' | 'simulation' | 'mask' | 'open' | 'saveAs' | 'gallery' | 'diff' | 'export' | 'linearise' | 'about' | 'breaks' | 'rename' | 'history' | 'schedule' | 'note' | 'fmu' | 'linkTo' | 'unsaved' | 'initialization' | 'tool' | 'code' | 'builder'; // prettier-ignore

export interface Dialog {
  kind: DialogKind;
  block?: string;
  tool?: string; // first word of its commands
  note?: number;
  then?: () => void;
}

export interface Problems {
  revision: number;
  errors: number;
  warnings: number;
  list: Diagnostic[];
  checking: boolean;
}

export interface Progress {
  run: number;
  t: number;
  share: number;
  speed: number;
}

export interface Paused {
  run: number;
  t: number;
  reason: string;
  event?: EventRow;
  activated: string[];
  shown: number; // how many of them are lit
  breakText?: string;
}

// The last command that was started on this model.
export interface ToolState {
  number: number;
  running: boolean;
  text: string;
  code: number | null;
}
export const noTool: ToolState = { number: 0, running: false, text: '', code: null };

export interface Preferences {
  theme: ThemeChoice;
  left: 'blocks' | 'outline' | 'none';
  leftWidth: number;
  rightOpen: boolean;
  rightWidth: number;
  bottomOpen: boolean;
  bottomHeight: number;
  bottomTab: BottomTab;
  grid: boolean;
  portNames: boolean;
  minimap: boolean;
  autoRun: boolean; // run again after every change of a number
  tourDone: boolean;
  recentBlocks: string[];
}

export interface State {
  link: LinkState;
  noSession: boolean;
  hello: Hello | null;
  library: Library | null;
  doc: DocumentInfo | null;
  diagram: string;
  scene: Scene;
  sceneOf: string; // "doc/diagram" of the scene; '' while none is there
  selection: Selection;
  problems: Problems;
  facts: Record<string, BlockFacts>;
  block: BlockInfo | null;
  blocks: BlockInfo[]; // all selected ones, for editing together
  diagramInfo: DiagramInfo | null;
  needs: Need[];
  consentHidden: boolean;
  disk: 'same' | 'changed' | 'removed';
  crashed: string;
  runs: RunInfo[];
  run: number | null; // the one that the panels show
  progress: Progress | null;
  paused: Paused | null;
  values: Record<string, (number | string)[]> | null;
  event: number | null; // shown in the ledger
  tabs: number;
  overlay: Overlay;
  dark: boolean;
  preferences: Preferences;
  adding: Adding | null;
  dialog: Dialog | null;
  toasts: Toast[];
  announcement: string;
  console: ConsoleEntry[];
  tool: ToolState;
  focusBlock: string; // where the keyboard is on the sheet
  highlight: ReadonlySet<string>; // names in this diagram: loops, found items, explained events
}

export const defaultPreferences: Preferences = {
  theme: 'system',
  left: 'blocks',
  leftWidth: 232,
  rightOpen: true,
  rightWidth: 320,
  bottomOpen: true,
  bottomHeight: 260,
  bottomTab: 'scopes',
  grid: true,
  portNames: false,
  minimap: true,
  autoRun: true,
  tourDone: false,
  recentBlocks: [],
};

export const noProblems: Problems = { revision: -1, errors: 0, warnings: 0, list: [], checking: false };

export const initialState: State = {
  link: 'connecting',
  noSession: false,
  hello: null,
  library: null,
  doc: null,
  diagram: '/',
  scene: emptyScene,
  sceneOf: '',
  selection: noSelection,
  problems: noProblems,
  facts: {},
  block: null,
  blocks: [],
  diagramInfo: null,
  needs: [],
  consentHidden: false,
  disk: 'same',
  crashed: '',
  runs: [],
  run: null,
  progress: null,
  paused: null,
  values: null,
  event: null,
  tabs: 1,
  overlay: 'none',
  dark: false,
  preferences: defaultPreferences,
  adding: null,
  dialog: null,
  toasts: [],
  announcement: '',
  console: [],
  tool: noTool,
  focusBlock: '',
  highlight: new Set(),
};

export type AppStore = Store<State>;
export const makeStore = (): AppStore => new Store<State>(initialState);

export const isRunning = (s: State) => {
  const run = s.runs.find((r) => r.run === s.run);
  return (
    run !== undefined && (run.state === 'compiling' || run.state === 'running' || run.state === 'paused')
  );
};
export const currentRun = (s: State) => s.runs.find((r) => r.run === s.run) ?? null;
