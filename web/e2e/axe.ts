// SPDX-License-Identifier: Apache-2.0
// What axe finds on the page as it is, in words.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

declare const WEB_FOLDER: string;
const source = readFileSync(join(WEB_FOLDER, 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');

export async function findings(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: source });
  await session.detach();
  return page.evaluate(async () => {
    interface Result {
      violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
    }
    const { axe } = window as unknown as { axe: { run: (what: Document, o: object) => Promise<Result> } };
    const result = await axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    });
    return result.violations.map(
      (v) =>
        `${v.id} (${v.impact}): ${v.nodes
          .slice(0, 3)
          .map((n) => `${n.html.slice(0, 160)} ${n.failureSummary.replace(/\s+/g, ' ').slice(0, 220)}`)
          .join(' | ')}`,
    );
  });
}
