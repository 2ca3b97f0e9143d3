// SPDX-License-Identifier: Apache-2.0
// Pictures of the main screens for the manual, in both themes, and what axe finds on them. ORRERY_SHOTS names the folder; without it nothing is done.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { findings } from './axe';
import { changes, checked, emptyModel, ended, example, menu, place, press, scenario, selectBlocks, waitFor } from './server'; // prettier-ignore
import { smallPng } from './small_png';

const folder = process.env['ORRERY_SHOTS'];
const size = { width: 1280, height: 800 };

const problematic = `{
  "orrery": 2,
  "name": "problems",
  "initialization": [
    "f = fopen('/tmp/x', 'w'); fclose(f);"
  ],
  "context": [
    "k = 2;"
  ],
  "blocks": [
    {"name": "One", "type": "Constant", "parameters": {"value": "int32(1)"}},
    {"name": "Difference", "type": "Sum", "parameters": {"signs": "'+-'"}},
    {"name": "Twice", "type": "Gain", "parameters": {"k": "int32(k)"}},
    {"name": "Filter", "type": "ContTransFunc", "parameters": {"num": "1", "den": "[T 1]"}},
    {"name": "Seen", "type": "Scope"},
    {"name": "Gone", "type": "NoSuchBlock"}
  ],
  "links": [
    {"from": "One:1", "to": ["Difference:1"]},
    {"from": "Difference:1", "to": ["Twice:1", "Seen:1"]},
    {"from": "Twice:1", "to": ["Difference:2"]}
  ]
}
`;
const spring = `minimise rms(/Height.1)
vary h0 = 5 in [1, 20]
`;

for (const dark of [false, true]) {
  const theme = dark ? 'dark' : 'light';
  const shoot = async (page: Page, name: string) => {
    // Colours and pictures that are on their way.
    await page.evaluate(() => new Promise((r) => setTimeout(() => requestAnimationFrame(r), 250)));
    writeFileSync(join(folder!, `${name}_${theme}.png`), smallPng(await page.screenshot()));
    assert.deepEqual(await findings(page), [], name);
  };
  const shots = (title: string, play: () => Promise<void>) =>
    test(`pictures of ${title}, ${theme}`, { skip: !folder }, play);
  const close = async (page: Page) => {
    await page.keyboard.press('Escape');
    await page.locator('[role=dialog]').waitFor({ state: 'detached' });
  };

  shots('drawing and understanding', () => scenario([example('bouncing_ball.orr')], async (page) => {
    await page.setViewportSize(size);
    await ended(page);
    await page.waitForSelector('.scope .uplot');
    await page.locator('.sheet').focus();
    await page.keyboard.press('Space');
    await shoot(page, 'main');
    await page.mouse.click((await place(page, 'Ball')).x, (await place(page, 'Ball')).y);
    await page.waitForSelector('[data-parameter] .cm-content');
    await page.getByRole('tab', { name: 'Outline' }).click();
    await page.getByRole('tab', { name: /Events/ }).click();
    await page.getByRole('button', { name: /^Why the event/ }).nth(1).click(); // prettier-ignore
    await page.waitForSelector('.why p');
    await shoot(page, 'events');
    await page.getByRole('tab', { name: 'Blocks' }).click();
    await page.getByRole('tab', { name: 'Report' }).click();
    await shoot(page, 'inspector');
    await selectBlocks(page);
          await menu(page, 'Tools', 'Linearise…');
    await page.getByLabel('at time').fill('1');
    await page.getByLabel('inputs').fill('/Gravity');
    await page.getByLabel('outputs').fill('/Ball');
    await shoot(page, 'linearise');
    await close(page);
    await menu(page, 'Tools', 'Export code or FMU…');
    await shoot(page, 'export');
    await close(page);
    await menu(page, 'Tools', 'Library manager…');
    await shoot(page, 'library');
    await close(page);
    await menu(page, 'Tools', 'Import FMU…');
    await shoot(page, 'fmu');
    await close(page);
    await page.keyboard.press('F1');
    await page.locator('[role=dialog]').waitFor();
    await shoot(page, 'keys');
    await close(page);
    await selectBlocks(page, 'Bounce', 'Ground');
    await press(page, 'Control+g');
    await menu(page, 'Model', 'Auto-mask');
    await page.locator('[data-parameter="e"]').waitFor();
    await menu(page, 'Model', 'Mask editor…');
    await page.locator('.mask-table').waitFor();
    await shoot(page, 'mask');
    await close(page);
    await menu(page, 'Tools', 'Block builder…');
    await page.getByRole('tab', { name: 'Parameters' }).click();
    await shoot(page, 'builder');
    await close(page);
    await menu(page, 'File', 'Compare with…');
    await page.locator('.diff-picture').waitFor();
    await shoot(page, 'diff');
    await close(page);
  }, { dark })); // prettier-ignore

  shots('stepping', () => scenario([example('sampled_controller.orr')], async (page) => {
    await page.setViewportSize(size);
    await ended(page);
    await page.locator('.sheet').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('F10');
    await waitFor(page, (w) => w.orreryEditor.state.values !== null);
    for (let k = 0; k < 12; ++k) {
      const t = await page.evaluate(() => (window as unknown as import('./server').Windowed).orreryEditor.state.paused!.t); // prettier-ignore
      await page.keyboard.press('F10');
      await page.waitForFunction((before) => { const p = (window as unknown as import('./server').Windowed).orreryEditor.state.paused; return p !== null && p.t > before; }, t); // prettier-ignore
    }
    await page.getByRole('tab', { name: 'Values' }).click();
    await page.locator('.table-box td').first().waitFor();
    await shoot(page, 'stepping');
  }, { dark })); // prettier-ignore

  shots('studies', () => scenario([example('bouncing_ball.orr'), ['bouncing_ball.opt', spring]], async (page) => {
    await page.setViewportSize(size);
    await ended(page);
    const field = (name: string) => page.locator('.tool-field', { hasText: new RegExp(`^${name}`) }).locator('textarea, input'); // prettier-ignore
    const start = async () => {
      await page.getByRole('button', { name: 'Start' }).click();
      await waitFor(page, (w) => w.orreryEditor.state.tool.code !== null);
    };
    await menu(page, 'Tools', 'Sweep…');
    await field('vary').fill('e=linspace(0.9,0.98,60)');
    await field('keep').fill('top=rms(/Height.1)');
    await start();
    await page.locator('.sweep-table svg').scrollIntoViewIfNeeded();
    await shoot(page, 'sweep');
    await close(page);
    await menu(page, 'Tools', 'Optimise…');
    await page.locator('[role=dialog] textarea').first().waitFor();
    await shoot(page, 'optimise');
    await close(page);
  }, { dark })); // prettier-ignore

  shots('an animation', () => scenario([example('book/ch20_rolling_disk.orr')], async (page) => {
    await page.setViewportSize(size);
    await checked(page);
    await page.locator('.sheet').focus();
    await page.keyboard.press('Control+Enter');
    await ended(page);
    await page.getByRole('tab', { name: 'Animation' }).click();
    await page.waitForFunction(() => (document.querySelector('.figure-box canvas') as HTMLCanvasElement)?.width > 60); // prettier-ignore
    await shoot(page, 'animation');
  }, { dark, preferences: { bottomHeight: 400, left: 'none' } })); // prettier-ignore

  shots('problems and consent', () => scenario([['problems.orr', problematic]], async (page) => {
    await page.setViewportSize(size);
    await page.getByText('wants more than to compute').waitFor();
    await page.getByRole('button', { name: 'Allow once' }).waitFor();
    await shoot(page, 'consent');
    await page.getByRole('button', { name: 'Allow once' }).click();
    await waitFor(page, (w) => w.orreryEditor.state.doc?.allowed?.includes('write') === true);
    await checked(page);
    await page.locator('.sheet').focus();
    await page.keyboard.press('Space');
    await page.getByRole('tab', { name: /Problems/ }).click();
    await page.locator('.problems li').first().waitFor();
    await shoot(page, 'problems');
  }, { dark })); // prettier-ignore

  shots('empty states', () => scenario([['empty.orr', emptyModel]], async (page) => {
    await page.setViewportSize(size);
    await checked(page);
    await shoot(page, 'empty');
    const sheet = (await page.locator('.sheet').boundingBox())!;
    await page.mouse.click(sheet.x + 260, sheet.y + 60);
    await page.keyboard.type('1/(s+2)');
    await page.waitForSelector('.type-to-add [role=option]');
    await shoot(page, 'adding');
    await changes(page, () => page.keyboard.press('Enter'));
    await page.keyboard.press('Control+k');
    await page.keyboard.type('gain');
    await page.waitForSelector('.choices [role=option]');
    await shoot(page, 'commands');
  }, { dark })); // prettier-ignore

  shots('the first page', () => scenario([], async (page) => {
    await page.setViewportSize(size);
    await page.locator('.card img').nth(3).waitFor();
    await shoot(page, 'start');
  }, { dark })); // prettier-ignore
}
