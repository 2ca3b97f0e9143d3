// SPDX-License-Identifier: Apache-2.0
// Where in a program of a block something is wrong: compilers say it in words ("line 2, column 21: …", "block.c:7:3: error: …").
import type { Diagnostic } from '../protocol/messages';

export function codeProblems(
  problems: readonly Diagnostic[],
  block: string,
  parameter: string,
): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const p of problems) {
    if (p.block !== block) continue;
    const own = p.port === `parameter ${parameter}`;
    const texts = [p.message, ...(p.notes ?? [])].flatMap((t) => t.split('\n'));
    let placed = false;
    for (const text of texts) {
      const words = /\bline (\d+)(?:, column (\d+))?/.exec(text) ?? /^[^\s:]*:(\d+)(?::(\d+))?:/.exec(text);
      if (!words) continue;
      placed = true;
      found.push({
        ...p,
        message: text,
        line: Number(words[1]),
        column: words[2] ? Number(words[2]) : undefined,
      });
    }
    if (own && !placed) found.push({ ...p, line: undefined, column: undefined });
  }
  return found;
}
