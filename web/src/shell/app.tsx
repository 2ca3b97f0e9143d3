// SPDX-License-Identifier: Apache-2.0
// The window: menus and tools above, blocks left, sheet in the middle, inspector right, results below.
import { useCallback, useEffect, useState } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { Announcer } from '../access/block_list';
import { Sheet } from '../canvas/sheet';
import type { SheetView } from '../canvas/sheet_view';
import { Inspector } from '../inspector/inspector';
import { perform } from '../keys/commands';
import { commandFor } from '../keys/table';
import { Bars } from './bars';
import { Bottom } from './bottom';
import { useApp, useEditor } from './context';
import { Crumbs } from './crumbs';
import { Dialogs } from './dialogs';
import { MenuBar } from './menu_bar';
import { Outline } from './outline';
import { Palette } from './palette';
import { PoppedScopes, popped } from './pop_out';
import { SplitHandle } from './split_handle';
import { NoSession, StartPage } from './start_page';
import { StatusLine, Toasts } from './status';
import { ToolBar } from './tool_bar';
import { Tour } from './tour';
import { useTheme } from './use_theme';
import { useFirstRun } from './first_run';

export function App() {
  const editor = useEditor();
  const [sheet, setSheet] = useState<SheetView | null>(null);
  const noSession = useApp((s) => s.noSession);
  const hello = useApp((s) => s.hello);
  const doc = useApp((s) => s.doc);
  useTheme();
  useFirstRun(editor);
  useEffect(() => {
    const key = (e: KeyboardEvent) => {
      if (e.defaultPrevented || editor.state.dialog) return;
      const target = e.target as HTMLElement;
      const typing = target.closest?.('input, textarea, select, .cm-content') !== null;
      const command = commandFor(e, false);
      // In a field its own undo and selection keys hold.
      if (!command || (typing && (command === 'undo' || command === 'redo'))) return;
      if (target.closest?.('.cm-content') && command === 'run' && e.key === 'Enter')
        setTimeout(() => perform('run', editor, sheet), 0);
      else perform(command, editor, sheet);
      e.preventDefault();
    };
    window.addEventListener('keydown', key);
    return () => window.removeEventListener('keydown', key);
  }, [editor, sheet]);
  const onSheet = useCallback((s: SheetView) => setSheet(s), []);
  if (noSession) return <NoSession />;
  if (popped) return <PoppedScopes />;
  return (
    <div className="app">
      <header className="top">
        <div className="brand" aria-hidden="true">
          <svg viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor">
            <ellipse cx="12" cy="12" rx="10" ry="4.5" transform="rotate(-25 12 12)" />
            <circle cx="12" cy="12" r="3" fill="currentColor" stroke="none" />
            <circle cx="20.600" cy="8.300" r="1.700" fill="currentColor" stroke="none" />
          </svg>
        </div>
        <MenuBar sheet={sheet} />
        <ToolBar sheet={sheet} />
      </header>
      <Bars />
      {doc ? (
        <Work onSheet={onSheet} sheet={sheet} />
      ) : hello ? (
        <StartPage />
      ) : (
        <main className="start-page">
          <p className="quiet">Connecting…</p>
        </main>
      )}
      <StatusLine />
      <Dialogs sheet={sheet} />
      <Tour />
      <Toasts />
      <Announcer />
    </div>
  );
}

function Work({ sheet, onSheet }: { sheet: SheetView | null; onSheet: (s: SheetView) => void }) {
  const editor = useEditor();
  const p = useApp((s) => s.preferences);
  const columns = `${p.left === 'none' ? 0 : p.leftWidth}px ${p.left === 'none' ? 0 : 5}px minmax(200px, 1fr) ${p.rightOpen ? 5 : 0}px ${p.rightOpen ? p.rightWidth : 0}px`; // prettier-ignore
  return (
    <div className="work" style={{ gridTemplateColumns: columns }}>
      {p.left === 'none' ? <div /> : <Left sheet={sheet} />}
      {p.left === 'none' ? (
        <div />
      ) : (
        <SplitHandle
          label="Width of the left panel"
          vertical
          value={p.leftWidth}
          min={160}
          max={480}
          onChange={(leftWidth) => editor.prefer({ leftWidth })}
        />
      )}
      <main
        className="centre"
        style={{
          gridTemplateRows: `auto minmax(120px, 1fr) ${p.bottomOpen ? `5px ${p.bottomHeight}px` : ''}`,
        }}
      >
        <Crumbs />
        <Sheet onSheet={onSheet} />
        {p.bottomOpen && (
          <SplitHandle
            label="Height of the results"
            value={p.bottomHeight}
            min={100}
            max={700}
            reverse
            onChange={(bottomHeight) => editor.prefer({ bottomHeight })}
          />
        )}
        {p.bottomOpen && <Bottom />}
      </main>
      {p.rightOpen ? (
        <SplitHandle
          label="Width of the inspector"
          vertical
          reverse
          value={p.rightWidth}
          min={220}
          max={640}
          onChange={(rightWidth) => editor.prefer({ rightWidth })}
        />
      ) : (
        <div />
      )}
      {p.rightOpen && (
        <aside className="inspector" data-region="inspector" aria-label="Inspector">
          <Inspector />
        </aside>
      )}
    </div>
  );
}

function Left({ sheet }: { sheet: SheetView | null }) {
  const editor = useEditor();
  const left = useApp((s) => s.preferences.left);
  return (
    <aside className="left" data-region="blocks" aria-label="Blocks and outline">
      <Tabs selectedKey={left} onSelectionChange={(k) => editor.prefer({ left: k as 'blocks' | 'outline' })}>
        <TabList aria-label="Left panel">
          <Tab id="blocks" className={({ isSelected }) => (isSelected ? 'tab chosen' : 'tab')}>
            Blocks
          </Tab>
          <Tab id="outline" className={({ isSelected }) => (isSelected ? 'tab chosen' : 'tab')}>
            Outline
          </Tab>
        </TabList>
        <TabPanel id="blocks" className="tab-panel">
          <Palette sheet={sheet} />
        </TabPanel>
        <TabPanel id="outline" className="tab-panel">
          <Outline />
        </TabPanel>
      </Tabs>
    </aside>
  );
}
