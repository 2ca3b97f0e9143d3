// SPDX-License-Identifier: Apache-2.0
// The inspector of a selected link.
import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import { branchKey, portText } from '../canvas/scene';
import { useApp, useEditor } from '../shell/context';
import { edit } from '../state/edit_actions';
import { join } from '../state/paths';
import { runMemory } from '../state/run_actions';
import { branchStep, portWord } from '../state/steps';

export function LinkPage() {
  const editor = useEditor();
  const scene = useApp((s) => s.scene);
  const keys = useApp((s) => s.selection.branches);
  const diagram = useApp((s) => s.diagram);
  const facts = useApp((s) => s.facts);
  const run = useApp((s) => s.run);
  const link = scene.links.find((l) => l.branches.some((b) => keys.has(branchKey(l, b))));
  const [name, setName] = useState(link?.name ?? '');
  useEffect(() => setName(link?.name ?? ''), [link]);
  if (!link) return null;
  const size = facts[join(diagram, link.from.block)]?.out?.[link.from.port - 1];
  const event = link.activation ? ['event'] : [];
  const port = portWord(diagram, link.from.block, link.from.port);
  const probe = async () => {
    const signal = join(diagram, link.from.block);
    if (!runMemory.probes.includes(signal)) runMemory.probes.push(signal);
    if (run !== null) await editor.request('probe', { run, signal }).catch((e: unknown) => editor.report(e));
    editor.toast(`${signal} is recorded from the next run on.`);
  };
  return (
    <div className="inspector-body">
      <h2>{link.activation ? 'Activation link' : 'Signal'}</h2>
      <p className="quiet">
        {portText(link.from)} → {link.branches.map((b) => portText(b.to)).join(', ')}
        {size ? ` · ${size}` : ''}
      </p>
      <label className="plain-field">
        Name
        <input
          value={name}
          onChange={(e) => setName(e.target.value)}
          onKeyDown={(e) => e.key === 'Enter' && e.currentTarget.blur()}
          onBlur={() =>
            name !== link.name &&
            void edit(editor, [['name', ...event, port, name]], { label: 'Name signal' })
          }
        />
      </label>
      <div className="row-of-buttons">
        <Button
          onPress={() =>
            void edit(
              editor,
              link.branches.flatMap((b, k) =>
                keys.has(branchKey(link, b)) ? [branchStep(diagram, 'bend', link, k)] : [],
              ),
              { label: 'Straighten link' },
            )
          }
        >
          Straighten
        </Button>
        {!link.activation && <Button onPress={() => void probe()}>Record</Button>}
      </div>
    </div>
  );
}
