// SPDX-License-Identifier: Apache-2.0
// The model compared with its file or with another one.
import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import type { Difference } from '../protocol/messages';
import { useEditor } from './context';
import { DialogFrame } from './dialog_frame';
import { FileList } from './file_dialogs';

export function DiffDialog() {
  const editor = useEditor();
  const [against, setAgainst] = useState('file');
  const [choosing, setChoosing] = useState(false);
  const [answer, setAnswer] = useState<{ differences: Difference[]; svg?: string } | null>(null);
  useEffect(() => {
    void editor.ask<{ differences: Difference[]; svg?: string }>('diff', { with: against }).then(setAnswer);
  }, [editor, against]);
  return (
    <DialogFrame
      title={against === 'file' ? 'Changes since the file was saved' : `Compared with ${against}`}
      wide
    >
      <div className="row-of-buttons">
        <Button onPress={() => setAgainst('file')}>The saved file</Button>
        <Button onPress={() => setChoosing(!choosing)}>Another model…</Button>
      </div>
      {choosing && (
        <FileList
          onOpen={(path) => {
            setAgainst(path);
            setChoosing(false);
          }}
        />
      )}{' '}
      {/* prettier-ignore */}
      {answer?.svg && (
        <img
          className="diff-picture"
          alt="Differences drawn"
          src={`data:image/svg+xml;utf8,${encodeURIComponent(answer.svg)}`}
        />
      )}
      {answer && !answer.differences.length && <p>No differences.</p>}
      <div className="table-box" tabIndex={0} role="region" aria-label="Differences">
        <table>
          <tbody>
            {answer?.differences.map((d, k) => (
              <tr key={k} className={`diff-${d.kind}`}>
                <td>{d.kind}</td>
                <td>
                  <Button
                    onPress={() => {
                      editor.store.set({ dialog: null });
                      void editor.goTo(d.path);
                    }}
                  >
                    {d.path}
                  </Button>{' '}
                  {/* prettier-ignore */}
                </td>
                <td>{d.field ?? d.what}</td>
                <td>
                  {d.before !== undefined && <del>{d.before}</del>}{' '}
                  {d.after !== undefined && <ins>{d.after}</ins>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </DialogFrame>
  );
}
