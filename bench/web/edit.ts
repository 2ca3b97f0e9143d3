// SPDX-License-Identifier: Apache-2.0
// An edit of a model with 1 000 blocks, from the page to the server and back: a block is moved and kept in the journal.
import { stopBrowser, startBrowser } from '../../web/e2e/browser';
import { largeModel } from '../../web/e2e/large_model';
import { Server, openPage, shown } from '../../web/e2e/server';

const server = new Server([['large.orr', largeModel(1000)]]);
const context = await startBrowser();
const page = await openPage(context, await server.start());
await shown(page);
const times = await page.evaluate(async () => {
  const { orreryEditor: editor } = window as unknown as import('../../web/e2e/server').Windowed;
  const found: number[] = [];
  for (let k = 0; k < 220; ++k) {
    const start = performance.now();
    await editor.request('edit', { doc: editor.state.doc!.doc, steps: [['move', `/G${500 + (k % 7)}`, 'by', `${k % 2 ? -10 : 10},0`]], phase: 'keep' }); // prettier-ignore
    found.push(performance.now() - start);
    await new Promise((r) => setTimeout(r, 10));
  }
  return found.slice(20);
});
times.sort((a, b) => a - b);
console.log(`edit of 1 000 blocks: ${times[100]!.toFixed(1)} ms to the server and back, 95 % ${times[190]!.toFixed(1)} ms`);
await context.close();
await server.stop();
await stopBrowser();
