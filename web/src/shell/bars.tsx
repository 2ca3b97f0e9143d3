// SPDX-License-Identifier: Apache-2.0
// Bars above the sheet, one for each thing that needs a decision, with its actions.
import { Button } from 'react-aria-components';
import type { DocumentInfo } from '../protocol/messages';
import { revert, save } from '../state/edit_actions';
import { run as startRun } from '../state/run_actions';
import { useApp, useEditor } from './context';

interface BarProps {
  kind: 'info' | 'warning' | 'error';
  text: React.ReactNode;
  actions?: [string, () => void][];
}

const Bar = ({ kind, text, actions = [] }: BarProps) => (
  <div className={`notice ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
    <div>{text}</div>
    <div className="row-of-buttons">
      {actions.map(([label, run]) => (
        <Button key={label} onPress={run}>
          {label}
        </Button>
      ))}
    </div>
  </div>
);

export function Bars() {
  const editor = useEditor();
  const link = useApp((s) => s.link);
  const disk = useApp((s) => s.disk);
  const doc = useApp((s) => s.doc);
  const crashed = useApp((s) => s.crashed);
  return (
    <>
      {link === 'lost' && (
        <Bar
          kind="warning"
          text="The server is away; reconnecting. What you see stays, changes have to wait."
        />
      )}
      {doc && disk === 'changed' && (
        <Bar
          kind="warning"
          text={`${doc.path} was changed outside.`}
          actions={[
            ['Reload', () => void revert(editor)],
            ['Keep mine', () => void save(editor, true)],
            ['Compare', () => editor.store.set({ dialog: { kind: 'diff' } })],
          ]}
        />
      )}
      {doc && disk === 'removed' && (
        <Bar
          kind="warning"
          text={`${doc.path} was removed outside.`}
          actions={[['Save again', () => void save(editor, true)]]}
        />
      )}
      {doc?.recovery && <Recovery doc={doc} />}
      {doc?.read_only && (
        <Bar
          kind="info"
          text="This file cannot be written here. Save as… keeps your changes in another file."
          actions={[['Save as…', () => editor.store.set({ dialog: { kind: 'saveAs' } })]]}
        />
      )}
      <Consent />
      {crashed && (
        <Bar
          kind="error"
          text={<>{crashed} Your model is safe.</>}
          actions={[
            ['Run again', () => void startRun(editor)],
            ['Show the log', () => editor.prefer({ bottomOpen: true, bottomTab: 'report' })],
            [
              'Restart the engine',
              () => void editor.ask('restart_worker').then(() => editor.store.set({ crashed: '' })),
            ],
            ['Dismiss', () => editor.store.set({ crashed: '' })],
          ]}
        />
      )}
    </>
  );
}

function Recovery({ doc }: { doc: DocumentInfo }) {
  const editor = useEditor();
  const { edits, labels } = doc.recovery!;
  const take = async (yes: boolean) => {
    const answer = await editor.ask<DocumentInfo>('recover', { take: yes });
    if (!answer) return;
    editor.store.set({ sceneOf: '' });
    editor.showDocument({ ...answer, recovery: undefined });
  };
  return (
    <Bar
      kind="info"
      text={
        <>
          {edits} edit{edits === 1 ? '' : 's'} from before a crash can be restored.
          {!!labels?.length && <small> Last: {labels.slice(-3).join(', ')}</small>}
        </>
      }
      actions={[
        [`Restore ${edits} edit${edits === 1 ? '' : 's'}`, () => void take(true)],
        ['Forget them', () => void take(false)],
      ]}
    />
  );
}

// Opening a model is harmless; what it wants beyond that is listed, and granted or not.
function Consent() {
  const editor = useEditor();
  const needs = useApp((s) => s.needs);
  const allowed = useApp((s) => s.doc?.allowed);
  const hidden = useApp((s) => s.consentHidden);
  const open = needs.filter((n) => !allowed?.includes(n.capability));
  if (!open.length || hidden) return null;
  const allow = async (keep: 'once' | 'folder') => {
    const answer = await editor.ask<{ allowed: string[] }>('consent', {
      allow: open.map((n) => n.capability),
      keep,
    });
    if (answer) editor.store.set((s) => ({ doc: s.doc && { ...s.doc, allowed: answer.allowed } }));
  };
  return (
    <Bar
      kind="warning"
      text={
        <>
          <strong>This model wants more than to compute.</strong> It can be edited without.
          <ul>
            {open.map((n, k) => (
              <li key={k}>
                {n.meaning}
                {n.place && (
                  <small>
                    {' '}
                    –{' '}
                    {[
                      n.place.block,
                      n.place.port,
                      n.place.line ? `line ${n.place.line}` : '',
                      n.place.message,
                    ]
                      .filter(Boolean)
                      .join(', ')}
                  </small>
                )}
              </li>
            ))}
          </ul>
        </>
      }
      actions={[
        ...(open[0]?.place?.block
          ? [['Show', () => void editor.goTo(open[0]!.place!.block!)] as [string, () => void]]
          : []),
        ['Allow once', () => void allow('once')],
        ['Trust this folder', () => void allow('folder')],
        ['Not now', () => editor.store.set({ consentHidden: true })],
      ]}
    />
  );
}
