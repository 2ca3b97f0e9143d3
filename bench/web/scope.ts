// SPDX-License-Identifier: Apache-2.0
// One update of a live scope with 4 traces of 10⁶ points, behind the server's pyramid.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBrowser, stopBrowser } from '../../web/e2e/browser';

declare const BENCH_FOLDER: string;
const context = await startBrowser();
const page = await context.newPage();
await page.setContent('<!doctype html><body></body>');
await page.addScriptTag({ content: readFileSync(join(BENCH_FOLDER, 'scope_page.js'), 'utf8') });
const times = (await page.evaluate(() => (window as unknown as { measureScope: () => Promise<number[]> }).measureScope())).slice(5);
times.sort((a, b) => a - b);
console.log(`scope, 4 x 1e6 points: ${times[Math.floor(times.length / 2)]!.toFixed(1)} ms an update, 95 % ${times[Math.floor(times.length * 0.95)]!.toFixed(1)} ms`);
await context.close();
await stopBrowser();
