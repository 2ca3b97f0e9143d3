// SPDX-License-Identifier: Apache-2.0
// The scopes in a window of their own: the same page with nothing else in it. It shows the newest run.
import { Suspense, lazy, useEffect } from 'react';
import type { Editor } from '../state/editor';
import { useApp, useEditor } from './context';
import { Toasts } from './status';

const ScopePanel = lazy(() => import('../scope/scope_panel'));

export const popped =
  typeof location !== 'undefined' && new URLSearchParams(location.search).get('show') === 'scopes';

// A window that a page opens has its key.
export function popOut(editor: Editor) {
  const path = editor.state.doc?.path;
  if (!path) return editor.toast('Save the model first: the window opens its file.');
  const made = window.open(`/?model=${encodeURIComponent(path)}&show=scopes`, '_blank', 'popup,width=960,height=560'); // prettier-ignore
  if (!made) editor.toast('The browser does not let the page open a window.');
}

export function PoppedScopes() {
  const editor = useEditor();
  const newest = useApp((s) => s.runs.at(-1)?.run ?? null);
  useEffect(() => editor.store.set({ run: newest }), [editor, newest]);
  return (
    <div className="app popped">
      <main className="popped-scopes" aria-label="Scopes">
        <Suspense fallback={null}>
          <ScopePanel />
        </Suspense>
      </main>
      <Toasts />
    </div>
  );
}
