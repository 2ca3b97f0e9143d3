// SPDX-License-Identifier: Apache-2.0
// Scenarios of running in detail: pacing, pauses, steps, breaks, kept runs, loops, failures; each ends in a number.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { changes, ended, example, menu, place, read, run, saveModel, scenario, selectBlocks, waitFor } from './server'; // prettier-ignore

const tab = (page: Page, name: string | RegExp) => page.getByRole('tab', { name }).click();
// Texts in fields of CodeMirror are replaced whole.
const retype = async (page: Page, selector: string, text: string) => {
  const field = page.locator(selector).first();
  await field.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
};
// How much of the middle canvas is painted.
const live = (page: Page) =>
  page.evaluate(() => {
    const canvas = document.querySelectorAll<HTMLCanvasElement>('.sheet canvas')[1]!;
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let k = 3; k < data.length; k += 4) if (data[k]! > 0) ++count;
    return count;
  });

test('a run in real time is watched, paused, gone on with and stopped; breaks come from their dialog', async () => {
  await scenario([example('bouncing_ball.orr')], async (page) => {
    await ended(page);
    await page.locator('.tool-bar .setting', { hasText: 'speed' }).locator('select').selectOption('1');
    await page.locator('.sheet').focus();
    const start = Date.now();
    await page.keyboard.press('F5');
    await waitFor(page, (w) => (w.orreryEditor.state.progress?.t ?? 0) > 0.5);
    // Real time: it cannot be ahead of the clock (a frame is computed in advance).
    const t = await read(page, (w) => w.orreryEditor.state.progress?.t ?? 0);
    assert.ok(t <= (Date.now() - start) / 1000 + 0.1, `${t}`);
    await page.keyboard.press('F6');
    await waitFor(page, (w) => w.orreryEditor.state.paused !== null);
    // The scope has what there is so far.
    const seen = await read(page, (w) => w.orreryEditor.http.get(`/results/${w.orreryEditor.state.run}.csv`).then((r) => r.text())); // prettier-ignore
    const last = Number(String(seen).trim().split('\n').at(-1)!.split(',')[0]);
    const at = await read(page, (w) => w.orreryEditor.state.paused!.t);
    assert.ok(last > 0.4 && last <= at + 1e-9 && at < 25, `${last} ${at}`);
    await page.keyboard.press('F6');
    await page.waitForFunction((before) => ((window as unknown as import('./server').Windowed).orreryEditor.state.progress?.t ?? 0) > before, at); // prettier-ignore
    await page.keyboard.press('Shift+F5');
    await ended(page);
    assert.equal(await read(page, (w) => w.orreryEditor.state.runs.at(-1)?.state), 'stopped');
    // A condition that is typed.
    await page.locator('.tool-bar .setting', { hasText: 'speed' }).locator('select').selectOption('0');
    await menu(page, 'Model', 'Break conditions…');
    await page.locator('[role=dialog] textarea').fill("t > 3 && v('/Split:1') < 2");
    await page.locator('[role=dialog] button.primary').click();
    await page.locator('[role=dialog]').waitFor({ state: 'detached' });
    await page.locator('.sheet').focus();
    await page.keyboard.press('F5');
    await waitFor(page, (w) => w.orreryEditor.state.paused !== null);
    await waitFor(page, (w) => w.orreryEditor.state.values !== null);
    const [height, t2] = await read(page, (w) => [Number((w.orreryEditor.state.values!['/Split'] ?? w.orreryEditor.state.values!['/Split:1'])![0]), w.orreryEditor.state.paused!.t]); // prettier-ignore
    assert.ok(t2! > 3 && height! < 2, `${t2} ${height}`);
    // A step of the solver goes on by one point; values stand on the links.
    await page.keyboard.press('F11');
    await page.waitForFunction((before) => { const p = (window as unknown as import('./server').Windowed).orreryEditor.state.paused; return p !== null && p.t > before; }, t2); // prettier-ignore
    await waitFor(page, (w) => w.orreryEditor.state.values !== null);
    assert.ok((await live(page)) > 500);
    await tab(page, 'Values');
    await page.locator('.table-box td', { hasText: '/Ball' }).first().waitFor();
    // The next event (the condition may become true again before it): the blocks it activates are lit in their order.
    for (
      let k = 0;
      k < 4 && (await read(page, (w) => w.orreryEditor.state.paused?.reason)) !== 'event';
      ++k
    ) {
      const before = await read(page, (w) => w.orreryEditor.state.paused!.t);
      await page.keyboard.press('F10');
      await page.waitForFunction((t0) => { const p = (window as unknown as import('./server').Windowed).orreryEditor.state.paused; return p !== null && p.t > t0; }, before); // prettier-ignore
    }
    assert.equal(await read(page, (w) => w.orreryEditor.state.paused?.reason), 'event');
    const activated = await read(page, (w) => w.orreryEditor.state.paused!.activated);
    assert.ok(activated.includes('/Ground') || activated.includes('/Ball'), activated.join());
    await waitFor(page, (w) => w.orreryEditor.state.paused?.shown === w.orreryEditor.state.paused?.activated.length); // prettier-ignore
  });
});

test('runs are overlaid, named by what was changed, kept by their star, and drawn into files', async () => {
  await scenario([example('bouncing_ball.orr')], async (page, _server, context) => {
    await ended(page);
    for (const e of ['0.8', '0.7']) {
      await retype(page, '.lines-editor .cm-content', `g = 9.81;\nh0 = 10;\ne = ${e};`);
      await changes(page, () => page.keyboard.press('Control+Enter'));
      await page.locator('.run.current', { hasText: `e = ${e}` }).waitFor();
      await ended(page);
    }
    await page.getByLabel('Keep e = 0.8').click();
    await page.locator('.run', { hasText: 'e = 0.8' }).locator('[aria-pressed=true]').waitFor();
    const kept = await read(page, (w) => w.orreryEditor.request<{ runs: { run: number; pinned: boolean }[] }>('runs', { doc: w.orreryEditor.state.doc!.doc }).then((a) => a.runs)); // prettier-ignore
    assert.ok(kept.length >= 3, String(kept.length));
    assert.equal(kept.filter((r) => r.pinned).length, 1);
    const svg = page.waitForEvent('download');
    await page.getByLabel('SVG, save as drawing').first().click();
    const path = await (await svg).path();
    assert.match((await import('node:fs')).readFileSync(path, 'utf8'), /^<svg[\s\S]*Height/);
    // A window of its own shows the same scopes, and the next run too.
    const opened = context.waitForEvent('page');
    await page.getByLabel('Scopes in a window of their own').click();
    const other = await opened;
    await other.locator('.popped .scope .uplot').nth(1).waitFor();
    const number = await read(page, (w) => w.orreryEditor.state.run!);
    await page.locator('.sheet').focus();
    await page.keyboard.press('Control+Enter');
    await other.waitForFunction((n) => ((window as unknown as import('./server').Windowed).orreryEditor.state.run ?? 0) > n, number); // prettier-ignore
    await other.close();
    // Names of the context say where they are used.
    await page.locator('.lines-editor .cm-line', { hasText: 'e = 0.7' }).hover({ position: { x: 3, y: 8 } });
    await page.locator('.used-by button', { hasText: '/Bounce, K' }).click();
    await waitFor(page, (w) => w.orreryEditor.state.selection.blocks.has('Bounce'));
  });
});

// y = 1 - 2 y in whole numbers: nothing can be solved for.
const loop = `{
  "orrery": 2,
  "name": "loop",
  "simulation": {"stop": "1"},
  "blocks": [
    {"name": "One", "type": "Constant", "parameters": {"value": "int32(1)"}},
    {"name": "Difference", "type": "Sum", "parameters": {"signs": "'+-'"}},
    {"name": "Twice", "type": "Gain", "parameters": {"k": "int32(2)"}},
    {"name": "Seen", "type": "Scope"}
  ],
  "links": [
    {"from": "One:1", "to": ["Difference:1"]},
    {"from": "Difference:1", "to": ["Twice:1", "Seen:1"]},
    {"from": "Twice:1", "to": ["Difference:2"]}
  ]
}
`;

test('a loop lights up with the reason of each step, and is cut by one press', async () => {
  await scenario([['loop.orr', loop]], async (page, server) => {
    await waitFor(page, (w) => w.orreryEditor.state.problems.errors > 0);
    await tab(page, /Problems/);
    const row = page.locator('.problems li', { hasText: 'algebraic-loop' });
    await row.waitFor();
    // Every step of the loop has its reason.
    assert.match(await row.innerText(), /Twice \(Gain\): its output depends directly on input 1/);
    assert.match(await row.innerText(), /Difference \(Sum\): its output depends directly on input 2/);
    assert.deepEqual([...new Set(await read(page, (w) => w.orreryEditor.state.problems.list[0]!.loop!))].sort(), ['/Difference', '/Twice']); // prettier-ignore
    assert.ok((await live(page)) > 400); // thick links and rings
    await changes(page, () => row.getByRole('button', { name: /^Insert a Memory/ }).click());
    await row.waitFor({ state: 'detached' });
    await page.locator('.sheet').focus();
    await saveModel(page);
    const saved = JSON.parse(server.text()) as { blocks: { type: string }[]; links: unknown[] };
    assert.ok(saved.blocks.some((b) => b.type === 'Memory'));
    assert.equal(saved.links.length, 4);
    assert.ok(!run('check', server.path()).stderr.includes('algebraic-loop'));
  });
});

// x' = x^2 from 1: it has no value from t = 1 on.
const failing = `{
  "orrery": 2,
  "name": "failing",
  "simulation": {"stop": "2"},
  "blocks": [
    {"name": "X", "type": "Integral", "parameters": {"x0": "1"}},
    {"name": "Square", "type": "MathExpression", "parameters": {"inputs": "1", "expression": "'u1^2'"}},
    {"name": "Seen", "type": "Scope"}
  ],
  "links": [
    {"from": "X:1", "to": ["Square:1", "Seen:1"]},
    {"from": "Square:1", "to": ["X:1"]}
  ]
}
`;

test('a run that fails keeps its curves, names the block, says why and offers what to try', async () => {
  await scenario([['failing.orr', failing]], async (page) => {
    await ended(page);
    const state = await read(page, (w) => w.orreryEditor.state.runs.at(-1)!);
    assert.equal(state.state, 'failed');
    assert.ok(Math.abs(state.t! - 1) < 0.01, `${state.t}`);
    const csv = await read(page, (w) => w.orreryEditor.http.get(`/results/${w.orreryEditor.state.run}.csv`).then((r) => r.text())); // prettier-ignore
    assert.ok(String(csv).trim().split('\n').length > 50);
    await tab(page, /Problems/);
    await page.locator('.problems li', { hasText: '/X' }).first().waitFor();
    // The block carries the mark.
    await waitFor(page, (w) => w.orreryEditor.state.highlight.size > 0);
    assert.ok((await live(page)) > 100);
    await tab(page, 'Report');
    const report = await page.locator('.report').innerText();
    assert.match(report, /did not get to the end/);
    await page.getByRole('button', { name: 'Run with tighter tolerances' }).click();
    await ended(page);
    // Why not: the ledger says why a block did nothing.
    await selectBlocks(page, 'Seen');
    await tab(page, /Events/);
    await page.getByLabel('Time of the question').fill('0.5');
    await page.getByRole('button', { name: 'why not' }).click();
    await page.locator('.why p').first().waitFor();
    assert.match(await page.locator('.why').innerText(), /Seen/);
  });
});

test('a double click runs the script of a block, and the next run is the one of the command line', async () => {
  await scenario([example('book/ch21_pendulum_exec.orr')], async (page, server) => {
    await ended(page);
    const last = () => read(page, (w) => w.orreryEditor.http.get(`/results/${w.orreryEditor.state.run}.csv`).then((r) => r.text()).then((t) => t.trim().split('\n').at(-1)!.split(',').map(Number))); // prettier-ignore
    assert.ok(Math.abs((await last())[2]!) > 1); // it falls
    const at = await place(page, 'Design');
    await page.mouse.dblclick(at.x, at.y);
    await waitFor(page, (w) => w.orreryEditor.state.console.some((c) => c.text.includes('_syslin')));
    const before = await read(page, (w) => w.orreryEditor.state.run);
    await page.locator('.sheet').focus();
    await page.keyboard.press('Control+Enter');
    await page.waitForFunction((n) => { const s = (window as unknown as import('./server').Windowed).orreryEditor.state; return s.run !== n && s.runs.find((r) => r.run === s.run)?.state === 'ended'; }, before); // prettier-ignore
    const told = run('run', server.path(), '--exec', '/Design', '--out', server.path('told.csv'));
    assert.equal(told.status, 0, told.stderr);
    const expected = server.text('told.csv').trim().split('\n').at(-1)!.split(',').map(Number);
    (await last()).forEach((v, k) => assert.ok(Math.abs(v - expected[k]!) < 1e-5, `${v} ${expected[k]}`));
  });
});
