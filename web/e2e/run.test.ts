// SPDX-License-Identifier: Apache-2.0
// Scenarios: open and run, a dragged number, pause and steps, events and their reasons.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { checked, drag, ended, example, modelText, read, scenario, waitFor } from './server';

interface Row { t: number; cause: string; block: string } // prettier-ignore
const events = (page: Page) =>
  read(page, (w) =>
    w.orreryEditor.http
      .json<{ rows: Row[] }>(`/events?run=${w.orreryEditor.state.run}&from=0&count=100`)
      .then((l) => l.rows),
  );

test('a model opens, runs by itself and shows its curves', async () => {
  await scenario([example('bouncing_ball.orr')], async (page) => {
    await ended(page);
    await page.waitForSelector('.scope .uplot');
    const rows = await events(page);
    const bounces = [...new Set(rows.filter((r) => r.block === '/Ground').map((r) => r.t))].map((t) => ({
      t,
    }));
    // Falls for sqrt(2 h / g), then flies 2 e v / g.
    const first = Math.sqrt((2 * 10) / 9.81);
    assert.ok(Math.abs(bounces[0]!.t - first) < 1e-6, `${bounces[0]!.t}`);
    assert.ok(Math.abs(bounces[1]!.t - first * (1 + 2 * 0.9)) < 1e-5, `${bounces[1]!.t}`);
    assert.equal(await read(page, (w) => w.orreryEditor.state.runs.at(-1)?.state), 'ended');
  });
});

test('a number dragged in the context runs the model again, and undo brings it back', async () => {
  await scenario([example('bouncing_ball.orr')], async (page, server) => {
    await ended(page);
    const before = server.text();
    const number = page.locator('.cm-scrub', { hasText: '0.9' });
    const box = (await number.boundingBox())!;
    const from = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    await drag(page, from, { x: from.x + 5, y: from.y });
    await waitFor(page, (w) => w.orreryEditor.state.diagramInfo?.context[2] === 'e = 0.95;');
    await waitFor(page, (w) => { const s = w.orreryEditor.state; const r = s.runs.find((x) => x.run === s.run); return r?.state === 'ended' && r.revision === s.doc?.revision; }); // prettier-ignore
    const rows = await events(page);
    const bounces = [...new Set(rows.filter((r) => r.block === '/Ground').map((r) => r.t))].map((t) => ({
      t,
    }));
    const first = Math.sqrt((2 * 10) / 9.81);
    assert.ok(Math.abs(bounces[1]!.t - first * (1 + 2 * 0.95)) < 1e-5, `${bounces[1]!.t}`);
    await page.locator('.sheet').focus();
    await page.keyboard.press('Control+z');
    await waitFor(page, (w) => w.orreryEditor.state.diagramInfo?.context[2] === 'e = 0.9;');
    assert.equal(await modelText(page), before); // prettier-ignore
  });
});

test('steps by event pause the run, show values and say why', async () => {
  await scenario([example('bouncing_ball.orr')], async (page) => {
    await ended(page);
    await page.locator('.sheet').focus();
    await page.keyboard.press('F10');
    await waitFor(page, (w) => w.orreryEditor.state.paused !== null);
    for (let k = 0; k < 20; ++k) {
      const t = await read(page, (w) => w.orreryEditor.state.paused!.t);
      if (t > 1) break;
      await page.keyboard.press('F10');
      await page.waitForFunction((old) => { const p = (window as unknown as { orreryEditor: { state: { paused: { t: number } | null } } }).orreryEditor.state.paused; return p !== null && p.t !== old; }, t); // prettier-ignore
    }
    const paused = await read(page, (w) => w.orreryEditor.state.paused!);
    assert.ok(Math.abs(paused.t - Math.sqrt(20 / 9.81)) < 1e-6, `${paused.t}`);
    await waitFor(page, (w) => w.orreryEditor.state.values !== null);
    const ball = await read(
      page,
      (w) => w.orreryEditor.state.values!['/Ball'] ?? w.orreryEditor.state.values!['/Ball:1'],
    );
    assert.equal(ball?.length, 2);
    await page.keyboard.press('F5');
    await ended(page);
    await page.getByRole('tab', { name: /Events/ }).click();
    await page.getByRole('button', { name: /^Why the event/ }).nth(1).click(); // prettier-ignore
    await page.waitForSelector('.why p');
    assert.match(await page.locator('.why').innerText(), /Ground/);
  });
});

test('a break condition pauses where it becomes true', async () => {
  await scenario([example('bouncing_ball.orr')], async (page) => {
    await checked(page);
    await ended(page);
    await page.evaluate(async () => {
      const { orreryEditor: editor } = window as unknown as import('./server').Windowed;
      const answer = await editor.request<{ run: number }>('run', {
        doc: editor.state.doc!.doc,
        breaks: ['t > 3'],
        events: true,
      });
      editor.store.set({ run: answer.run });
    });
    await waitFor(page, (w) => w.orreryEditor.state.paused !== null);
    const t = await read(page, (w) => w.orreryEditor.state.paused!.t);
    assert.ok(t > 3 && t < 4.1, `${t}`);
  });
});
