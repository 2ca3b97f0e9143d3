// SPDX-License-Identifier: Apache-2.0
// Scenarios of drawing in detail: formulas, links, turning, aligning, masks; each ends in the saved file.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { type Point, addBlock, changes, drag, emptyModel, ended, example, menu, modelText, place, press, read, run, saveModel, scenario, selectBlocks, waitFor } from './server'; // prettier-ignore

interface Model { blocks: { name: string; type: string; parameters?: Record<string, string>; off?: boolean; diagram?: Model }[]; links: { from?: string; event?: string; to: string[] }[]; layout?: Record<string, number[]>; bends?: Record<string, number[][]>; notes?: { text: string; at: number[] }[]; mask?: { name: string }[] } // prettier-ignore
const parse = (text: string) => JSON.parse(text) as Model;
const block = (m: Model, name: string) => m.blocks.find((b) => b.name === name)!;

// Where a place of the diagram is in the window.
const spot = (page: Page, at: [number, number]) =>
  page.evaluate((p) => {
    const [x, y] = (window as unknown as import('./server').Windowed).orrerySheet.onScreen(p);
    const box = document.querySelector('.sheet')!.getBoundingClientRect();
    return { x: box.left + x, y: box.top + y };
  }, at);
// How many pixels around a point of the window have the colour of a target.
const glow = (page: Page, at: Point) =>
  page.evaluate(({ x, y }) => {
    const canvas = document.querySelectorAll<HTMLCanvasElement>('.sheet canvas')[2]!;
    const box = canvas.getBoundingClientRect();
    const ratio = canvas.width / box.width;
    const { target } = (window as unknown as import('./server').Windowed).orrerySheet.painter.theme;
    const colour = [1, 3, 5].map((k) => parseInt(target.slice(k, k + 2), 16));
    const data = canvas.getContext('2d')!.getImageData((x - box.left - 8) * ratio, (y - box.top - 8) * ratio, 16 * ratio, 16 * ratio).data; // prettier-ignore
    let count = 0;
    for (let k = 0; k < data.length; k += 4)
      if (data[k + 3]! > 60 && colour.every((c, j) => Math.abs(c - data[k + j]!) < 40)) ++count;
    return count;
  }, at);
const linkOf = (page: Page, from: string) =>
  page.evaluate((name) => (window as unknown as import('./server').Windowed).orreryEditor.state.scene.links.findIndex((l) => l.from.block === name && !l.activation), from); // prettier-ignore
const middleOfLink = async (page: Page, k: number): Promise<Point> => {
  const [a, b] = await page.evaluate((n) => {
    const points = (window as unknown as import('./server').Windowed).orreryEditor.state.scene.links[n]!.branches[0]!.points; // prettier-ignore
    let best = 0;
    const length = (j: number) =>
      Math.hypot(points[j + 1]![0] - points[j]![0], points[j + 1]![1] - points[j]![1]);
    for (let j = 0; j + 1 < points.length; ++j) if (length(j) > length(best)) best = j;
    return [points[best]!, points[best + 1]!];
  }, k);
  return spot(page, [(a![0] + b![0]) / 2, (a![1] + b![1]) / 2]);
};

test('formulas become blocks, and a link from a port offers what fits', async () => {
  await scenario([['empty.orr', emptyModel]], async (page, server) => {
    const sheet = (await page.locator('.sheet').boundingBox())!;
    const at = (x: number, y: number) => ({ x: sheet.x + x, y: sheet.y + y });
    const typed: [string, string, Record<string, string>][] = [
      ['2.5', 'Constant', { value: '2.5' }],
      ['*3', 'Gain', { k: '3' }],
      ['1/s', 'Integral', {}],
      ['1/(s+2)', 'ContTransFunc', { num: '1', den: '[1 2]' }],
      ['(2.4z-2)/(z-1)', 'DiscrTransFunc', { num: '[2.4 -2]', den: '[1 -1]' }],
      ['z^-1', 'DiscreteDelay', {}],
      ['@0.1', 'SampleClock', { period: '0.1' }],
      ['u1*sin(u2)', 'MathExpression', { inputs: '2', expression: "'u1*sin(u2)'" }],
    ];
    for (const [k, [text]] of typed.entries()) await addBlock(page, text, at(90 + 150 * (k % 4), 90 + 140 * Math.floor(k / 4))); // prettier-ignore
    // From an output to nothing: only what has an input is offered, and what is taken is connected.
    const out = await place(page, 'Constant:out:1');
    await drag(page, out, { x: out.x + 20, y: out.y + 60 });
    await page.waitForSelector('.type-to-add [role=option]');
    await page.keyboard.type('gain');
    await page.waitForSelector('.type-to-add [role=option][aria-selected=true]');
    const offered = await page.locator('.type-to-add [role=option] .name').allInnerTexts();
    assert.ok(!offered.includes('Constant') && offered.includes('Gain'), offered.join());
    await changes(page, () => page.keyboard.press('Enter'));
    await saveModel(page);
    const model = parse(server.text());
    typed.forEach(([text, type, parameters], k) => {
      assert.equal(model.blocks[k]!.type, type, text);
      for (const [name, value] of Object.entries(parameters))
        assert.equal(model.blocks[k]!.parameters?.[name], value, text);
    });
    assert.deepEqual(model.links, [{ from: 'Constant:1', to: [`${model.blocks.at(-1)!.name}:1`] }]);
    assert.equal(run('fmt', '--check', server.path()).status, 0);
  });
});

const chain = `{
  "orrery": 2,
  "name": "chain",
  "blocks": [
    {"name": "One", "type": "Constant"},
    {"name": "Twice", "type": "Gain", "parameters": {"k": "2"}},
    {"name": "Clock", "type": "SampleClock", "parameters": {"period": "1"}},
    {"name": "Seen", "type": "Scope"},
    {"name": "Other", "type": "Scope"}
  ],
  "links": [
    {"from": "One:1", "to": ["Seen:1"]}
  ],
  "layout": {
    "One": [0, 100, 70, 40],
    "Twice": [120, 220, 70, 40],
    "Clock": [0, 0, 70, 40],
    "Seen": [400, 100, 70, 40],
    "Other": [400, 220, 70, 40]
  }
}
`;

test('links glow, refuse, branch, take a block in and let it go, bend and are straightened', async () => {
  await scenario([['chain.orr', chain]], async (page, server) => {
    await ended(page);
    // Targets glow while a link is dragged: an input does, an output and a clock do not.
    const out = await place(page, 'Twice:out:1');
    await page.mouse.move(out.x, out.y);
    await page.mouse.down();
    await page.mouse.move(out.x + 30, out.y - 30, { steps: 3 });
    await waitFor(page, (w) => w.orrerySheet.gesture.kind === 'connect');
    await page.evaluate(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))));
    const bright = await glow(page, await place(page, 'Other:in:1'));
    const dim = await glow(page, await place(page, 'One:out:1'));
    assert.ok(bright > 10 && dim === 0, `${bright} ${dim}`);
    await page.mouse.move((await place(page, 'Other:in:1')).x, (await place(page, 'Other:in:1')).y, { steps: 3 });
    await changes(page, () => page.mouse.up());
    // A clock that is let go on a block activates it; a signal does not: it is refused, with the reason.
    await changes(page, async () => drag(page, await place(page, 'Clock:event-out:1'), await place(page, 'Seen')));
    const top = await place(page, 'Seen:event-in:1');
    await drag(page, await place(page, 'Twice:out:1'), { x: top.x, y: top.y - 5 });
    await page.locator('.toast', { hasText: 'A signal cannot activate a block' }).waitFor();
    // A block that is dropped on a link goes in; Shift+drag takes it out again and closes the link.
    await changes(page, async () => { await selectBlocks(page, 'Twice'); await page.keyboard.press('Control+d'); }); // prettier-ignore
    const copy = await read(page, (w) => [...w.orreryEditor.state.selection.blocks][0]!);
    await changes(page, async () => drag(page, await place(page, copy), await middleOfLink(page, await linkOf(page, 'One'))));
    const now = parse(await modelText(page)).links;
    assert.deepEqual(now.filter((l) => l.from === 'One:1' || l.from === `${copy}:1`).map((l) => l.to), [[`${copy}:1`], ['Seen:1']]); // prettier-ignore
    await page.keyboard.down('Shift');
    await changes(page, async () => drag(page, await place(page, copy), await spot(page, [200, 330])));
    await page.keyboard.up('Shift');
    const links = parse(await modelText(page)).links;
    assert.ok(links.some((l) => l.from === 'One:1' && l.to.includes('Seen:1')), JSON.stringify(links));
    // Click a source, Ctrl+click a target connects them; the tip of a link is dragged elsewhere.
    await selectBlocks(page, copy);
    const seen = await place(page, 'Other');
    await page.keyboard.down('Control');
    await page.mouse.click(seen.x, seen.y);
    await page.keyboard.up('Control');
    await page.locator('.toast', { hasText: 'No free ports' }).waitFor(); // its input is taken
    // A segment is bent and kept in the file; a double click forgets it.
    const k = await read(page, (w) => w.orreryEditor.state.scene.links.findIndex((l) => l.from.block === 'Twice'));
    const segment = await middleOfLink(page, k);
    await changes(page, () => drag(page, segment, { x: segment.x + 1, y: segment.y + 60 }));
    await saveModel(page);
    assert.equal(Object.keys(parse(server.text()).bends ?? {}).length, 1);
    const bent = await middleOfLink(page, k);
    await changes(page, () => page.mouse.dblclick(bent.x, bent.y));
    // Delete removes the branch under the pointer only.
    const straight = await middleOfLink(page, k);
    await page.mouse.click(straight.x, straight.y);
    await waitFor(page, (w) => w.orreryEditor.state.selection.branches.size === 1);
    await changes(page, () => page.keyboard.press('Delete'));
    await saveModel(page);
    const model = parse(server.text());
    assert.equal(model.bends, undefined);
    assert.ok(!model.links.some((l) => l.from === 'Twice:1'));
    assert.equal(run('fmt', '--check', server.path()).status, 0);
  }, { preferences: { bottomOpen: false } }); // prettier-ignore
});

test('blocks are nudged, turned, aligned, resized, copied by dragging, put in order, noted beside', async () => {
  await scenario([['chain.orr', chain]], async (page, server) => {
    await ended(page);
    const before = server.text();
    const layout = async () => parse(await modelText(page)).layout!;
    await selectBlocks(page, 'Twice');
    await press(page, 'ArrowRight');
    await press(page, 'Shift+ArrowDown');
    await press(page, 'Control+ArrowLeft');
    assert.deepEqual((await layout())['Twice'], [129, 270, 70, 40]);
    await press(page, 'Control+r');
    assert.deepEqual((await layout())['Twice']!.slice(4), ['down']);
    await press(page, 'Control+i');
    assert.deepEqual((await layout())['Twice']!.slice(4), ['up']);
    await selectBlocks(page, 'One', 'Clock');
    await menu(page, 'Edit', 'Align right');
    await selectBlocks(page, 'One', 'Twice', 'Other');
    await menu(page, 'Edit', 'Distribute vertically');
    await selectBlocks(page, 'Seen');
    const corner = await spot(page, [470, 140]);
    await changes(page, () => drag(page, corner, { x: corner.x + 60, y: corner.y + 40 }));
    const size = (await layout())['Seen']!;
    assert.ok(size[2]! > 70 && size[3]! > 40, String(size));
    await page.keyboard.down('Alt');
    const one = await place(page, 'One');
    await changes(page, () => drag(page, one, { x: one.x, y: one.y + 260 }));
    await page.keyboard.up('Alt');
    await selectBlocks(page, 'Seen');
    await menu(page, 'Edit', 'Earlier in the order');
    await changes(page, async () => { await selectBlocks(page, 'Other'); await page.keyboard.press('Control+Shift+x'); }); // prettier-ignore
    await menu(page, 'Edit', 'Add note');
    await page.locator('[role=dialog] textarea').fill('Two scopes\nand a clock');
    await changes(page, () => page.getByRole('button', { name: 'Keep', exact: true }).click());
    await page.locator('[role=dialog]').waitFor({ state: 'detached' });
    await page.locator('.sheet').focus();
    await saveModel(page);
    const model = parse(server.text());
    assert.deepEqual(model.blocks.map((b) => b.name), ['One', 'Twice', 'Seen', 'Clock', 'Other', model.blocks[5]!.name]); // prettier-ignore
    assert.equal(model.blocks[5]!.type, 'Constant');
    assert.equal(block(model, 'Other').off, true);
    assert.equal(model.notes?.[0]?.text, 'Two scopes\nand a clock');
    // Everything is undone, and the bytes are those of the beginning.
    for (let k = 0; k < 40 && (await read(page, (w) => w.orreryEditor.state.doc?.undo !== null)); ++k)
      await press(page, 'Control+z');
    assert.equal(await modelText(page), before);
    // And done again.
    for (let k = 0; k < 40 && (await read(page, (w) => w.orreryEditor.state.doc?.redo !== null)); ++k)
      await press(page, 'Control+y');
    assert.equal(await modelText(page), server.text());
  }, { preferences: { bottomOpen: false } }); // prettier-ignore
});

test('auto-mask finds the names of the inside, the mask gives them values, ungrouping opens it again', async () => {
  await scenario([example('bouncing_ball.orr')], async (page, server) => {
    await ended(page);
    const before = parse(server.text()).blocks.length;
    await selectBlocks(page, 'Bounce', 'Ground');
    await press(page, 'Control+g');
    await waitFor(page, (w) => w.orreryEditor.state.selection.blocks.size === 1);
    await menu(page, 'Model', 'Auto-mask');
    await page.locator('[data-parameter="e"] .cm-content').waitFor();
    // The value of the mask is that of the outside until it is changed.
    await page.locator('[data-parameter="e"] .cm-content').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('0.5');
    await changes(page, () => page.keyboard.press('Enter'));
    await page.locator('.sheet').focus();
    await page.keyboard.press('Control+Enter');
    await ended(page);
    const rows = await read(page, (w) => w.orreryEditor.http.json<{ rows: { t: number; cause: string }[] }>(`/events?run=${w.orreryEditor.state.run}&from=0&count=100`).then((l) => l.rows)); // prettier-ignore
    const times = [...new Set(rows.filter((r) => r.cause === 'crossing').map((r) => r.t))];
    const first = Math.sqrt(20 / 9.81);
    assert.ok(Math.abs(times[1]! - first * 2) < 1e-5, `${times[1]}`); // falls, then flies 2 e v / g with e = 0.5
    await saveModel(page);
    const group = parse(server.text()).blocks.find((b) => b.type === 'SuperBlock')!;
    assert.deepEqual(group.parameters, { e: '0.5' });
    assert.deepEqual(
      (group.diagram as unknown as { mask: { name: string }[] }).mask.map((m) => m.name),
      ['e'],
    );
    await selectBlocks(page, group.name);
    await menu(page, 'Model', 'Mask editor…');
    await page.getByRole('button', { name: 'Remove parameter e' }).click();
    await changes(page, () => page.getByRole('button', { name: 'Keep', exact: true }).click());
    await page.locator('[role=dialog]').waitFor({ state: 'detached' });
    await selectBlocks(page, group.name);
    await press(page, 'Control+Shift+g');
    await saveModel(page);
    const model = parse(server.text());
    assert.equal(model.blocks.length, before);
    assert.equal(run('check', server.path()).status, 0);
  });
});
