// SPDX-License-Identifier: Apache-2.0
// Four small cards for the first minute. They never come back unless asked for.
import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import { perform } from '../keys/commands';
import { useApp, useEditor } from './context';

const cards = [
  {
    title: 'Drag the number.',
    text: 'In the context on the right, drag the 0.9 of e to the left: the curve follows.',
  },
  {
    title: 'Click a bounce.',
    text: 'Click one of the red ticks below the curve: the event says why it happened.',
  },
  { title: 'Add a block.', text: 'Click the sheet, type gain, press Enter. Formulas work too: 1/(s+2).' },
  {
    title: 'Undo with Ctrl+Z.',
    text: 'Everything can be undone, without limit. Ctrl+K finds every command.',
  },
];

export function Tour() {
  const editor = useEditor();
  const done = useApp((s) => s.preferences.tourDone);
  const doc = useApp((s) => s.doc);
  const [at, setAt] = useState(0);
  // A card turns when what it asks for was done.
  const dragged = useApp((s) => s.doc?.undo?.includes('context') ?? false);
  const event = useApp((s) => s.event !== null);
  const added = useApp((s) => s.doc?.undo?.startsWith('Add') ?? false);
  useEffect(() => {
    if (at === 0 && dragged) setAt(1);
    else if (at === 1 && event) setAt(2);
    else if (at === 2 && added) setAt(3);
  }, [at, dragged, event, added]);
  useEffect(() => {
    if (done || !doc) return;
    const close = (e: KeyboardEvent) => e.key === 'Escape' && editor.prefer({ tourDone: true });
    document.addEventListener('keydown', close);
    return () => document.removeEventListener('keydown', close);
  }, [done, doc, editor]);
  const card = cards[at];
  if (done || !doc || !card) return null;
  return (
    <aside className="tour" aria-label="First steps">
      <h2>{card.title}</h2>
      <p>{card.text}</p>
      <div className="row-of-buttons">
        {at < cards.length - 1 ? (
          <Button onPress={() => setAt(at + 1)}>Next</Button>
        ) : (
          <Button onPress={() => perform('gallery', editor, null)}>More examples</Button>
        )}
        <Button onPress={() => editor.prefer({ tourDone: true })}>Close</Button>
        <span className="quiet">
          {at + 1} of {cards.length}
        </span>
      </div>
    </aside>
  );
}
