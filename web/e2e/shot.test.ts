// SPDX-License-Identifier: Apache-2.0
// The page alone: what it shows, and what axe finds, in both themes. ORRERY_SHOTS names a folder for pictures.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findings } from './axe';
import { startBrowser } from './browser';
import { ballScene } from './fixtures';
import { address, playServer } from './page_alone';
import { drag, place } from './server';

for (const dark of [false, true]) {
  test(`the page alone, ${dark ? 'dark' : 'light'}`, async () => {
    const context = await startBrowser({ dark });
    const found: string[] = [];
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(60000);
      page.on('console', (m) => m.type() === 'error' && !m.text().includes('404') && found.push(m.text()));
      page.on('pageerror', (e) => found.push(String(e.stack)));
      const played = await playServer(page, ballScene());
      await page.goto(`${address}/#code=00`);
      await page.waitForSelector('.scope .uplot', { timeout: 60000 });
      await page.waitForSelector('.cm-scrub');
      const folder = process.env['ORRERY_SHOTS'];
      const screen = async (name: string) => {
        if (folder) await page.screenshot({ path: `${folder}/${name}_${dark ? 'dark' : 'light'}.png` });
        found.push(...(await findings(page)).map((f) => `${name}: ${f}`));
      };
      await screen('main');
      const ball = await place(page, 'Ball');
      await page.mouse.click(ball.x, ball.y);
      await page.waitForSelector('[data-parameter] .cm-content');
      await page.getByRole('tab', { name: 'Outline' }).click();
      await page.getByRole('tab', { name: /Events/ }).click();
      await page.getByRole('button', { name: /^Why the event/ }).first().click(); // prettier-ignore
      await page.waitForSelector('.why p');
      await screen('inspector');
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.waitForSelector('[role=menu]');
      await screen('menu');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await page.keyboard.type('gain');
      await page.waitForSelector('.choices [role=option]');
      await screen('commands');
      await page.keyboard.press('Escape');
      await page.getByRole('tab', { name: 'Blocks' }).click();
      const sheet = (await page.locator('.sheet').boundingBox())!;
      await page.mouse.click(sheet.x + 60, sheet.y + 60);
      await page.keyboard.type('1/(s+2)');
      await page.waitForSelector('.type-to-add [role=option]');
      await screen('adding');
      await page.keyboard.press('Enter');
      await drag(page, await place(page, 'Gravity'), { x: sheet.x + 80, y: sheet.y + 300 });
      const kept = () => played.asked.filter((m) => m.do === 'edit' && m['phase'] === 'keep');
      for (let k = 0; k < 600 && kept().length < 2; ++k) await page.waitForTimeout(50);
      const edits = kept().map((m) => m['steps']);
      assert.deepEqual((edits[0] as string[][])[0]!.slice(0, 4), ['add', 'ContTransFunc', 'in', '/']);
      assert.deepEqual((edits[1] as string[][])[0]!.slice(0, 2), ['move', '/Gravity']);
      await page.keyboard.press('Control+e');
      await page.waitForSelector('[role=dialog] .settings');
      await screen('simulation');
    } catch (error) {
      if (process.env['ORRERY_SHOTS'])
        await context
          .pages()
          .at(-1)
          ?.screenshot({ path: `${process.env['ORRERY_SHOTS']}/failed_${dark ? 'dark' : 'light'}.png` });
      console.log(found.join('\n'));
      throw error;
    } finally {
      await context.close();
    }
    assert.deepEqual(found, []);
  });
}
