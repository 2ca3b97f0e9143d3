// SPDX-License-Identifier: Apache-2.0
// Ten thousand blocks open, pan and are painted only where they are visible.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { largeModel } from './large_model';
import { read, scenario, waitFor } from './server';

test('10 000 blocks open, and only what is visible is painted', async () => {
  await scenario([['large.orr', largeModel(10000)]], async (page) => {
    await waitFor(page, (w) => w.orreryEditor.state.scene.blocks.length === 10000);
    await waitFor(page, (w) => w.orrerySheet.painter.painted > 10000); // all of it, far out
    await read(page, (w) => w.orrerySheet.setView({ ...w.orrerySheet.view, zoom: 1.35, x: 5000, y: 3000 }));
    await waitFor(page, (w) => w.orrerySheet.painter.painted < 400);
    assert.ok((await read(page, (w) => w.orrerySheet.painter.painted)) > 40);
    await read(page, (w) => w.orrerySheet.setView({ ...w.orrerySheet.view, x: 9000 }));
    await page.waitForSelector('.minimap');
  });
});
