// SPDX-License-Identifier: Apache-2.0
// Frames of the sheet with many blocks.
import type { Page } from 'playwright-core';
import { startBrowser, stopBrowser } from '../../web/e2e/browser';
import { largeScene } from '../../web/e2e/fixtures';
import { address, playServer } from '../../web/e2e/page_alone';

interface Frames {
  mean: number;
  p95: number;
  script: number; // time in our own code, a frame
}

// Runs in the page: 60 frames, each with one small change of the view or of the held block.
const measure = (what: string) => {
  interface View { x: number; y: number; zoom: number; width: number; height: number } // prettier-ignore
  interface Sheet { view: View; setView(v: View): void; setGesture(g: object): void; paint(): void; painter: { scene: { blocks: { name: string }[] } } } // prettier-ignore
  const sheet = (window as unknown as { orrerySheet: Sheet }).orrerySheet;
  const times: number[] = [];
  let script = 0;
  const paint = sheet.paint.bind(sheet);
  sheet.paint = () => {
    const start = performance.now();
    paint();
    script += performance.now() - start;
  };
  const name = sheet.painter.scene.blocks[Math.floor(sheet.painter.scene.blocks.length / 2)]!.name;
  const names = new Set([name]);
  return new Promise<{ mean: number; p95: number; script: number }>((resolve) => {
    let k = 0;
    let last = performance.now();
    const step = () => {
      const now = performance.now();
      if (k > 0) times.push(now - last);
      last = now;
      const turn = Math.sin((k / 60) * 2 * Math.PI);
      if (what === 'pan') sheet.setView({ ...sheet.view, x: sheet.view.x + (turn * 8) / sheet.view.zoom });
      else if (what === 'zoom') sheet.setView({ ...sheet.view, zoom: sheet.view.zoom * (1 + turn * 0.02) });
      else if (what === 'drag') sheet.setGesture({ kind: 'move', names, from: [0, 0], by: [k * 3, k], guides: [], copy: false, pull: false, into: null }); // prettier-ignore
      else (document.querySelector('canvas') as HTMLCanvasElement).getContext('2d')!.clearRect(0, 0, 10, 10);
      if (++k <= 60) return requestAnimationFrame(step);
      if (what === 'drag') sheet.setGesture({ kind: 'idle', hover: { kind: 'empty' } });
      sheet.paint = paint;
      times.sort((a, b) => a - b);
      resolve({ mean: times.reduce((a, b) => a + b, 0) / times.length, p95: times[Math.floor(times.length * 0.95)]!, script: script / 60 });
    };
    requestAnimationFrame(step);
  });
};

async function frames(page: Page, what: string): Promise<Frames> {
  const runs: Frames[] = [];
  for (let k = 0; k < 3; ++k) runs.push(await page.evaluate(measure, what));
  return runs.sort((a, b) => a.mean - b.mean)[1]!;
}

const show = (f: Frames, bare: Frames) =>
  `${f.mean.toFixed(0)}/${f.p95.toFixed(0)} ms, script ${f.script.toFixed(1)} ms, ${(f.mean / bare.mean).toFixed(2)} × bare`;

for (const count of [1000, 10000]) {
  const context = await startBrowser();
  const page = await context.newPage();
  await playServer(page, largeScene(count), { tourDone: true, autoRun: false, bottomOpen: false });
  await page.addInitScript(() => {
    // From the arrival of the scene to the first frame that shows it.
    const real = window.fetch.bind(window);
    window.fetch = async (...a: Parameters<typeof fetch>) => {
      const answer = await real(...a);
      if (String(a[0]).startsWith('/scene')) (window as unknown as { sceneAt: number }).sceneAt = performance.now();
      return answer;
    };
  });
  await page.goto(`${address}/#code=00`);
  await page.waitForFunction((n) => (window as unknown as { orrerySheet?: { painter: { scene: { blocks: unknown[] }; painted: number } } }).orrerySheet?.painter.scene.blocks.length === n, count); // prettier-ignore
  const open = await page.evaluate(() => new Promise<number>((r) => requestAnimationFrame(() => requestAnimationFrame(() => r(performance.now() - (window as unknown as { sceneAt: number }).sceneAt))))); // prettier-ignore
  console.log(`${count} blocks: shown ${open.toFixed(0)} ms after the data arrived`);
  const bare = await frames(page, 'bare');
  console.log(`  bare loop ${bare.mean.toFixed(1)}/${bare.p95.toFixed(1)} ms`);
  for (const zoom of ['fit', 'work']) {
    await page.evaluate((z) => {
      const sheet = (window as unknown as { orrerySheet: { view: object; setView(v: object): void; fit(): void } }).orrerySheet;
      if (z === 'fit') sheet.fit();
      else sheet.setView({ ...sheet.view, zoom: 1.35, x: 900, y: 900 });
    }, zoom);
    await page.waitForTimeout(400);
    for (const what of ['pan', 'zoom', 'drag']) console.log(`  ${what} at ${zoom}: ${show(await frames(page, what), bare)}`);
  }
  await context.close();
}
await stopBrowser();
