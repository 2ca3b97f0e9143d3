// SPDX-License-Identifier: Apache-2.0
// The inspector of the diagram: what the model is, its context, how it is simulated.
import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import { perform } from '../keys/commands';
import { useApp, useEditor } from '../shell/context';
import { edit } from '../state/edit_actions';
import { LinesEditor } from '../text/context_editor';
import { SettingsList } from './simulation';
import { SuperOptions } from './super_options';

export function DiagramPage() {
  const editor = useEditor();
  const doc = useApp((s) => s.doc);
  const diagram = useApp((s) => s.diagram);
  const info = useApp((s) => s.diagramInfo);
  const [about, setAbout] = useState(info?.about ?? '');
  useEffect(() => setAbout(info?.about ?? ''), [info?.about]);
  if (!doc || !info) return <div className="inspector-body" />;
  const root = diagram === '/';
  return (
    <div className="inspector-body">
      <h2>{root ? doc.name || 'Untitled' : diagram.slice(diagram.lastIndexOf('/') + 1)}</h2>
      {root ? (
        <textarea
          className="about"
          aria-label="About this model"
          placeholder="What this model is"
          rows={Math.min(6, Math.max(2, Math.ceil(about.length / 42)))}
          value={about}
          onChange={(e) => setAbout(e.target.value)}
          onBlur={() =>
            about !== (info.about ?? '') && void edit(editor, [['describe', about]], { label: 'Describe' })
          }
        />
      ) : (
        <div className="row-of-buttons">
          <Button onPress={() => perform('mask', editor, null)}>
            Mask{info.mask.length ? ` (${info.mask.length})` : ''}…
          </Button>
          <Button onPress={() => perform('auto-mask', editor, null)}>Auto-mask</Button>
          <Button onPress={() => perform('leave', editor, null)}>Leave</Button>
        </div>
      )}
      <section>
        <div className="section-head">
          <h3>Context</h3>
          {root && (
            <Button className="quiet-button" onPress={() => perform('initialization', editor, null)}>
              Initialization{info.initialization?.length ? ` (${info.initialization.length})` : ''}…
            </Button>
          )}
        </div>
        <LinesEditor kind="context" />
      </section>
      {!root && <SuperOptions info={info} />}
      {root && (
        <section>
          <div className="section-head">
            <h3>Simulation</h3>
            <Button className="quiet-button" onPress={() => perform('simulation', editor, null)}>
              All settings…
            </Button>
          </div>
          <SettingsList names={['stop', 'solver', 'rtol', 'atol']} />
        </section>
      )}
    </div>
  );
}
