// SPDX-License-Identifier: Apache-2.0
// The model as a tree: its diagrams, and the blocks of the one that is shown. All that the sheet offers, as text.
import { useMemo } from 'react';
import { Button, Collection, Tree, TreeItem, TreeItemContent } from 'react-aria-components';
import { openBlock } from '../canvas/perform';
import { readingOrder } from '../access/walk';
import type { DiagramNode } from '../protocol/messages';
import { join, split } from '../state/paths';
import { useApp, useEditor } from './context';

interface Item {
  id: string;
  title: string;
  detail: string;
  children: Item[];
}

export function outlineItems(nodes: readonly DiagramNode[], blocks: Map<string, Item[]>): Item[] {
  return nodes.map((n) => ({
    id: `d${n.path}`,
    title: n.path === '/' ? n.name || 'model' : n.name,
    detail: `${n.blocks} blocks${n.masked ? ', masked' : ''}`,
    children: [...outlineItems(n.children ?? [], blocks), ...(blocks.get(n.path) ?? [])],
  }));
}

export function Outline() {
  const editor = useEditor();
  const doc = useApp((s) => s.doc);
  const scene = useApp((s) => s.scene);
  const diagram = useApp((s) => s.diagram);
  const selected = useApp((s) => s.selection.blocks);
  const items = useMemo(() => {
    const own = readingOrder(scene)
      .slice(0, 2000)
      .map((b) => ({ id: `b${join(diagram, b.name)}`, title: b.name, detail: b.type, children: [] }));
    return doc ? outlineItems(doc.diagrams, new Map([[diagram, own]])) : [];
  }, [doc?.diagrams, scene, diagram]);
  const expanded = useMemo(() => {
    const keys: string[] = [];
    const walk = (n: DiagramNode) => {
      if (diagram === n.path || n.path === '/' || diagram.startsWith(`${n.path}/`)) keys.push(`d${n.path}`);
      n.children?.forEach(walk);
    };
    doc?.diagrams.forEach(walk);
    return keys;
  }, [doc?.diagrams, diagram]);
  const keys = [...selected].map((n) => `b${join(diagram, n)}`);
  const row = (item: Item) => (
    <TreeItem key={item.id} id={item.id} textValue={item.title}>
      <TreeItemContent>
        {({ hasChildItems, isExpanded }) => (
          <>
            {hasChildItems && (
              <Button slot="chevron" className="chevron">
                {isExpanded ? '▾' : '▸'}
              </Button>
            )}
            <span className="name">{item.title}</span>
            <span className="detail">{item.detail}</span>
          </>
        )}
      </TreeItemContent>
      <Collection items={item.children}>{row}</Collection>
    </TreeItem>
  );
  return (
    <Tree
      key={diagram}
      aria-label="Outline"
      className="outline"
      items={items}
      defaultExpandedKeys={expanded}
      selectionMode="multiple"
      selectionBehavior="replace"
      selectedKeys={keys}
      onSelectionChange={(chosen) => {
        if (chosen === 'all') return;
        const names = [...chosen].map(String).filter((k) => k.startsWith('b')).map((k) => split(k.slice(1)).name); // prettier-ignore
        editor.select({ blocks: new Set(names), branches: new Set(), notes: new Set() });
        editor.sheet.revealBlocks(names);
      }}
      onAction={(key) => {
        const id = String(key);
        if (id.startsWith('d')) void editor.view(id.slice(1));
        else openBlock(editor, split(id.slice(1)).name);
      }}
    >
      {row}
    </Tree>
  );
}
