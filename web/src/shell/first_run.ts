// SPDX-License-Identifier: Apache-2.0
// A model that is opened runs once by itself when it is quick to check and wants nothing, so that curves are there.
import { useEffect, useRef } from 'react';
import type { Editor } from '../state/editor';
import { run } from '../state/run_actions';
import { useApp } from './context';
import { popped } from './pop_out';

const manyBlocks = 300;

export function useFirstRun(editor: Editor) {
  const doc = useApp((s) => s.doc?.doc);
  const checked = useApp((s) => s.problems.revision === s.doc?.revision && s.problems.errors === 0 && !s.problems.checking && s.problems.revision >= 0); // prettier-ignore
  const shown = useApp((s) => s.sceneOf !== '');
  const tried = useRef(new Set<number>());
  useEffect(() => {
    const s = editor.state;
    if (popped || doc === undefined || !checked || !shown || tried.current.has(doc)) return;
    tried.current.add(doc);
    const count = s.scene.blocks.length;
    if (
      s.runs.length ||
      s.needs.length ||
      s.doc?.dirty ||
      count === 0 ||
      count > manyBlocks ||
      !s.preferences.autoRun
    )
      return;
    void run(editor);
  }, [doc, checked, shown, editor]);
}
