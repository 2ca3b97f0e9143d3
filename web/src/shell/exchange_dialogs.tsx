// SPDX-License-Identifier: Apache-2.0
// What comes in and goes out: FMUs, results.
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { download } from '../keys/commands';
import { edit } from '../state/edit_actions';
import { currentRun } from '../state/state';
import { useApp, useEditor } from './context';
import { DialogFrame } from './dialog_frame';
import { FileList } from './file_dialogs';

export function FmuDialog() {
  const editor = useEditor();
  const type = useApp((s) =>
    s.library?.types.find((t) => t.name === 'FMU' || t.name === 'FMUBlock' || t.name === 'Fmu'),
  );
  const [path, setPath] = useState('');
  const take = async (file: File) => {
    try {
      setPath((await editor.http.upload(file.name, file)).path);
    } catch (error) {
      editor.report(error);
    }
  };
  const place = async () => {
    if (!type) return;
    const parameter =
      type.parameters.find((p) => /file|path|fmu/i.test(p.name))?.name ?? type.parameters[0]?.name ?? 'file';
    await edit(
      editor,
      [['add', type.name, 'in', editor.state.diagram, 'at', '0,0', `${parameter}='${path}'`]],
      { label: `Import ${path}`, select: 'made' },
    );
    editor.store.set({ dialog: null });
  };
  return (
    <DialogFrame title="Import an FMU">
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
      <FileList models={false} onOpen={setPath} />
      {path && <p>Chosen: {path}. All options of the block are in the inspector once it is placed.</p>}
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
      </div>
      <p className="quiet">
        C code and FMUs: <code>orrery export</code> on the saved file.
      </p>
    </DialogFrame>
  );
}
