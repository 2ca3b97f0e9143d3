// SPDX-License-Identifier: Apache-2.0
// Scenarios of studies and exchange: each dialog starts the command of its name, and ends in a file or a number.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { findings } from './axe';
import { changes, checked, example, read, run, saveModel, scenario, shown, waitFor } from './server';

const openTool = async (page: Page, name: string) => {
  await page.getByRole('button', { name: 'Tools', exact: true }).click();
  await page.getByRole('menuitem', { name, exact: true }).click();
  await page.locator('[role=dialog]').waitFor();
};
const field = (page: Page, name: string) =>
  page.locator('.tool-field', { hasText: new RegExp(`^${name}`) }).locator('textarea, input, select').first(); // prettier-ignore
// Starts the command of the dialog and waits for its end.
const start = async (page: Page) => {
  await page.getByRole('button', { name: /^(Save and s|S)tart$/ }).click();
  await waitFor(page, (w) => w.orreryEditor.state.tool.code !== null, 120000);
  return read(page, (w) => ({ code: w.orreryEditor.state.tool.code, text: w.orreryEditor.state.tool.text }));
};
const close = async (page: Page) => {
  await page.keyboard.press('Escape');
  await page.locator('[role=dialog]').waitFor({ state: 'detached' });
};

// x' = a x², x(0) = 1: x(2) = 1/(1 − 2a), and for a = 1 there is nothing after t = 1.
const growth = `{
  "orrery": 2,
  "name": "growth",
  "simulation": {"stop": "2"},
  "context": [
    "a = 0.25;",
    "goal = 4;"
  ],
  "blocks": [
    {"name": "X", "type": "Integral", "parameters": {"x0": "1"}},
    {"name": "Rate", "type": "MathExpression", "parameters": {"inputs": "1", "expression": "'a*u1^2'"}},
    {"name": "Cost", "type": "MathExpression", "parameters": {"inputs": "1", "expression": "'(u1-goal)^2'"}},
    {"name": "Show", "type": "Scope"}
  ],
  "links": [
    {"from": "X:1", "to": ["Rate:1", "Cost:1"]},
    {"from": "Rate:1", "to": ["X:1"]},
    {"from": "Cost:1", "to": ["Show:1"]}
  ]
}
`;

test('a sweep with a failed run shows the table and marks it; a search ends in its best value', async () => {
  await scenario([['growth.orr', growth]], async (page, server) => {
    await checked(page);
    await openTool(page, 'Sweep…');
    await field(page, 'vary').fill('a=[-1 1 0.25]');
    await field(page, 'keep').fill('y=final(/X)');
    const swept = await start(page);
    assert.equal(swept.code, 1, swept.text);
    await page.locator('.sweep-table tr.failed').waitFor();
    assert.equal(await page.locator('.sweep-table tr.failed').count(), 1);
    assert.match(await page.locator('.sweep-table tr.failed').innerText(), /step-underflow/);
    const rows = server.text('growth_sweep.csv').trim().split('\n').map((l) => l.split(',')); // prettier-ignore
    assert.ok(Math.abs(Number(rows[1]![3]) - 1 / 3) < 1e-6, rows[1]!.join());
    assert.ok(Math.abs(Number(rows[3]![3]) - 2) < 1e-6, rows[3]!.join());
    assert.deepEqual(await findings(page), []);
    await close(page);

    // x(2) = 4 where 1 − 2a = 1/4.
    await openTool(page, 'Optimise…');
    await page.locator('.tool-form textarea').first().fill('model growth.orr\nvariable a = 0.1 from -1 to 0.45\nminimise final(/Cost)\n'); // prettier-ignore
    const best = await start(page);
    assert.equal(best.code, 0, best.text);
    await page.locator('.tool-file img').waitFor();
    assert.match(server.text('growth.opt'), /minimise final/);
    const found = /"a"[^]*?([0-9.]+e?-?[0-9]*)/.exec(server.text('growth_best.json'));
    assert.ok(found && Math.abs(Number(found[1]) - 0.375) < 1e-3, server.text('growth_best.json'));
    assert.deepEqual(await findings(page), []);
  });
});

test('points of rest, linear models and code are written beside the model', async () => {
  await scenario([example('embed/vehicle.orr')], async (page, server) => {
    await checked(page);
    await openTool(page, 'Trim…');
    const rest = await start(page);
    assert.equal(rest.code, 0, rest.text);
    const point = JSON.parse(server.text('vehicle_trim.json')) as { reached: boolean; states: { name: string }[] }; // prettier-ignore
    assert.ok(point.reached && point.states.some((s) => s.name.startsWith('/Motion')));
    await page.locator('.tool-file pre', { hasText: '/Motion' }).waitFor();
    await close(page);

    await openTool(page, 'Linearise…');
    await page.getByRole('button', { name: 'Linearise', exact: true }).click();
    await page.locator('[role=dialog] pre').waitFor();
    // The mass of 1200 kg with a drag of 60 N s/m: one pole at −60/1200.
    assert.match(await page.locator('[role=dialog] pre').innerText(), /-0\.05\b|-0\.049999/);
    await close(page);

    await openTool(page, 'Export code or FMU…');
    const code = await start(page);
    assert.equal(code.code, 0, code.text);
    assert.ok(existsSync(join(server.folder, 'vehicle_c')), code.text);
    assert.deepEqual(await findings(page), []);
    await close(page);

    await openTool(page, 'Library manager…');
    await page.getByLabel('What to do').selectOption('library create');
    await field(page, 'Library').fill('Drives');
    const made = await start(page);
    assert.equal(made.code, 0, made.text);
    assert.ok(existsSync(join(server.folder, 'Drives')));
    await close(page);
    await openTool(page, 'New block…');
    await field(page, 'Name').fill('Servo');
    const block = await start(page);
    assert.equal(block.code, 0, block.text);
    assert.match(readFileSync(join(server.folder, 'Servo', 'Servo.c'), 'utf8'), /Servo/);
  });
});

test('an FMU is exported, imported with its description, and stands in the saved file', async () => {
  await scenario([example('export/temperature.orr'), ['empty.orr', '{\n  "orrery": 2,\n  "name": "empty",\n  "blocks": [],\n  "links": []\n}\n']], async (page, server) => {
    await checked(page);
    const made = run('export', 'fmu', server.path(), '--block', '/Room', '--out', join(server.folder, 'room.fmu'));
    assert.equal(made.status, 0, made.stderr);
    await read(page, (w) => w.orreryEditor.open({ path: 'empty.orr' }));
    await shown(page);
    await waitFor(page, (w) => w.orreryEditor.state.doc?.path === 'empty.orr');
    await openTool(page, 'Import FMU…');
    await page.getByText('room.fmu').first().click();
    await page.locator('[role=dialog] pre', { hasText: /Room|room/ }).waitFor();
    assert.deepEqual(await findings(page), []);
    await changes(page, () => page.locator('[role=dialog] .row-of-buttons .primary').click());
    await page.locator('[role=dialog]').waitFor({ state: 'detached' });
    await page.locator('.sheet').focus();
    await saveModel(page);
    const model = JSON.parse(server.text('empty.orr')) as { blocks: { type: string; parameters?: Record<string, string> }[] }; // prettier-ignore
    assert.equal(model.blocks[0]!.type, 'FMU');
    assert.ok(Object.values(model.blocks[0]!.parameters ?? {}).includes("'room.fmu'"));
  }); // prettier-ignore
});

test('an error of the C compiler is shown at its line', async () => {
  const wrong = `{
  "orrery": 2,
  "name": "wrong",
  "simulation": {"stop": "1"},
  "blocks": [
    {"name": "Sine", "type": "SineWaveGenerator"},
    {"name": "Twice", "type": "CCustomBlock", "parameters": {"code": "#include \\"vss_block4.h\\"\\nVSS_EXPORT void twice(vss_block* block, int flag) {\\n  double y = nothing_of_this_name;\\n}\\n", "function": "'twice'"}},
    {"name": "Show", "type": "Scope"}
  ],
  "links": [
    {"from": "Sine:1", "to": ["Twice:1"]},
    {"from": "Twice:1", "to": ["Show:1"]}
  ]
}
`;
  await scenario([['wrong.orr', wrong]], async (page) => {
    await page.getByRole('button', { name: 'Allow once' }).click();
    await waitFor(page, (w) => w.orreryEditor.state.doc?.allowed?.includes('native') === true);
    await page.evaluate(() => (window as unknown as import('./server').Windowed).orreryEditor.select({ blocks: new Set(['Twice']), branches: new Set(), notes: new Set() })); // prettier-ignore
    await page.locator('[data-parameter="code"]').waitFor();
    await page.getByRole('button', { name: 'Open…' }).click();
    await page.getByRole('button', { name: 'Keep and run' }).click();
    await page.locator('.code-problems', { hasText: 'line 3' }).first().waitFor();
    await page.locator('.code-window .cm-lintRange-error').first().waitFor();
    assert.match(await page.locator('.code-problems').innerText(), /nothing_of_this_name/);
  });
});
