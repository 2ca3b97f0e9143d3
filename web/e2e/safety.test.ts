// SPDX-License-Identifier: Apache-2.0
// Scenarios of what must not be lost or done unasked.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

test('a model that wants to write files is listed, and gets it only when allowed', async () => {
  const marker = join(mkdtempSync(join(tmpdir(), 'orrery-consent-')), 'written');
  const text = readFileSync(example('bouncing_ball.orr'), 'utf8').replace(
    '"context"',
    `"initialization": [\n    "f = fopen('${marker}', 'w'); fclose(f);"\n  ],\n  "context"`,
  );
  await scenario([['wants.orr', text]], async (page) => {
    await page.getByText('wants more than to compute').waitFor();
    await page.getByRole('button', { name: 'Not now' }).click();
    await page.getByText('wants more than to compute').waitFor({ state: 'detached' });
    assert.equal(existsSync(marker), false);
    // Asking for a run shows the bar again; nothing is written before the answer.
    await page.evaluate(() => { const w = window as unknown as import('./server').Windowed; w.orreryEditor.store.set({ consentHidden: false }); }); // prettier-ignore
    await page.getByRole('button', { name: 'Allow once' }).click();
    await waitFor(page, (w) => w.orreryEditor.state.doc?.allowed?.includes('write') === true);
    await checked(page);
    await waitFor(page, (w) => w.orreryEditor.state.problems.errors === 0);
    await page.locator('.sheet').focus();
    await page.keyboard.press('Control+Enter');
    await ended(page);
    assert.equal(await read(page, (w) => w.orreryEditor.state.runs.at(-1)?.state), 'ended');
    assert.equal(existsSync(marker), true);
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
    await page.locator('[role=dialog] tbody tr', { hasText: '/Speed' }).filter({ hasText: 'removed' }).waitFor(); // prettier-ignore
  });
});
