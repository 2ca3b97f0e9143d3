// SPDX-License-Identifier: Apache-2.0
// What is selected, and how it can be changed; with nothing selected, the diagram.
import { useState } from 'react';
import { Button, Disclosure, DisclosurePanel, Heading, Input, TextField } from 'react-aria-components';
import type { BlockInfo } from '../protocol/messages';
import { useApp, useEditor } from '../shell/context';
import { edit } from '../state/edit_actions';
import { execute } from '../state/run_actions';
import { perform } from '../keys/commands';
import { MiniIcon } from '../canvas/mini_icon';
import { DiagramPage } from './diagram_page';
import { ParameterField } from './parameter_field';
import { LinkPage } from './link_page';

export function Inspector() {
  const blocks = useApp((s) => s.blocks);
  const names = useApp((s) => s.selection.blocks);
  const branches = useApp((s) => s.selection.branches.size);
  const problems = useApp((s) => s.problems.list);
  if (!names.size && branches) return <LinkPage />;
  if (!names.size || !blocks.length) return <DiagramPage />;
  const first = blocks[0]!;
  if (blocks.length > 1 || names.size > 1) return <ManyBlocks blocks={blocks} count={names.size} />;
  const here = problems.filter((p) => p.block === first.path && !p.port?.startsWith('parameter'));
  return (
    <div className="inspector-body" data-block={first.path}>
      <Head block={first} key={first.path} />
      {here.map((p, k) => (
        <p key={k} className="field-error" role="alert">
          {p.port ? `${p.port}: ` : ''}
          {p.message}
          {p.help && <span className="help">{p.help}</span>}
        </p>
      ))}
      <Fields blocks={[first]} />
      {first.super && (
        <div className="row-of-buttons">
          <SuperButtons />
        </div>
      )}
      {first.type === 'ExecOMLScript' && <ScriptButtons block={first} />}
      <More block={first} />
    </div>
  );
}

function SuperButtons() {
  const editor = useEditor();
  return (
    <>
      <Button onPress={() => perform('look-inside', editor, null)}>Look inside</Button>
      <Button onPress={() => perform('mask', editor, null)}>Mask…</Button>
      <Button onPress={() => perform('ungroup', editor, null)}>Ungroup</Button>
    </>
  );
}

function ScriptButtons({ block }: { block: BlockInfo }) {
  const editor = useEditor();
  return (
    <>
      <p className="quiet">
        {block.executed
          ? 'The script has run, and runs before every check and run: contexts find what it leaves with GetFromBase.'
          : 'Simulations leave the script out until it is run: here, or by a double click on the block.'}
      </p>
      <div className="row-of-buttons">
        <Button onPress={() => void execute(editor, block.path)}>Run the script</Button>
        {block.executed && (
          <Button onPress={() => void execute(editor, block.path, false)}>Leave it out again</Button>
        )}
      </div>
    </>
  );
}

function Head({ block }: { block: BlockInfo }) {
  const editor = useEditor();
  const [name, setName] = useState(block.name);
  const rename = async () => {
    if (name === block.name || !name) return setName(block.name);
    const done = await edit(editor, [['rename', block.path, name]], {
      label: `Rename ${block.name}`,
      select: 'made',
    });
    if (!done) return setName(block.name);
    editor.select({ blocks: new Set([name]), branches: new Set(), notes: new Set() });
  };
  return (
    <header className="inspector-head">
      <MiniIcon type={block.type} size={34} />
      <div>
        <TextField aria-label="Name of the block" value={name} onChange={setName}>
          <Input
            className="name-input"
            onBlur={() => void rename()}
            onKeyDown={(e) => e.key === 'Enter' && (e.target as HTMLInputElement).blur()}
          />
        </TextField>
        <p className="kind">
          {block.type}
          {block.palette ? ` · ${block.palette}` : ''}
          {block.off ? ' · commented out' : ''}
        </p>
      </div>
    </header>
  );
}

function Fields({ blocks }: { blocks: readonly BlockInfo[] }) {
  const shown = blocks[0]!.parameters.filter(
    (p) => p.visible !== false && blocks.every((b) => b.parameters.some((q) => q.name === p.name)),
  );
  if (!shown.length) return <p className="quiet">No parameters.</p>;
  return (
    <div className="fields">
      {shown.map((p, k) => (
        <ParameterField key={blocks[0]!.path + p.name} blocks={blocks} parameter={p} first={k === 0} />
      ))}
    </div>
  );
}

function ManyBlocks({ blocks, count }: { blocks: readonly BlockInfo[]; count: number }) {
  const editor = useEditor();
  const types = new Set(blocks.map((b) => b.type));
  return (
    <div className="inspector-body">
      <h2>{count} blocks</h2>
      <p className="quiet">
        {types.size === 1 ? `All are ${[...types][0]}: changes go to all of them.` : [...types].join(', ')}
      </p>
      <div className="row-of-buttons">
        {(['group', 'align-left', 'align-top', 'distribute-h', 'distribute-v', 'comment-out'] as const).map(
          (id) => (
            <Button key={id} onPress={() => perform(id, editor, null)}>
              {
                {
                  group: 'Group',
                  'align-left': 'Align left',
                  'align-top': 'Align top',
                  'distribute-h': 'Spread ↔',
                  'distribute-v': 'Spread ↕',
                  'comment-out': 'Comment out',
                }[id]
              }
            </Button>
          ),
        )}
      </div>
      {types.size === 1 && <Fields blocks={blocks} />}
    </div>
  );
}

function More({ block }: { block: BlockInfo }) {
  const editor = useEditor();
  const page = useApp((s) => s.library?.types.find((t) => t.name === block.type)?.page);
  const facts = useApp((s) => s.facts[block.path]);
  const [about, setAbout] = useState(block.about ?? '');
  return (
    <>
      <Disclosure>
        <Heading level={3}>
          <Button slot="trigger">More about this block</Button>
        </Heading>
        <DisclosurePanel>
          <label className="plain-field">
            Remark
            <textarea
              rows={2}
              value={about}
              onChange={(e) => setAbout(e.target.value)}
              onBlur={() =>
                about !== (block.about ?? '') &&
                void edit(editor, [['about', block.path, about]], { label: 'Change remark' })
              }
            />
          </label>
          <label className="plain-field">
            Activation without a link
            <select
              value={block.activation}
              onChange={(e) =>
                void edit(editor, [['activation', block.path, e.target.value]], {
                  label: 'Change activation',
                })
              }
            >
              <option value="default">as the block type says</option>
              <option value="inherit">inherited from the inputs</option>
              <option value="always">always active</option>
              <option value="initial">at the start only</option>
            </select>
          </label>
          {facts && (
            <dl className="facts">
              {facts.clock && <Fact name="Clock" value={facts.clock} />}
              {facts.in?.length ? <Fact name="Inputs" value={facts.in.join(', ')} /> : null}
              {facts.out?.length ? <Fact name="Outputs" value={facts.out.join(', ')} /> : null}
              {facts.order !== undefined && <Fact name="Order" value={String(facts.order)} />}
            </dl>
          )}
        </DisclosurePanel>
      </Disclosure>
      {(block.summary || page) && (
        <Disclosure>
          <Heading level={3}>
            <Button slot="trigger">Manual</Button>
          </Heading>
          <DisclosurePanel>
            <p>{block.summary}</p>
            {page && <pre className="page">{page}</pre>}
          </DisclosurePanel>
        </Disclosure>
      )}
    </>
  );
}

const Fact = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);
