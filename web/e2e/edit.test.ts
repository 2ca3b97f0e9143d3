// SPDX-License-Identifier: Apache-2.0
// Scenarios of editing, each ending in a file.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addBlock, changes, checked, drag, emptyModel, ended, example, modelText, place, read, run, saveModel, scenario, waitFor } from './server'; // prettier-ignore

interface Model { blocks: { name: string; type: string; parameters?: Record<string, string> }[]; links: { from?: string; event?: string; to: string[] }[]; context?: string[] } // prettier-ignore
const parse = (text: string) => JSON.parse(text) as Model;

test('typed blocks are added, connected, split, inserted, and saved as canonical text', async () => {
  await scenario([['empty.orr', emptyModel]], async (page, server) => {
    const sheet = (await page.locator('.sheet').boundingBox())!;
    const at = (x: number, y: number) => ({ x: sheet.x + x, y: sheet.y + y });
    await addBlock(page, '2.5', at(120, 120));
    await addBlock(page, '1/s', at(320, 120));
    await addBlock(page, 'scope', at(520, 80));
    await addBlock(page, 'scope', at(520, 220));
    const names = await read(page, (w) => w.orreryEditor.state.scene.blocks.map((b) => b.name));
    const [constant, integral, first, second] = names as [string, string, string, string];
    await changes(page, async () =>
      drag(page, await place(page, `${constant}:out:1`), await place(page, `${integral}:in:1`)),
    );
    await changes(page, async () =>
      drag(page, await place(page, `${integral}:out:1`), await place(page, `${first}:in:1`)),
    );
    // From an input to a link: a branch.
    const link = await page.evaluate(() => {
      const { orreryEditor: editor, orrerySheet: s } = window as unknown as import('./server').Windowed;
      const points = editor.state.scene.links[1]!.branches[0]!.points;
      const [x, y] = s.onScreen([(points[0]![0] + points[1]![0]) / 2, points[0]![1]]);
      const box = document.querySelector('.sheet')!.getBoundingClientRect();
      return { x: box.left + x, y: box.top + y };
    });
    await changes(page, async () => drag(page, await place(page, `${second}:in:1`), link));
    await saveModel(page);
    const model = parse(server.text());
    assert.deepEqual(model.links, [{ from: `${constant}:1`, to: [`${integral}:1`] }, { from: `${integral}:1`, to: [`${first}:1`, `${second}:1`] }]); // prettier-ignore
    assert.equal(model.blocks[0]!.parameters?.['value'], '2.5');
    assert.equal(run('fmt', '--check', server.path()).status, 0);
  });
});

test('a wrong parameter says so in its place and on the block; a right one clears it', async () => {
  await scenario([example('sampled_controller.orr')], async (page, server) => {
    await checked(page);
    const motor = await place(page, 'Motor');
    await page.mouse.click(motor.x, motor.y);
    const field = page.locator('[data-parameter="den"] .cm-content');
    await field.waitFor();
    const type = async (text: string) => {
      await field.click();
      await page.keyboard.press('Control+a');
      await page.keyboard.type(text);
      await changes(page, () => page.keyboard.press('Enter'));
    };
    await type('nowhere + 1');
    await waitFor(page, (w) => w.orreryEditor.state.problems.errors > 0);
    await page.locator('[data-parameter="den"] .field-error').waitFor();
    assert.equal(await read(page, (w) => w.orreryEditor.state.problems.list[0]!.block), '/Motor');
    await type('[0.25 1]');
    await waitFor(page, (w) => { const s = w.orreryEditor.state; return s.problems.revision === s.doc?.revision && s.problems.errors === 0; }); // prettier-ignore
    await page.locator('.sheet').focus();
    await saveModel(page);
    assert.equal(
      parse(server.text()).blocks.find((b) => b.name === 'Motor')?.parameters?.['den'],
      '[0.25 1]',
    );
  });
});

test('group, enter, leave, mask, comment out, arrange, then undo all: the same bytes', async () => {
  await scenario([example('sampled_controller.orr')], async (page, server) => {
    const before = server.text();
    await page.locator('.sheet').focus();
    await page.evaluate(() => {
      const { orreryEditor: editor } = window as unknown as import('./server').Windowed;
      editor.select({ blocks: new Set(['Sampler', 'Controller']), branches: new Set(), notes: new Set() });
    });
    await changes(page, () => page.keyboard.press('Control+g'));
    await waitFor(page, (w) => w.orreryEditor.state.selection.blocks.size === 1);
    const name = await read(page, (w) => [...w.orreryEditor.state.selection.blocks][0]!);
    await changes(page, async () => page.evaluate((n) => {
        const { orreryEditor: editor } = window as unknown as import('./server').Windowed;
        void editor.request('edit', { doc: editor.state.doc!.doc, steps: [['automask', `/${n}`]], phase: 'keep' }).then(() => editor.view('/'));
      }, name)); // prettier-ignore
    await waitFor(page, (w) => w.orreryEditor.state.scene.blocks.some((b) => b.masked));
    await page.locator('.sheet').focus();
    await page.evaluate((n) => (window as unknown as import('./server').Windowed).orreryEditor.select({ blocks: new Set([n]), branches: new Set(), notes: new Set() }), name); // prettier-ignore
    await page.keyboard.press('Control+u');
    await page.waitForFunction(
      (n) => (window as unknown as import('./server').Windowed).orreryEditor.state.diagram === `/${n}`,
      name,
    );
    assert.ok(
      (await read(page, (w) => w.orreryEditor.state.scene.blocks.map((b) => b.name))).includes('Controller'),
    );
    await page.keyboard.press('Backspace');
    await waitFor(page, (w) => w.orreryEditor.state.diagram === '/');
    await page.evaluate(() => (window as unknown as import('./server').Windowed).orreryEditor.select({ blocks: new Set(['Load']), branches: new Set(), notes: new Set() })); // prettier-ignore
    await changes(page, () => page.keyboard.press('Control+Shift+x'));
    await changes(page, () => page.keyboard.press('Control+l'));
    await changes(page, () => page.keyboard.press('Control+r'));
    for (let k = 0; k < 20 && (await read(page, (w) => w.orreryEditor.state.doc?.undo !== null)); ++k)
      await changes(page, () => page.keyboard.press('Control+z'));
    const text = await modelText(page); // prettier-ignore
    assert.equal(text, before);
  });
});

test('what is copied here is pasted into another model', async () => {
  await scenario([example('sampled_controller.orr'), ['empty.orr', emptyModel]], async (page, server) => {
    await page.locator('.sheet').focus();
    await page.evaluate(() => (window as unknown as import('./server').Windowed).orreryEditor.select({ blocks: new Set(['Torque', 'Motor']), branches: new Set(), notes: new Set() })); // prettier-ignore
    await page.keyboard.press('Control+c');
    await waitFor(page, (w) => w.orreryEditor.state.announcement.startsWith('Copied'));
    await page.evaluate(() =>
      (window as unknown as import('./server').Windowed).orreryEditor.open({ path: 'empty.orr' }),
    );
    await waitFor(
      page,
      (w) => w.orreryEditor.state.doc?.path === 'empty.orr' && w.orreryEditor.state.scene.blocks.length === 0,
    );
    await page.locator('.sheet').focus();
    await changes(page, () => page.keyboard.press('Control+v'));
    await saveModel(page);
    const model = parse(server.text('empty.orr'));
    assert.deepEqual(model.blocks.map((b) => b.name), ['Torque', 'Motor']); // prettier-ignore
    assert.deepEqual(model.links, [{ from: 'Torque:1', to: ['Motor:1'] }]);
  });
});

test('blocks are moved, resized, bent, deleted with the mouse', async () => {
  await scenario([example('bouncing_ball.orr')], async (page, server) => {
    await ended(page);
    const from = await place(page, 'Gravity');
    const zoom = await read(page, (w) => w.orrerySheet.view.zoom);
    await changes(page, () => drag(page, from, { x: from.x - 40 * zoom, y: from.y + 200 * zoom }));
    await saveModel(page);
    const layout = (JSON.parse(server.text()) as { layout: Record<string, number[]> }).layout;
    assert.ok(layout['Gravity']![0]! < 0 && layout['Gravity']![1]! > 200, String(layout['Gravity']));
    await page.mouse.click((await place(page, 'Speed')).x, (await place(page, 'Speed')).y);
    await changes(page, () => page.keyboard.press('Delete'));
    await saveModel(page);
    const model = parse(server.text());
    assert.ok(!model.blocks.some((b) => b.name === 'Speed'));
    assert.ok(!model.links.some((l) => l.to.some((t) => t.startsWith('Speed'))));
  });
});
