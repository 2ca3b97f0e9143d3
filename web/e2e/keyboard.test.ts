// SPDX-License-Identifier: Apache-2.0
// A model built and run without a mouse.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changes, emptyModel, read, saveModel, scenario, waitFor } from './server';

test('a model is built, connected, changed and run with the keyboard alone', async () => {
  await scenario([['empty.orr', emptyModel]], async (page, server) => {
    const keys = page.keyboard;
    for (
      let k = 0;
      k < 60 && !(await page.evaluate(() => document.activeElement?.classList.contains('sheet')));
      ++k
    )
      await keys.press('Tab');
    assert.ok(
      await page.evaluate(() => document.activeElement?.classList.contains('sheet')),
      'Tab reaches the sheet',
    );
    const add = async (text: string, key: string) => {
      await changes(page, async () => {
        await keys.type(text);
        await page.waitForSelector('.type-to-add [role=option][aria-selected=true]');
        await keys.press(key);
      });
      await page.waitForFunction(() => document.activeElement?.classList.contains('sheet'));
    };
    await add('3', 'Enter');
    await add('1/s', 'Tab'); // added and connected to the selected block
    await add('scope', 'Tab');
    const names = await read(page, (w) => w.orreryEditor.state.scene.blocks.map((b) => b.name));
    // A second scope by the list of inputs.
    await add('scope', 'Enter');
    await page.evaluate(() => (document.querySelector('.sheet') as HTMLElement).focus());
    for (let k = 0; k < 8 && (await read(page, (w) => w.orreryEditor.state.focusBlock)) !== names[1]; ++k)
      await keys.press('Tab');
    assert.equal(await read(page, (w) => w.orreryEditor.state.focusBlock), names[1]);
    await keys.press('Control+Shift+l');
    await page.waitForSelector('[role=dialog] .choices button');
    await changes(page, () => keys.press('Enter'));
    await waitFor(page, (w) => w.orreryEditor.state.dialog === null);
    await page.waitForFunction(() => document.activeElement?.classList.contains('sheet'));
    await keys.press('Control+Enter');
    await waitFor(page, (w) => w.orreryEditor.state.runs.at(-1)?.state === 'ended');
    await saveModel(page);
    const model = JSON.parse(server.text()) as { blocks: unknown[]; links: { to: string[] }[] };
    assert.equal(model.blocks.length, 4);
    assert.deepEqual(model.links.map((l) => l.to.length), [1, 2]); // prettier-ignore
    // The integral of 3 after 10 seconds.
    const csv = await read(page, (w) => w.orreryEditor.http.get(`/results/${w.orreryEditor.state.run}.csv`).then((r) => r.text())); // prettier-ignore
    const last = String(csv).trim().split('\n').at(-1)!.split(',').map(Number); // prettier-ignore
    assert.ok(Math.abs(last.at(-1)! - 3 * last[0]!) < 1e-6, String(last));
  });
});
