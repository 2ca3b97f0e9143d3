// SPDX-License-Identifier: Apache-2.0
// Where a name of the context is used: shown while the pointer rests on it; a click goes there.
import { type Extension } from '@codemirror/state';
import { type EditorView, hoverTooltip } from '@codemirror/view';
import type { FindMatch } from '../protocol/messages';
import type { Editor } from '../state/editor';
import { join } from '../state/paths';

const most = 12;

// Uses of a whole name, in parameters and in lines other than the one that is looked at.
export function usesOf(name: string, matches: readonly FindMatch[], own: { diagram: string; line: number }) {
  const whole = new RegExp(`(^|[^\\w.])${name}(?!\\w)`);
  // A parameter is found by its own name too; that is no use of ours, unless its text is found beside it.
  const ownNames = matches.filter((m) => m.kind === 'parameter' && m.text === m.parameter);
  return matches.filter((m, k) => {
    if (!whole.test(m.text)) return false;
    if (m.kind === 'context') return m.diagram !== own.diagram || m.line !== own.line;
    if (m.kind === 'initialization') return true;
    if (m.kind !== 'parameter') return false;
    if (m.text !== m.parameter) return true;
    const same = ownNames.filter((o) => o.block === m.block && o.parameter === m.parameter);
    return same.length > 1 && matches.indexOf(same[0]!) === k;
  });
}

function wordAt(view: EditorView, position: number): { from: number; to: number; text: string } | null {
  const line = view.state.doc.lineAt(position);
  for (const m of line.text.matchAll(/[A-Za-z_]\w*/g)) {
    const from = line.from + m.index;
    if (from <= position && position <= from + m[0].length)
      return { from, to: from + m[0].length, text: m[0] };
  }
  return null;
}

function place(m: FindMatch): string {
  if (!m.block) return m.kind === 'context' ? `context of ${m.diagram}, line ${m.line}` : `initialization, line ${m.line}`; // prettier-ignore
  const path = m.block.startsWith('/') ? m.block : join(m.diagram, m.block);
  return m.parameter ? `${path}, ${m.parameter}` : path;
}

export const usedBy = (editor: Editor): Extension =>
  hoverTooltip(
    async (view, position) => {
      const word = wordAt(view, position);
      const { doc, diagram, library } = editor.state;
      if (!word || !doc || library?.keywords.includes(word.text)) return null;
      const answer = await editor
        .request<{ matches: FindMatch[] }>('find', {
          doc: doc.doc,
          text: word.text,
          kinds: ['parameter', 'context', 'initialization'],
        }) // prettier-ignore
        .catch(() => null);
      const line = view.state.doc.lineAt(word.from).number;
      const uses = usesOf(word.text, answer?.matches ?? [], { diagram, line });
      if (!uses.length) return null;
      return {
        pos: word.from,
        end: word.to,
        create: () => ({ dom: listOf(editor, word.text, uses) }),
      };
    },
    { hoverTime: 400 },
  );

function listOf(editor: Editor, name: string, uses: readonly FindMatch[]): HTMLElement {
  const dom = document.createElement('div');
  dom.className = 'used-by';
  const title = dom.appendChild(document.createElement('p'));
  title.textContent = `${name} is used by`;
  for (const use of uses.slice(0, most)) {
    const row = dom.appendChild(document.createElement(use.block ? 'button' : 'span'));
    row.textContent = place(use);
    const path = use.block && (use.block.startsWith('/') ? use.block : join(use.diagram, use.block));
    if (path) row.addEventListener('click', () => void editor.goTo(path));
  }
  if (uses.length > most) dom.appendChild(document.createElement('span')).textContent = `and ${uses.length - most} more`; // prettier-ignore
  return dom;
}
