// SPDX-License-Identifier: Apache-2.0
// The page shows a model and its curves; with ORRERY_SHOTS it writes pictures.
import { test } from 'node:test';
import { ballScene } from './fixtures';
import { startBrowser } from './browser';
import { address, playServer } from './page_alone';

for (const dark of [false, true]) {
  test(`the page alone, ${dark ? 'dark' : 'light'}`, async () => {
    const context = await startBrowser({ dark });
    try {
      const page = await context.newPage();
      page.on('console', (m) => m.type() === 'error' && console.log('console:', m.text()));
      page.on('pageerror', (e) => console.log('page error:', e.message, e.stack));
      await playServer(page, ballScene());
      await page.goto(`${address}/#code=00`);
      await page
        .waitForSelector('.scope .uplot', { timeout: 8000 })
        .catch((e) => console.log('no scope', String(e)));
      await page.waitForTimeout(800);
      const folder = process.env['ORRERY_SHOTS'];
      if (folder) await page.screenshot({ path: `${folder}/main_${dark ? 'dark' : 'light'}.png` });
    } finally {
      await context.close();
    }
  });
}
