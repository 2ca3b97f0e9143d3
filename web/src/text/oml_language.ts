// SPDX-License-Identifier: Apache-2.0
// Colours for OML, from the keywords that the server names.
import { HighlightStyle, StreamLanguage, type StringStream, syntaxHighlighting } from '@codemirror/language';
import { tags } from '@lezer/highlight';

interface TokenState {
  comment: boolean;
}

export function omlLanguage(keywords: readonly string[], functions: ReadonlySet<string>) {
  const words = new Set(keywords);
  return StreamLanguage.define<TokenState>({
    startState: () => ({ comment: false }),
    token(stream: StringStream, state: TokenState): string | null {
      if (state.comment) {
        if (stream.match(/.*?%\}/)) state.comment = false;
        else stream.skipToEnd();
        return 'comment';
      }
      if (stream.match(/%\{/)) {
        state.comment = true;
        return 'comment';
      }
      if (stream.match(/[%#].*/) || stream.match(/\/\/.*/)) return 'comment';
      if (stream.match(/"(?:[^"\\]|\\.)*"?/)) return 'string';
      // A quote after a name, number or bracket transposes; elsewhere it begins a string.
      const before = stream.string.slice(0, stream.pos);
      if (!/[\w)\]}'.]$/.test(before) && stream.match(/'(?:[^']|'')*'?/)) return 'string';
      if (stream.match(/(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?[ij]?/)) return 'number';
      if (stream.match(/[A-Za-z_]\w*/)) {
        const word = stream.current();
        if (words.has(word)) return 'keyword';
        return functions.has(word) ? 'propertyName' : 'variableName';
      }
      stream.next();
      return 'operator';
    },
    languageData: { commentTokens: { line: '%' } },
  });
}

export const omlColours = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.keyword, class: 'oml-keyword' },
    { tag: tags.comment, class: 'oml-comment' },
    { tag: tags.string, class: 'oml-string' },
    { tag: tags.number, class: 'oml-number' },
    { tag: tags.propertyName, class: 'oml-function' },
  ]),
);
