// SPDX-License-Identifier: Apache-2.0
// Scenarios of what must not be lost or done unasked.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { startBrowser } from './browser';
import { Server, changes, checked, ended, example, openPage, place, read, saveModel, scenario, shown, waitFor } from './server'; // prettier-ignore

test('edits survive a killed server and are offered again', async () => {
  const server = new Server([example('bouncing_ball.orr')]);
  const context = await startBrowser();
  try {
    let page = await openPage(context, await server.start());
    await shown(page);
    const before = server.text();
    await page.mouse.click((await place(page, 'Height')).x, (await place(page, 'Height')).y);
    await changes(page, () => page.keyboard.press('Control+d'));
    await server.stop('SIGKILL');
    await page.getByText('reconnecting').waitFor();
    assert.equal(server.text(), before);
    await page.close();
    page = await openPage(context, await server.start());
    await shown(page);
    await page.getByRole('button', { name: 'Restore 1 edit' }).click();
    await waitFor(page, (w) => w.orreryEditor.state.scene.blocks.length === 8);
    await page.locator('.sheet').focus();
    await saveModel(page);
    assert.equal((JSON.parse(server.text()) as { blocks: unknown[] }).blocks.length, 8);
  } finally {
    await context.close();
    await server.stop('SIGKILL');
  }
});

test('a model that wants the shell is listed and does not get it', async () => {
  const marker = `/tmp/orrery-consent-${process.pid}`;
  const text = readFileSync(example('bouncing_ball.orr'), 'utf8').replace(
    '"context"',
    `"initialization": [\n    "system('touch ${marker}');"\n  ],\n  "context"`,
  );
  await scenario([['wants.orr', text]], async (page) => {
    await page.getByText('wants more than to compute').waitFor();
    await page.getByRole('button', { name: 'Not now' }).click();
    assert.throws(() => readFileSync(marker));
  });
});

test('two tabs see one document', async () => {
  await scenario([example('bouncing_ball.orr')], async (page, server, context) => {
    const { address } = await page.evaluate(() => (window as unknown as import('./server').Windowed).orreryEditor.request<{ address: string }>('code')); // prettier-ignore
    const other = await openPage(context, address);
    await shown(other);
    await page.bringToFront();
    await page.mouse.click((await place(page, 'Height')).x, (await place(page, 'Height')).y);
    await changes(page, () => page.keyboard.press('Control+d'));
    await waitFor(other, (w) => w.orreryEditor.state.scene.blocks.length === 8);
    await other.bringToFront();
    await other.locator('.sheet').focus();
    await other.keyboard.press('Control+z');
    await waitFor(page, (w) => w.orreryEditor.state.scene.blocks.length === 7);
    assert.equal(await read(page, (w) => w.orreryEditor.state.doc?.dirty), false);
    void server;
  });
});

test('a file changed outside is offered, never taken silently', async () => {
  await scenario([example('bouncing_ball.orr')], async (page, server) => {
    await checked(page);
    await ended(page);
    writeFileSync(server.path(), server.text().replace('"h0 = 10;"', '"h0 = 12;"'));
    await page.getByText('was changed outside').waitFor();
    assert.equal(await read(page, (w) => w.orreryEditor.state.diagramInfo?.context[1]), 'h0 = 10;');
    await page.getByRole('button', { name: 'Reload' }).click();
    await waitFor(page, (w) => w.orreryEditor.state.diagramInfo?.context[1] === 'h0 = 12;');
  });
});

test('the differences to the saved file are listed and drawn', async () => {
  await scenario([example('bouncing_ball.orr')], async (page) => {
    await page.mouse.click((await place(page, 'Speed')).x, (await place(page, 'Speed')).y);
    await changes(page, () => page.keyboard.press('Delete'));
    await page.getByRole('button', { name: 'File' }).click();
    await page.getByRole('menuitem', { name: 'Compare with…' }).click();
    await page.locator('.diff-picture').waitFor();
    const rows = await page.locator('[role=dialog] tbody tr').allInnerTexts();
    assert.ok(
      rows.some((r) => r.includes('/Speed') && r.includes('removed')),
      rows.join('; '),
    );
  });
});
