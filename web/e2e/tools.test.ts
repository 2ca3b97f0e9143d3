// SPDX-License-Identifier: Apache-2.0
// Scenarios of the tools: a sweep, an animation, a program with an error, the block builder, examples.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import { findings } from './axe';
import {
  changes,
  checked,
  emptyModel,
  ended,
  example,
  place,
  read,
  saveModel,
  scenario,
  waitFor,
} from './server';
import type { Page } from 'playwright-core';

const openTool = async (page: Page, name: string) => {
  await page.getByRole('button', { name: 'Tools', exact: true }).click();
  await page.getByRole('menuitem', { name, exact: true }).click();
  await page.locator('[role=dialog]').waitFor();
};

test('a sweep of the restitution is run on the saved model, tabulated and drawn', async () => {
  await scenario([example('bouncing_ball.orr')], async (page, server) => {
    await ended(page);
    await openTool(page, 'Sweep…');
    const field = (name: string) => page.locator('.tool-field', { hasText: new RegExp(`^${name}`) }).locator('textarea, input'); // prettier-ignore
    await field('vary').fill('e=[0.9 0.92 0.95]');
    await field('keep').fill('top=max(/Height.1)');
    await page.getByRole('button', { name: 'Start' }).click();
    await waitFor(page, (w) => w.orreryEditor.state.tool.code !== null);
    assert.equal(await read(page, (w) => w.orreryEditor.state.tool.code), 0, await read(page, (w) => w.orreryEditor.state.tool.text)); // prettier-ignore
    const rows = server.text('bouncing_ball_sweep.csv').trim().split('\n');
    assert.equal(rows.length, 4);
    assert.match(rows[0]!, /e,.*top/);
    await page.locator('.sweep-table svg circle').nth(2).waitFor();
    await page.locator('.tool-file img').waitFor();
    assert.deepEqual(await findings(page), []);
  });
});

test('an animation runs with the model, is played and recorded', async () => {
  await scenario([example('book/ch20_balls.orr')], async (page) => {
    await checked(page);
    await page.locator('.sheet').focus();
    await page.keyboard.press('Control+Enter');
    await ended(page);
    await page.getByRole('tab', { name: 'Animation' }).click();
    await page.locator('.figure-box canvas').waitFor();
    // Balls have the colours of the table.
    const seen = () =>
      page.evaluate(() => {
        const c = document.querySelector<HTMLCanvasElement>('.figure-box canvas')!;
        const data = c.getContext('2d')!.getImageData(0, 0, c.width, c.height).data;
        const count = { orange: 0, blue: 0 };
        for (let k = 0; k < data.length; k += 4) {
          const [r, g, b] = [data[k]!, data[k + 1]!, data[k + 2]!];
          if (Math.abs(r - 214) < 3 && Math.abs(g - 94) < 3 && Math.abs(b - 43) < 3) ++count.orange;
          if (Math.abs(r - 59) < 3 && Math.abs(g - 107) < 3 && Math.abs(b - 196) < 3) ++count.blue;
        }
        return count;
      });
    await page.waitForFunction(() => (document.querySelector('.figure-box canvas') as HTMLCanvasElement).width > 60);
    // It is painted a frame after it is there.
    let count = await seen();
    while (count.orange <= 40 || count.blue <= 40) {
      await page.evaluate(() => new Promise(requestAnimationFrame));
      count = await seen();
    }
    assert.ok(count.orange > 40 && count.blue > 40, JSON.stringify(count));
    // The big ball is larger: areas go as the squares of the radii, as far as nothing covers them.
    assert.ok(count.blue > count.orange, JSON.stringify(count));
    await page.locator('.figure-tools select').last().selectOption('10');
    const film = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Record film' }).click();
    const file = await (await film).path();
    assert.ok(statSync(file).size > 1000);
    const picture = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save picture' }).click();
    assert.match((await picture).suggestedFilename(), /\.svg$/);
    assert.deepEqual(await findings(page), []);
  }, { preferences: { bottomHeight: 420 } }); // prettier-ignore
});

test('an error in a program is shown at its line, and repaired', async () => {
  await scenario([['empty.orr', emptyModel]], async (page, server) => {
    const sheet = (await page.locator('.sheet').boundingBox())!;
    await page.mouse.click(sheet.x + 200, sheet.y + 200);
    await changes(page, async () => {
      await page.keyboard.type('PCustomBlock');
      await page.waitForSelector('.type-to-add [role=option][aria-selected=true]');
      await page.keyboard.press('Enter');
    });
    await page.locator('[data-parameter="code"]').waitFor();
    await page.getByRole('button', { name: 'Open…' }).click();
    const code = page.locator('.code-window .cm-content');
    await code.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('function block = f(block, flag)\n  if flag == 1\n    block.io{2} = 2 * * block.io{1};\n  end\nend\n'); // prettier-ignore
    await changes(page, () => page.keyboard.press('Control+Enter'));
    await page.locator('.code-problems', { hasText: 'line 3' }).waitFor();
    await page.locator('.code-window .cm-lintRange-error').first().waitFor();
    await code.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('function block = f(block, flag)\n  if flag == 1\n    block.io{2} = 2 * block.io{1};\n  end\nend\n'); // prettier-ignore
    await changes(page, () => page.keyboard.press('Control+Enter'));
    await waitFor(page, (w) => { const s = w.orreryEditor.state; return s.problems.revision === s.doc?.revision && s.problems.errors === 0; }); // prettier-ignore
    await changes(page, () => page.getByRole('button', { name: 'Replace by a skeleton' }).click());
    await page.getByRole('button', { name: 'Keep and close' }).click();
    await page.locator('.sheet').focus();
    await saveModel(page);
    assert.match(server.text(), /what the block does, in one sentence/);
  });
});

test('the block builder names, documents and draws a super block', async () => {
  await scenario([example('sampled_controller.orr')], async (page, server) => {
    await page.locator('.sheet').focus();
    await page.evaluate(() => (window as unknown as import('./server').Windowed).orreryEditor.select({ blocks: new Set(['Sampler', 'Controller']), branches: new Set(), notes: new Set() })); // prettier-ignore
    await changes(page, () => page.keyboard.press('Control+g'));
    await waitFor(page, (w) => w.orreryEditor.state.selection.blocks.size === 1);
    await openTool(page, 'Block builder…');
    await page.locator('[role=dialog] input').first().fill('Law');
    await changes(page, () => page.getByRole('button', { name: 'Keep', exact: true }).click());
    await page.getByRole('tab', { name: 'Documentation' }).click();
    await page.locator('[role=dialog] textarea').fill('Samples the error and controls.');
    await changes(page, () => page.getByRole('button', { name: 'Keep', exact: true }).click());
    await page.getByRole('tab', { name: 'Icon' }).click();
    await page.locator('[role=dialog] input').fill('PI');
    await changes(page, () => page.getByRole('button', { name: 'Keep', exact: true }).click());
    assert.deepEqual(await findings(page), []);
    await page.keyboard.press('Escape');
    await page.locator('.sheet').focus();
    await saveModel(page);
    const law = (JSON.parse(server.text()) as { blocks: { name: string; about?: string; icon?: string }[] }).blocks.find((b) => b.name === 'Law'); // prettier-ignore
    assert.equal(law?.about, 'Samples the error and controls.');
    assert.equal(law?.icon, 'PI');
  });
});

test('every dialog opens and shows something; examples have pictures', async () => {
  await scenario([example('bouncing_ball.orr')], async (page) => {
    await ended(page);
    await page.mouse.click((await place(page, 'Ball')).x, (await place(page, 'Ball')).y);
    const titles = await read(page, (w) => (w.orreryEditor.state.hello?.tools ?? []).map((t) => t.command));
    assert.ok(titles.includes('sweep'));
    for (const name of [
      'Sweep…',
      'Library manager…',
      'New block…',
      'Linearise…',
      'What runs when',
      'Import FMU…',
      'Export results…',
      'Settings…',
    ]) {
      // prettier-ignore
      await openTool(page, name);
      await page.waitForFunction(
        () => document.querySelector<HTMLElement>('.dialog-body')!.innerText.length > 20,
      );
      await page.keyboard.press('Escape');
      await page.locator('[role=dialog]').waitFor({ state: 'detached' });
    }
    await page.getByRole('button', { name: 'File', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Examples…' }).click();
    await page.locator('.card img').nth(3).waitFor();
  });
});
