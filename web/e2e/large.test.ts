// SPDX-License-Identifier: Apache-2.0
// Ten thousand blocks open, pan and are painted only where they are visible.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read, scenario, waitFor } from './server';

function largeModel(count: number): string {
  const blocks: string[] = [];
  const links: string[] = [];
  const layout: string[] = [];
  const rows = 80;
  for (let k = 0; k < count; ++k) {
    blocks.push(`    {"name": "G${k}", "type": "${k < rows ? 'Constant' : 'Gain'}"}`);
    layout.push(`    "G${k}": [${Math.floor(k / rows) * 130}, ${(k % rows) * 80}, 70, 40]`);
    if (k >= rows) links.push(`    {"from": "G${k - rows}:1", "to": ["G${k}:1"]}`);
  }
  return `{\n  "orrery": 2,\n  "name": "large",\n  "blocks": [\n${blocks.join(',\n')}\n  ],\n  "links": [\n${links.join(',\n')}\n  ],\n  "layout": {\n${layout.join(',\n')}\n  }\n}\n`; // prettier-ignore
}

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
