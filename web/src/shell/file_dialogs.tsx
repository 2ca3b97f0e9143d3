// SPDX-License-Identifier: Apache-2.0
// Opening, saving under another name, leaving unsaved work, and the examples.
import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import { Refused } from '../protocol/connection';
import type { FolderList } from '../protocol/messages';
import { save } from '../state/edit_actions';
import { useApp, useEditor } from './context';
import { DialogFrame } from './dialog_frame';

export function useFolder(folder: string): FolderList | null {
  const editor = useEditor();
  const link = useApp((s) => s.link);
  const [list, setList] = useState<FolderList | null>(null);
  useEffect(() => {
    if (link !== 'open') return;
    editor
      .list(folder)
      .then(setList)
      .catch((e: unknown) => editor.report(e));
  }, [editor, folder, link]);
  return list;
}

export function FileList({
  onOpen,
  models = true,
  suffix = '',
}: {
  onOpen: (path: string) => void;
  models?: boolean;
  suffix?: string;
}) {
  // prettier-ignore
  const [folder, setFolder] = useState('');
  const list = useFolder(folder);
  const inFolder = (name: string) => (folder ? `${folder}/${name}` : name);
  return (
    <ul className="choices files" aria-label="Files">
      {folder && (
        <li>
          <Button onPress={() => setFolder(folder.split('/').slice(0, -1).join('/'))}>‹ up</Button>
        </li>
      )}
      {list?.folders.map((f) => (
        <li key={f}>
          <Button onPress={() => setFolder(inFolder(f))}>
            <span className="name">{f}/</span>
          </Button>
        </li>
      ))}
      {list?.files
        .filter((f) => (!models || f.model) && f.name.endsWith(suffix))
        .map((f) => (
          <li key={f.name}>
            <Button onPress={() => onOpen(inFolder(f.name))}>
              <span className="name">{f.name}</span>
              <span className="detail">{new Date(f.modified * 1000).toLocaleString()}</span>
            </Button>
          </li>
        ))}
      {list && !list.files.length && !list.folders.length && <li className="none">This folder is empty.</li>}
    </ul>
  );
}

export function OpenDialog() {
  const editor = useEditor();
  return (
    <DialogFrame title="Open a model">
      <FileList onOpen={(path) => void editor.open({ path })} />
    </DialogFrame>
  );
}

export function SaveAsDialog() {
  const editor = useEditor();
  const doc = useApp((s) => s.doc);
  const [path, setPath] = useState(doc?.path ?? `${doc?.name || 'model'}.orr`);
  const [exists, setExists] = useState(false);
  const send = async () => {
    try {
      const answer = await editor.request<{ path: string }>('save_as', { doc: doc?.doc, path, ...(exists ? { force: true } : {}) }); // prettier-ignore
      editor.store.set((s) => ({
        dialog: null,
        doc: s.doc && { ...s.doc, path: answer.path, dirty: false, read_only: false },
      }));
      editor.toast(`Saved ${answer.path}`);
    } catch (error) {
      if (error instanceof Refused && error.diagnostic.code === 'file-exists') setExists(true);
      else editor.report(error);
    }
  };
  return (
    <DialogFrame title="Save as">
      <form
        onSubmit={(e) => {
          e.preventDefault();
          void send();
        }}
      >
        <label className="plain-field">
          File inside {editor.state.hello?.root}
          <input
            autoFocus
            value={path}
            onChange={(e) => {
              setPath(e.target.value);
              setExists(false);
            }}
            spellCheck={false}
          />{' '}
          {/* prettier-ignore */}
        </label>
        {exists && <p className="field-error">There is such a file already.</p>}
        <div className="row-of-buttons">
          <Button type="submit" className="primary">
            {exists ? 'Replace it' : 'Save'}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}

export function UnsavedDialog({ then }: { then: () => void }) {
  const editor = useEditor();
  const go = () => {
    editor.store.set({ dialog: null });
    then();
  };
  return (
    <DialogFrame title="Unsaved changes">
      <p>{editor.state.doc?.name || 'This model'} has changes that are not in its file.</p>
      <div className="row-of-buttons">
        <Button className="primary" onPress={() => void save(editor).then((done) => done && go())}>
          Save
        </Button>
        <Button onPress={go}>Leave them in the journal</Button>
        <Button onPress={() => editor.store.set({ dialog: null })}>Stay</Button>
      </div>
    </DialogFrame>
  );
}

export function ExampleCards() {
  const editor = useEditor();
  const list = useFolder('');
  return (
    <ul className="cards" aria-label="Examples">
      {list?.examples.map((e) => (
        <li key={e.name}>
          <Button className="card" onPress={() => void editor.open({ example: e.name })}>
            <ExamplePicture name={e.name} />
            <span className="name">{e.title || e.name}</span>
            <span className="detail">{e.about}</span>
          </Button>
        </li>
      ))}
    </ul>
  );
}

// The drawing of an example, where the server has one.
function ExamplePicture({ name }: { name: string }) {
  const editor = useEditor();
  const dark = useApp((s) => s.dark);
  const [address, setAddress] = useState('');
  useEffect(() => {
    let made = '';
    editor.http
      .get(`/picture.svg?example=${encodeURIComponent(name)}&diagram=%2F&theme=${dark ? 'dark' : 'light'}`)
      .then((r) => r.blob())
      .then((b) => setAddress((made = URL.createObjectURL(b))))
      .catch(() => {});
    return () => URL.revokeObjectURL(made);
  }, [editor, name, dark]);
  return address ? <img alt="" src={address} /> : <span className="no-picture" />;
}

export function GalleryDialog() {
  return (
    <DialogFrame title="Examples" wide>
      <ExampleCards />
    </DialogFrame>
  );
}
