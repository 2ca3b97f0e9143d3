// SPDX-License-Identifier: Apache-2.0
// What comes in and goes out: FMUs, results.
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { download } from '../keys/commands';
import { edit } from '../state/edit_actions';
import { currentRun } from '../state/state';
import { startTool } from '../state/tool_actions';
import { useApp, useEditor } from './context';
import { DialogFrame } from './dialog_frame';
import { FileList } from './file_dialogs';

// What `fmu info --json` says, as far as the dialog shows it.
interface FmuInfo {
  name?: string;
  version?: string;
  description?: string;
  tool?: string;
  interfaces?: unknown;
}

export function FmuDialog() {
  const editor = useEditor();
  const type = useApp((s) => s.library?.types.find((t) => t.name === 'FMU'));
  const tool = useApp((s) => s.hello?.tools?.find((t) => t.command === 'fmu info'));
  const said = useApp((s) => s.tool);
  const [path, setPath] = useState('');
  const [given, setGiven] = useState<Record<string, string>>({});
  const file = 'fmu'; // the parameter that names the file
  const choose = (chosen: string) => {
    if (!chosen.endsWith('.fmu')) return editor.toast('Choose a file that ends with .fmu.');
    setPath(chosen);
    if (tool) void startTool(editor, tool, [chosen], { '--json': 'on' }, false);
  };
  const take = async (picked: File) => {
    try {
      choose((await editor.http.upload(picked.name, picked)).path);
    } catch (error) {
      editor.report(error);
    }
  };
  const place = async () => {
    if (!type) return;
    const options = Object.entries(given).filter(([, text]) => text.trim()).map(([name, text]) => `${name}=${text}`); // prettier-ignore
    await edit(
      editor,
      [['add', type.name, 'in', editor.state.diagram, 'at', '0,0', `${file}='${path}'`, ...options]],
      { label: `Import ${path}`, select: 'made' },
    );
    editor.store.set({ dialog: null });
  };
  let info: FmuInfo | null = null;
  try {
    info = path && !said.running && said.code === 0 ? (JSON.parse(said.text) as FmuInfo) : null;
  } catch {
    // It was no description; what it said is shown below.
  }
  return (
    <DialogFrame title="Import an FMU" wide>
      <p>
        Choose a file from this computer, or one that is already in the folder. Its code runs only after you
        allow it, in a process of its own.
      </p>
      <input
        type="file"
        accept=".fmu"
        aria-label="FMU file"
        onChange={(e) => e.target.files?.[0] && void take(e.target.files[0])}
      />
      <FileList models={false} suffix=".fmu" onOpen={choose} />
      {path && (
        <>
          <h3>{path}</h3>
          {info ? (
            <details open>
              <summary>Description</summary>
              <pre className="page" tabIndex={0}>
                {Object.entries(info)
                  .filter(([, v]) => typeof v !== 'object' || v === null)
                  .map(([k, v]) => `${k}: ${String(v)}`)
                  .join('\n')}
              </pre>
            </details>
          ) : (
            said.text && (
              <pre className="page" tabIndex={0}>
                {said.text}
              </pre>
            )
          )}
          <div className="tool-form">
            {type?.parameters
              .filter((p) => p.name !== file)
              .map((p) => (
                <label className="plain-field tool-field" key={p.name}>
                  <span>
                    {p.name} <small>{p.about}</small>
                  </span>
                  {p.choices?.length ? (
                    <select
                      value={given[p.name] ?? ''}
                      onChange={(e) => setGiven({ ...given, [p.name]: e.target.value })}
                    >
                      <option value="">{p.value} (default)</option>
                      {p.choices.map((c) => (
                        <option key={c} value={`'${c}'`}>
                          {c}
                        </option>
                      ))}
                    </select>
                  ) : (
                    <input
                      placeholder={p.value}
                      value={given[p.name] ?? ''}
                      spellCheck={false}
                      onChange={(e) => setGiven({ ...given, [p.name]: e.target.value })}
                    />
                  )}
                </label>
              ))}
          </div>
        </>
      )}
      <div className="row-of-buttons">
        <Button className="primary" isDisabled={!path || !type} onPress={() => void place()}>
          Place the block
        </Button>
      </div>
    </DialogFrame>
  );
}

export function ExportDialog() {
  const editor = useEditor();
  const run = useApp(currentRun);
  const get = async (suffix: string) => {
    try {
      const answer = await editor.http.get(`/results/${run?.run}.${suffix}`);
      download(await answer.blob(), `${editor.state.doc?.name || 'run'}.${suffix}`);
    } catch (error) {
      editor.report(error);
    }
  };
  return (
    <DialogFrame title="Export results">
      <p>
        Run {run?.run}: {run?.rows} rows, {run?.columns?.length} columns.
      </p>
      <div className="row-of-buttons">
        <Button onPress={() => void get('csv')}>CSV</Button>
        <Button onPress={() => void get('mtsf')}>HDF5 (MTSF)</Button>
      </div>
    </DialogFrame>
  );
}
