// SPDX-License-Identifier: Apache-2.0
// The editor and its state for all components.
import { createContext, useContext } from 'react';
import type { Editor } from '../state/editor';
import type { State } from '../state/state';
import { useStore } from '../state/store';

export const EditorContext = createContext<Editor | null>(null);

export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (!editor) throw new Error('no editor above this component');
  return editor;
}

export function useApp<P>(pick: (state: State) => P): P {
  return useStore(useEditor().store, pick);
}
