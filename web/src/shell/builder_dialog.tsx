// SPDX-License-Identifier: Apache-2.0
// The block builder: what a super block is called, what it says of itself, what its box shows, its parameters and ports,
// and the way into a library.
import { useEffect, useState } from 'react';
import { Button, Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import type { BlockInfo, DiagramInfo } from '../protocol/messages';
import { edit } from '../state/edit_actions';
import { join } from '../state/paths';
import { useApp, useEditor } from './context';
import { DialogFrame } from './dialog_frame';

const nameOf = (path: string) => path.split('/').pop()!;
const parentOf = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/';

export function BuilderDialog({ block }: { block: string }) {
  const editor = useEditor();
  const revision = useApp((s) => s.doc?.revision ?? 0);
  const scene = useApp((s) => s.scene);
  const canAdd = useApp((s) => s.hello?.tools?.some((t) => t.command === 'library add'));
  const [path, setPath] = useState(block);
  const [info, setInfo] = useState<BlockInfo | null>(null);
  const [inside, setInside] = useState<DiagramInfo | null>(null);
  const [name, setName] = useState(nameOf(block));
  const [about, setAbout] = useState('');
  const [icon, setIcon] = useState('');
  const [size, setSize] = useState('');
  useEffect(() => {
    void editor.ask<BlockInfo>('inspect', { block: path }).then((i) => {
      if (!i) return;
      setInfo(i);
      setAbout(i.about ?? '');
      setIcon(i.icon ?? '');
      if (i.layout?.length && i.layout.length >= 4) setSize(`${i.layout[2]},${i.layout[3]}`);
    });
    void editor.ask<DiagramInfo>('diagram', { diagram: path }).then((d) => setInside(d));
  }, [editor, path, revision]);
  const drawn = scene.blocks.find((b) => b.name === nameOf(path));
  const send = async (step: string[], label: string) => edit(editor, [step], { label });
  const rename = async () => {
    if (name === nameOf(path) || !(await send(['rename', path, name], 'Rename'))) return;
    setPath(join(parentOf(path), name));
  };
  const go = (kind: 'mask' | 'tool') => {
    editor.select({ blocks: new Set([nameOf(path)]), branches: new Set(), notes: new Set() });
    editor.store.set({ dialog: kind === 'tool' ? { kind, tool: 'library' } : { kind } });
  };
  const ports = (activation: boolean, output: boolean) =>
    drawn?.ports.filter((p) => p.activation === activation && p.output === output).length ?? 0;
  const form = (submit: () => Promise<unknown>, field: React.ReactNode) => (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        void submit();
      }}
    >
      {field}
      <div className="row-of-buttons">
        <Button type="submit" className="primary">
          Keep
        </Button>
      </div>
    </form>
  );
  const pages: [string, React.ReactNode][] = [
    ['Label', form(rename, <label className="plain-field">Name of the block<input value={name} onChange={(e) => setName(e.target.value)} /></label>)], // prettier-ignore
    ['Documentation', form(() => send(['about', path, about], 'Documentation'), <label className="plain-field">What it does<textarea rows={6} value={about} onChange={(e) => setAbout(e.target.value)} /></label>)], // prettier-ignore
    ['Parameters', <div key="p"><p>{inside?.mask.length ? inside.mask.map((m) => `${m.name} = ${m.default ?? ''}`).join(', ') : 'It has no mask: the inside sees the variables outside.'}</p><div className="row-of-buttons"><Button onPress={() => go('mask')}>Mask editor…</Button><Button onPress={() => void send(['automask', path], 'Auto-mask')}>Auto-mask</Button></div></div>], // prettier-ignore
    ['Inside', <div key="i"><p>{inside?.blocks ?? 0} blocks{inside?.atomic ? ', a unit with one activation' : ''}.</p><div className="row-of-buttons"><Button onPress={() => { editor.store.set({ dialog: null }); void editor.view(path); }}>Open the inside</Button><Button onPress={() => void send(['options', path, `atomic=${inside?.atomic ? 'false' : 'true'}`], 'Atomic')}>{inside?.atomic ? 'No unit any more' : 'Make it a unit'}</Button></div></div>], // prettier-ignore
    ['Ports', <div key="o"><p>{ports(false, false)} inputs, {ports(false, true)} outputs, {ports(true, false)} activation inputs, {ports(true, true)} activation outputs: the Input, Output, EventInput and EventOutput blocks of its inside, by their numbers.</p></div>], // prettier-ignore
    ['Shape', form(() => send(['resize', path, size.trim()], 'Resize'), <label className="plain-field">Width, height<input value={size} placeholder="90,60" onChange={(e) => setSize(e.target.value)} /></label>)], // prettier-ignore
    ['Icon', form(() => send(['icon', path, icon], 'Icon'), <label className="plain-field">What its box shows; nothing: a miniature of the inside<input value={icon} onChange={(e) => setIcon(e.target.value)} /></label>)], // prettier-ignore
  ];
  if (!info) return <DialogFrame title="Block builder">{null}</DialogFrame>;
  return (
    <DialogFrame title={`Block builder: ${path}`} wide>
      <Tabs className="builder">
        <TabList aria-label="Parts of the block" className="tab-row">
          {pages.map(([title]) => (
            <Tab key={title} id={title} className={({ isSelected }) => `tab${isSelected ? ' chosen' : ''}`}>
              {title}
            </Tab>
          ))}
        </TabList>
        {pages.map(([title, content]) => (
          <TabPanel key={title} id={title} className="builder-page">
            {content}
          </TabPanel>
        ))}
      </Tabs>
      {canAdd && (
        <div className="row-of-buttons">
          <Button onPress={() => go('tool')}>Put it into a library…</Button>
        </div>
      )}
    </DialogFrame>
  );
}
