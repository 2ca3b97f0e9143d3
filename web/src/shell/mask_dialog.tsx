// SPDX-License-Identifier: Apache-2.0
// The mask editor: what a super block shows to the outside.
import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import type { DiagramInfo, MaskItem } from '../protocol/messages';
import { edit } from '../state/edit_actions';
import { join } from '../state/paths';
import { useEditor } from './context';
import { DialogFrame } from './dialog_frame';

const kinds = ['', 'choice', 'check'];

export function MaskDialog() {
  const editor = useEditor();
  const { diagram, selection, scene } = editor.state;
  const chosen = scene.blocks.find((b) => selection.blocks.has(b.name) && b.super);
  const path = chosen ? join(diagram, chosen.name) : diagram;
  const [mask, setMask] = useState<MaskItem[] | null>(null);
  useEffect(() => {
    void editor.ask<DiagramInfo>('diagram', { diagram: path }).then((i) => setMask(i?.mask ?? []));
  }, [editor, path]);
  if (!mask) return <DialogFrame title="Mask">{null}</DialogFrame>;
  const change = (k: number, part: Partial<MaskItem>) =>
    setMask(mask.map((m, j) => (j === k ? { ...m, ...part } : m)));
  const send = async () => {
    const clean = mask.filter((m) => m.name).map((m) => Object.fromEntries(Object.entries(m).filter(([, v]) => v !== '' && !(Array.isArray(v) && !v.length)))); // prettier-ignore
    if (await edit(editor, [['mask', path, JSON.stringify(clean)]], { label: 'Change mask' }))
      editor.store.set({ dialog: null });
  };
  const auto = async () => {
    if (!(await edit(editor, [['automask', path]], { label: 'Auto-mask' }))) return;
    const info = await editor.ask<DiagramInfo>('diagram', { diagram: path });
    if (info) setMask(info.mask);
  };
  const cell = (
    k: number,
    field: 'name' | 'prompt' | 'default' | 'visible' | 'valid' | 'message',
    label: string,
  ) => (
    <td>
      <input
        aria-label={`${label} of parameter ${k + 1}`}
        value={mask[k]![field] ?? ''}
        onChange={(e) => change(k, { [field]: e.target.value })}
        spellCheck={false}
      />
    </td>
  );
  return (
    <DialogFrame title={`Mask of ${path}`} wide>
      <div className="table-box" tabIndex={0} role="region" aria-label="Parameters of the mask">
        <table className="mask-table">
          <thead>
            <tr>
              {['name', 'prompt', 'default', 'kind', 'choices', 'visible if', 'valid if', 'message', ''].map(
                (h) => (
                  <th key={h}>{h}</th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {mask.map((m, k) => (
              <tr key={k}>
                {cell(k, 'name', 'Name')}
                {cell(k, 'prompt', 'Prompt')}
                {cell(k, 'default', 'Default')}
                <td>
                  <select
                    aria-label={`Kind of parameter ${k + 1}`}
                    value={m.kind ?? ''}
                    onChange={(e) => change(k, { kind: e.target.value })}
                  >
                    {kinds.map((kind) => (
                      <option key={kind} value={kind}>
                        {kind || 'value'}
                      </option>
                    ))}
                  </select>
                </td>
                <td>
                  <input
                    aria-label={`Choices of parameter ${k + 1}`}
                    value={(m.choices ?? []).join(', ')}
                    onChange={(e) =>
                      change(k, {
                        choices: e.target.value
                          .split(',')
                          .map((c) => c.trim())
                          .filter(Boolean),
                      })
                    }
                  />
                </td>
                {cell(k, 'visible', 'Condition to show')}
                {cell(k, 'valid', 'Condition of validity')}
                {cell(k, 'message', 'Message')}
                <td>
                  <Button
                    aria-label={`Remove parameter ${m.name}`}
                    onPress={() => setMask(mask.filter((_, j) => j !== k))}
                  >
                    ×
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {!mask.length && <p className="quiet">No parameters: the inside sees the variables outside.</p>}
      <div className="row-of-buttons">
        <Button onPress={() => setMask([...mask, { name: `p${mask.length + 1}`, default: '1' }])}>
          Add parameter
        </Button>
        <Button onPress={() => void auto()}>Auto-mask</Button>
        <Button className="primary" onPress={() => void send()}>
          Keep
        </Button>
      </div>
    </DialogFrame>
  );
}
