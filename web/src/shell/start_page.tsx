// SPDX-License-Identifier: Apache-2.0
// Without a model: new, open, recent, examples.
import { Button } from 'react-aria-components';
import { useApp, useEditor } from './context';
import { ExampleCards, FileList, useFolder } from './file_dialogs';

export function StartPage() {
  const editor = useEditor();
  const list = useFolder('');
  const root = useApp((s) => s.hello?.root);
  return (
    <main className="start-page">
      <h1>Orrery</h1>
      <p className="quiet">Model and simulate hybrid dynamical systems. Folder: {root}</p>
      <div className="row-of-buttons">
        <Button className="primary" onPress={() => void editor.open({ new: true })}>
          New model
        </Button>
        <Button onPress={() => editor.store.set({ dialog: { kind: 'open' } })}>Open…</Button>
      </div>
      {!!list?.recent?.length && (
        <section>
          <h2>Recent</h2>
          <ul className="choices files">
            {list.recent.map((r) => (
              <li key={r.path}>
                <Button onPress={() => void editor.open({ path: r.path })}>
                  <span className="name">{r.path}</span>
                  <span className="detail">{r.unsaved ? `${r.unsaved} edits to restore` : ''}</span>
                </Button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>In this folder</h2>
        <FileList onOpen={(path) => void editor.open({ path })} />
      </section>
      <section>
        <h2>Examples</h2>
        <ExampleCards />
      </section>
    </main>
  );
}

export function NoSession() {
  return (
    <main className="start-page">
      <h1>Orrery</h1>
      <p>
        This page has no key to its server. Start <code>orrery serve</code> again, or use the address it
        prints: each one opens one tab and is valid for a minute.
      </p>
    </main>
  );
}
