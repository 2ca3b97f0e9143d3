// SPDX-License-Identifier: Apache-2.0
// Values at the ends of lines, and numbers that can be dragged.
import { type Extension, RangeSetBuilder, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view';
import { numbersIn, scrubbed } from './scrub';

class NoteWidget extends WidgetType {
  constructor(readonly text: string) {
    super();
  }
  override eq(other: NoteWidget) {
    return other.text === this.text;
  }
  toDOM() {
    const span = document.createElement('span');
    span.className = 'cm-line-value';
    span.textContent = this.text;
    return span;
  }
}

// Texts by line number, from 1.
export const setNotes = StateEffect.define<ReadonlyMap<number, string>>();

export const lineNotes = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(old, transaction) {
    let set = old.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setNotes)) continue;
      const builder = new RangeSetBuilder<Decoration>();
      const { doc } = transaction.state;
      for (const [line, text] of [...effect.value].sort((a, b) => a[0] - b[0])) {
        if (line < 1 || line > doc.lines) continue;
        const end = doc.line(line).to;
        builder.add(end, end, Decoration.widget({ widget: new NoteWidget(text), side: 1 }));
      }
      set = builder.finish();
    }
    return set;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const numberMark = Decoration.mark({ class: 'cm-scrub' });

const marks = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = find(view);
    }
    update(u: ViewUpdate) {
      if (u.docChanged || u.viewportChanged) this.decorations = find(u.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function find(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to;) {
      const line = view.state.doc.lineAt(at);
      for (const n of numbersIn(line.text)) builder.add(line.from + n.from, line.from + n.to, numberMark);
      at = line.to + 1;
    }
  }
  return builder.finish();
}

// Dragging a number changes it: with Alt always, without it as long as nobody is typing in this text.
export function scrubNumbers(onScrub: (done: boolean) => void): Extension {
  const handlers = EditorView.domEventHandlers({
    mousedown(event, view) {
      const target = (event.target as HTMLElement).closest?.('.cm-scrub');
      if (!target || event.button !== 0 || (view.hasFocus && !event.altKey)) return false;
      const position = view.posAtDOM(target);
      const line = view.state.doc.lineAt(position);
      const number = numbersIn(line.text).find((n) => line.from + n.from === position);
      if (!number) return false;
      event.preventDefault();
      const from = line.from + number.from;
      let length = number.text.length;
      const x0 = event.clientX;
      let moved = false;
      const move = (e: MouseEvent) => {
        if (!moved && Math.abs(e.clientX - x0) < 3) return;
        moved = true;
        const text = scrubbed(number.text, e.clientX - x0, e.shiftKey);
        if (text === view.state.sliceDoc(from, from + length)) return;
        view.dispatch({ changes: { from, to: from + length, insert: text } });
        length = text.length;
        onScrub(false);
      };
      const up = () => {
        document.removeEventListener('mousemove', move);
        document.removeEventListener('mouseup', up);
        document.body.classList.remove('scrubbing');
        if (moved) onScrub(true);
        else {
          view.focus();
          view.dispatch({ selection: { anchor: view.posAtCoords({ x: x0, y: event.clientY }) ?? from } });
        }
      };
      document.body.classList.add('scrubbing');
      document.addEventListener('mousemove', move);
      document.addEventListener('mouseup', up);
      return true;
    },
    // Alt+Up and Alt+Down change the number at the cursor.
    keydown(event, view) {
      if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return false;
      const { head } = view.state.selection.main;
      const line = view.state.doc.lineAt(head);
      const number = numbersIn(line.text).find((n) => head >= line.from + n.from && head <= line.from + n.to);
      if (!number) return false;
      event.preventDefault();
      const text = scrubbed(number.text, event.key === 'ArrowUp' ? 1 : -1, event.shiftKey);
      view.dispatch({ changes: { from: line.from + number.from, to: line.from + number.to, insert: text } });
      onScrub(true);
      return true;
    },
  });
  return [marks, handlers];
}
