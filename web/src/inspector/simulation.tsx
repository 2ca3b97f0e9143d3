// SPDX-License-Identifier: Apache-2.0
// Settings of the simulation, from the list that the server gives.
import { useEffect, useState } from 'react';
import type { SettingInfo } from '../protocol/messages';
import { useApp, useEditor } from '../shell/context';
import { edit } from '../state/edit_actions';

export function SettingField({ setting, compact = false }: { setting: SettingInfo; compact?: boolean }) {
  const editor = useEditor();
  const given = useApp((s) => s.diagramInfo?.settings?.[setting.name]);
  const solvers = useApp((s) => s.library?.solvers);
  const [text, setText] = useState(given ?? '');
  useEffect(() => setText(given ?? ''), [given]);
  const commit = (value: string) =>
    value !== (given ?? '') && void edit(editor, [['simulation', `${setting.name}=${value}`]], { label: `Set ${setting.name}` }); // prettier-ignore
  const choices = setting.name === 'solver' ? (solvers ?? []).map((s) => s.name) : (setting.choices ?? []);
  const name = compact ? setting.name : setting.about;
  return (
    <label className="setting" title={setting.about}>
      <span>
        {name}
        {!compact && <code>{setting.name}</code>}
      </span>
      {setting.type === 'flag' ? (
        <select value={given ?? ''} onChange={(e) => commit(e.target.value)}>
          <option value="">{`default (${setting.default})`}</option>
          <option value="true">true</option>
          <option value="false">false</option>
        </select>
      ) : choices.length ? (
        <select value={given ?? ''} onChange={(e) => commit(e.target.value)}>
          <option value="">{setting.default ? `default (${setting.default})` : 'automatic'}</option>
          {choices.map((c) => (
            <option key={c} value={c}>
              {c}
            </option>
          ))}
        </select>
      ) : (
        <input
          value={text}
          placeholder={setting.default}
          spellCheck={false}
          onChange={(e) => setText(e.target.value)}
          onBlur={() => commit(text)}
          onKeyDown={(e) => e.key === 'Enter' && commit(text)}
        />
      )}
    </label>
  );
}

export function SettingsList({ names }: { names?: readonly string[] }) {
  const settings = useApp((s) => s.library?.settings) ?? [];
  const shown = names ? names.flatMap((n) => settings.find((s) => s.name === n) ?? []) : settings;
  return (
    <div className={names ? 'settings compact' : 'settings'}>
      {shown.map((s) => (
        <SettingField key={s.name} setting={s} compact={names !== undefined} />
      ))}
    </div>
  );
}
