// SPDX-License-Identifier: Apache-2.0
// Where we are in the model.
import { Breadcrumb, Breadcrumbs, Button } from 'react-aria-components';
import { trail } from '../state/paths';
import { useApp, useEditor } from './context';

export function Crumbs() {
  const editor = useEditor();
  const doc = useApp((s) => s.doc);
  const diagram = useApp((s) => s.diagram);
  const overlay = useApp((s) => s.overlay);
  if (!doc) return null;
  const items = [{ path: '/', name: doc.name || doc.path || 'untitled' }, ...trail(diagram)];
  return (
    <div className="crumbs">
      <Breadcrumbs
        aria-label="Path in the model"
        items={items.map((i) => ({ ...i, id: i.path }))}
        onAction={(path) => void editor.view(String(path))}
      >
        {(item) => (
          <Breadcrumb id={item.id}>
            <Button className="crumb" onPress={() => void editor.view(item.path)}>
              {item.name}
            </Button>
          </Breadcrumb>
        )}
      </Breadcrumbs>
      {doc.dirty && (
        <span className="dirty" title="not saved">
          ●<span className="off-screen">not saved</span>
        </span>
      )}
      {overlay !== 'none' && (
        <Button className="quiet-button" onPress={() => editor.store.set({ overlay: 'none' })}>
          {{ timing: 'Timing', order: 'Order', types: 'Types' }[overlay]} ×
        </Button>
      )}
    </div>
  );
}
