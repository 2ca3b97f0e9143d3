// SPDX-License-Identifier: Apache-2.0
// Pictures of screens for the manual, in both themes, and what axe finds on them. ORRERY_SHOTS names the folder; without it nothing is done.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { findings } from './axe';
import { checked, ended, example, scenario, waitFor } from './server';

const folder = process.env['ORRERY_SHOTS'];

for (const dark of [false, true])
  test(`pictures of tools, ${dark ? 'dark' : 'light'}`, { skip: !folder }, async () => {
    const theme = dark ? 'dark' : 'light';
    await scenario(
      [example('book/ch20_rolling_disk.orr')],
      async (page) => {
        await checked(page);
        await page.locator('.sheet').focus();
        await page.keyboard.press('Control+Enter');
        await ended(page);
        await page.getByRole('tab', { name: 'Animation' }).click();
        await page.waitForFunction(() => (document.querySelector('.figure-box canvas') as HTMLCanvasElement)?.width > 60); // prettier-ignore
        await page.waitForTimeout(300);
        await page.screenshot({ path: join(folder!, `animation_${theme}.png`) });
        assert.deepEqual(await findings(page), []);
      },
      { dark, preferences: { bottomHeight: 430, left: 'none' } },
    );
    await scenario(
      [example('bouncing_ball.orr')],
      async (page) => {
        await ended(page);
        await page.getByRole('button', { name: 'Tools', exact: true }).click();
        await page.getByRole('menuitem', { name: 'Sweep…' }).click();
        const field = (name: string) => page.locator('.tool-field', { hasText: new RegExp(`^${name}`) }).locator('textarea, input'); // prettier-ignore
        await field('vary').fill('e=linspace(0.9,0.98,60)');
        await field('keep').fill('top=rms(/Height.1)');
        await page.screenshot({ path: join(folder!, `sweep_form_${theme}.png`) });
        await page.getByRole('button', { name: 'Start' }).click();
        await waitFor(page, (w) => w.orreryEditor.state.tool.code !== null);
        await page.locator('.tool-output').scrollIntoViewIfNeeded();
        await page.screenshot({ path: join(folder!, `sweep_said_${theme}.png`) });
        await page.locator('.sweep-table svg').scrollIntoViewIfNeeded();
        await page.screenshot({ path: join(folder!, `sweep_${theme}.png`) });
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'File', exact: true }).click();
        await page.getByRole('menuitem', { name: 'Examples…' }).click();
        await page.locator('.card img').nth(3).waitFor();
        await page.screenshot({ path: join(folder!, `examples_${theme}.png`) });
      },
      { dark },
    );
  });
