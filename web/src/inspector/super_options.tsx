// SPDX-License-Identifier: Apache-2.0
// What a super block is beyond its drawing: a unit, repeated for each part of its inputs, made by a program.
import { useEffect, useState } from 'react';
import type { DiagramInfo } from '../protocol/messages';
import { useEditor } from '../shell/context';
import { edit } from '../state/edit_actions';
import { OmlField } from '../text/lazy_field';

export function SuperOptions({ info }: { info: DiagramInfo }) {
  const editor = useEditor();
  const [count, setCount] = useState(info.count ?? '');
  useEffect(() => setCount(info.count ?? ''), [info.count]);
  const set = (option: string) =>
    void edit(editor, [['options', info.diagram, option]], { label: `Set ${option}` });
  const program = (info.program ?? []).join('\n');
  return (
    <section>
      <div className="section-head">
        <h3>This super block</h3>
      </div>
      <label className="check-field">
        <input
          type="checkbox"
          checked={info.atomic ?? false}
          onChange={(e) => set(`atomic=${e.target.checked}`)}
        />
        A unit: one activation for all inputs
      </label>
      <label className="plain-field">
        The inside is there
        <select value={info.for_each || 'none'} onChange={(e) => set(`for_each=${e.target.value}`)}>
          <option value="none">once</option>
          <option value="elements">for each element of its inputs</option>
          <option value="columns">for each column of its inputs</option>
        </select>
      </label>
      {(info.for_each ?? 'none') !== 'none' && info.for_each !== '' && (
        <label className="plain-field">
          How often
          <input
            value={count}
            onChange={(e) => setCount(e.target.value)}
            onBlur={() => count !== (info.count ?? '') && set(`count=${count}`)}
          />
        </label>
      )}
      {program && (
        <>
          <h3>Program that draws the inside</h3>
          <OmlField
            lines
            label="Program of this super block"
            text={program}
            onCommit={(t) =>
              t !== program &&
              void edit(editor, [['program', 'in', info.diagram, ...t.split('\n')]], {
                label: 'Change program',
              })
            }
          />
        </>
      )}
    </section>
  );
}
