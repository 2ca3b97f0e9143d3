// SPDX-License-Identifier: Apache-2.0
// The panel below the sheet.
import { Suspense, lazy } from 'react';
import { Button, Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import type { BottomTab } from '../state/state';
import { Console } from './console';
import { useApp, useEditor } from './context';
import { Events } from './events';
import { Problems } from './problems';
import { Report, Values } from './values_panel';

const FigurePanel = lazy(() => import('../scope/figure_panel'));
const ScopePanel = lazy(() => import('../scope/scope_panel'));

export function Bottom() {
  const editor = useEditor();
  const tab = useApp((s) => s.preferences.bottomTab);
  const errors = useApp((s) => s.problems.errors);
  const warnings = useApp((s) => s.problems.warnings);
  const events = useApp((s) => s.runs.find((r) => r.run === s.run)?.events);
  const figures = useApp((s) => s.runs.find((r) => r.run === s.run)?.figures?.length ?? 0);
  const tabs: [BottomTab, string, React.ReactNode][] = [
    ['scopes', 'Scopes', <Suspense fallback={null} key="s"><ScopePanel /></Suspense>], // prettier-ignore
    ...(figures || tab === 'animation' ? [['animation', 'Animation', <Suspense fallback={null} key="a"><FigurePanel /></Suspense>] as [BottomTab, string, React.ReactNode]] : []), // prettier-ignore
    ['problems', `Problems${errors + warnings ? ` ${errors + warnings}` : ''}`, <Problems key="p" />],
    ['events', `Events${events ? ` ${events}` : ''}`, <Events key="e" />],
    ['console', 'Console', <Console key="c" />],
    ['values', 'Values', <Values key="v" />],
    ['report', 'Report', <Report key="r" />],
  ];
  return (
    <Tabs
      className="bottom"
      data-region="results"
      selectedKey={tab}
      onSelectionChange={(k) => editor.prefer({ bottomTab: k as BottomTab })}
    >
      <div className="tab-row">
        <TabList aria-label="Results">
          {tabs.map(([id, title]) => (
            <Tab
              key={id}
              id={id}
              className={({ isSelected }) =>
                `tab${isSelected ? ' chosen' : ''}${id === 'problems' && errors ? ' bad' : ''}`
              }
            >
              {title}
            </Tab>
          ))}
        </TabList>
        <Button
          className="quiet-button"
          aria-label="Hide this panel"
          onPress={() => editor.prefer({ bottomOpen: false })}
        >
          ▾
        </Button>
      </div>
      {tabs.map(([id, , content]) => (
        <TabPanel key={id} id={id} className="tab-panel">
          {content}
        </TabPanel>
      ))}
    </Tabs>
  );
}
