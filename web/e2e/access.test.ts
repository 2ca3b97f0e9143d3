// SPDX-License-Identifier: Apache-2.0
// Five screens without a finding of axe, in both themes.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { findings } from './axe';
import { ended, example, place, scenario } from './server';

for (const dark of [false, true]) {
  test(`axe finds nothing on five screens, ${dark ? 'dark' : 'light'}`, async () => {
    await scenario(
      [example('bouncing_ball.orr')],
      async (page) => {
        await ended(page);
        await page.waitForSelector('.scope .uplot');
        const shots = process.env['ORRERY_SHOTS'];
        const check = async (screen: string) => {
          if (shots) await page.screenshot({ path: join(shots, `${screen}_${dark ? 'dark' : 'light'}.png`) });
          assert.deepEqual(await findings(page), [], screen);
        };
        await check('main');
        await page.mouse.click((await place(page, 'Ball')).x, (await place(page, 'Ball')).y);
        await page.waitForSelector('[data-parameter] .cm-content');
        await page.getByRole('tab', { name: 'Outline' }).click();
        await check('inspector');
        await page.getByRole('tab', { name: /Events/ }).click();
        await page.getByRole('button', { name: /^Why the event/ }).nth(1).click(); // prettier-ignore
        await page.waitForSelector('.why p');
        await check('events');
        await page.keyboard.press('Control+k');
        await page.keyboard.type('gain');
        await page.waitForSelector('.choices [role=option]');
        await check('commands');
        await page.keyboard.press('Escape');
        await page.keyboard.press('Control+e');
        await page.waitForSelector('[role=dialog] .settings');
        await check('simulation');
      },
      { dark },
    );
  });
}
