// SPDX-License-Identifier: Apache-2.0
// The sampled controller drawn from nothing: it behaves as the example does, and only names differ.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addBlock, changes, checked, drag, emptyModel, example, place, read, run, saveModel, scenario, waitFor } from './server'; // prettier-ignore
import type { Page } from 'playwright-core';

const setParameter = async (page: Page, block: string, values: Record<string, string>) => {
  await page.evaluate((b) => (window as unknown as import('./server').Windowed).orreryEditor.select({ blocks: new Set([b]), branches: new Set(), notes: new Set() }), block); // prettier-ignore
  for (const [name, text] of Object.entries(values)) {
    // The inspector follows the selection a moment later.
    const field = page.locator(`[data-block$="/${block}"] [data-parameter="${name}"] .cm-content`);
    await field.waitFor();
    // What the block has by default already is no change.
    if ((await field.innerText()) === text) continue;
    await field.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(text);
    await changes(page, () => page.keyboard.press('Enter'));
  }
};

test('the sampled controller drawn from nothing', async () => {
  await scenario(
    [['drawn.orr', emptyModel.replace('empty', 'drawn')], example('sampled_controller.orr')],
    async (page, server) => {
      const sheet = (await page.locator('.sheet').boundingBox())!;
      const at = (x: number, y: number) => ({ x: sheet.x + x, y: sheet.y + y });
      await page.evaluate(() => { const s = (window as unknown as import('./server').Windowed).orrerySheet; s.setView({ ...s.view, zoom: 0.9, x: -40, y: -130 }); }); // prettier-ignore
      // The context first: parameters use its names.
      await page.locator('.lines-editor .cm-content').click();
      await page.keyboard.insertText('T = 0.1; % sample period\nkp = 2;\nTi = 0.5;');
      await changes(page, () => page.keyboard.press('Control+Enter'));
      const order: [string, number, number][] = [['StepGenerator', 60, 200], ['Sum', 150, 200], ['@T', 240, 80], ['SampleHold', 240, 200], ['(2z-1)/(z-1)', 340, 200], ['StepGenerator', 340, 300], ['Sum', 440, 200], ['1/(0.5*s+1)', 540, 200], ['Scope', 660, 200], ['Scope', 540, 80]]; // prettier-ignore
      for (const [text, x, y] of order) await addBlock(page, text, at(x, y));
      const names = await read(page, (w) => w.orreryEditor.state.scene.blocks.map((b) => b.name));
      const [reference, error, clock, sampler, controller, load, torque, motor, speed, control] =
        names as string[];
      await setParameter(page, reference!, { time: '1', before: '0', after: '1' });
      await setParameter(page, error!, { signs: "'+-'" });
      await setParameter(page, controller!, { num: '[kp*(1+T/Ti) -kp]', den: '[1 -1]' });
      await setParameter(page, load!, { time: '5', before: '0', after: '0.5' });
      await setParameter(page, torque!, { signs: "'+-'" });
      await setParameter(page, motor!, { num: '1', den: '[0.5 1]' });
      await setParameter(page, speed!, { inputs: '2', names: "'reference,speed'" });
      await setParameter(page, control!, { names: "'torque'" });
      await waitFor(page, (w) => w.orreryEditor.state.scene.blocks[8]!.ports.length === 2);
      const links: [string, string][] = [[`${reference}:out:1`, `${error}:in:1`], [`${reference}:out:1`, `${speed}:in:1`], [`${error}:out:1`, `${sampler}:in:1`], [`${sampler}:out:1`, `${controller}:in:1`], [`${controller}:out:1`, `${torque}:in:1`], [`${controller}:out:1`, `${control}:in:1`], [`${load}:out:1`, `${torque}:in:2`], [`${torque}:out:1`, `${motor}:in:1`], [`${motor}:out:1`, `${error}:in:2`], [`${motor}:out:1`, `${speed}:in:2`], [`${clock}:event-out:1`, `${sampler}`]]; // prettier-ignore
      for (const [from, to] of links)
        await changes(page, async () => drag(page, await place(page, from), await place(page, to)));
      await page.evaluate(() => (window as unknown as import('./server').Windowed).orreryEditor.select({ blocks: new Set(), branches: new Set(), notes: new Set() })); // prettier-ignore
      const rtol = page.locator('.inspector .setting', { hasText: 'rtol' }).locator('input');
      await rtol.fill('1e-8');
      await changes(page, () => rtol.press('Enter'));
      const stop = page.locator('.inspector .setting', { hasText: 'stop' }).locator('input');
      await stop.fill('10');
      await stop.press('Enter');
      await page.locator('.sheet').focus();
      await saveModel(page);
      await checked(page);
      assert.equal(await read(page, (w) => w.orreryEditor.state.problems.errors), 0);
      assert.equal(run('fmt', '--check', server.path()).status, 0);
      // Only names and remarks differ.
      const diff = run('diff', '--json', example('sampled_controller.orr'), server.path());
      const list = JSON.parse(diff.stdout) as { kind: string; what?: string; field?: string; path: string }[];
      const found = Array.isArray(list) ? list : (list as { differences: typeof list }).differences;
      // The example writes some defaults out; those were skipped above because the field showed the same text.
      const other = found.filter(
        (d) =>
          (d as { after?: string }).after !== '(default)' &&
          !['renamed'].includes(d.kind) &&
          !['about', 'name', 'stop'].includes(d.field ?? ''),
      );
      assert.deepEqual(other, []);
      // And it behaves the same.
      const results = ['drawn.orr', 'sampled_controller.orr'].map((name) => {
        const csv = run('run', server.path(name), '--out', server.path(`${name}.csv`));
        assert.equal(csv.status, 0, csv.stderr);
        return server.text(`${name}.csv`).trim().split('\n').slice(1).map((l) => l.split(',').map(Number)); // prettier-ignore
      });
      assert.deepEqual(results[0], results[1]);
    },
    { preferences: { bottomOpen: false, left: 'none' } },
  );
});
