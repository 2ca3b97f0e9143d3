// SPDX-License-Identifier: Apache-2.0
// A server of its own for each scenario, in a folder of its own, and the page of it.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import type { Editor } from '../src/state/editor';
import type { SheetView } from '../src/canvas/sheet_view';
import { after } from 'node:test';
import { startBrowser, stopBrowser } from './browser';

declare const WEB_FOLDER: string;
after(stopBrowser);
const project = dirname(WEB_FOLDER);
export const orrery = process.env['ORRERY'] ?? join(project, 'build', 'orrery');
const pageFolder = process.env['ORRERY_PAGE'] ?? join(WEB_FOLDER, 'dist');
export const example = (name: string) => join(project, 'examples', name);

// How long a state may take to come: only failures wait that long, and machines of others may be ten times slower.
const patience = Number(process.env['ORRERY_PATIENCE'] ?? 120000);

export class Server {
  process!: ChildProcess;
  address = '';
  readonly folder = mkdtempSync(join(tmpdir(), 'orrery-serve-'));
  readonly state = mkdtempSync(join(tmpdir(), 'orrery-state-'));

  // The models are copied (paths) or written (texts by name) into the folder; the first is opened.
  constructor(private models: (string | [string, string])[]) {
    for (const m of models) {
      if (typeof m === 'string') cpSync(m, join(this.folder, m.split('/').pop()!));
      else writeFileSync(join(this.folder, m[0]), m[1]);
    }
  }

  get model() {
    const first = this.models[0];
    return typeof first === 'string' ? first.split('/').pop()! : (first?.[0] ?? '');
  }
  path(name = this.model) {
    return join(this.folder, name);
  }
  text(name = this.model) {
    return readFileSync(this.path(name), 'utf8');
  }

  async start(): Promise<string> {
    const env = { ...process.env, XDG_STATE_HOME: this.state, XDG_CONFIG_HOME: join(this.state, 'config'), XDG_CACHE_HOME: join(this.state, 'cache') }; // prettier-ignore
    mkdirSync(join(this.state, 'config'), { recursive: true });
    const what = this.model ? this.path() : this.folder;
    this.process = spawn(orrery, ['serve', what, '--no-browser', '--assets', pageFolder], { env, stdio: ['ignore', 'pipe', 'pipe'] }); // prettier-ignore
    let said = '';
    return new Promise((resolve, reject) => {
      const failed = setTimeout(() => reject(new Error(`the server said only: ${said}`)), 60000);
      const hear = (data: Buffer) => {
        said += data.toString();
        const found = /http:\/\/127\.0\.0\.1:\d+\/#code=[0-9a-f]+/.exec(said);
        if (!found) return;
        clearTimeout(failed);
        this.address = found[0];
        resolve(found[0]);
      };
      this.process.stdout!.on('data', hear);
      this.process.stderr!.on('data', hear);
      this.process.on('error', (error) => {
        clearTimeout(failed);
        reject(error);
      });
      this.process.on('exit', (code, signal) => {
        clearTimeout(failed);
        if (code !== 0 && signal !== 'SIGKILL' && signal !== 'SIGTERM')
          console.log(`the server ended: ${code} ${signal} ${said}`);
        reject(new Error(`the server ended with ${code}: ${said}`));
      });
    });
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (!this.process || this.process.exitCode !== null || this.process.signalCode) return Promise.resolve();
    return new Promise((resolve) => {
      this.process.once('exit', () => resolve());
      this.process.kill(signal);
    });
  }
}

export interface Windowed {
  orreryEditor: Editor;
  orrerySheet: SheetView;
}

// A page that shows the model of the server; it waits for states, never for time.
export async function openPage(
  context: BrowserContext,
  address: string,
  preferences: object = {},
): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  page.on('pageerror', (e) => console.log('page error:', e.stack));
  page.on('console', (m) => m.type() === 'error' && console.log('console:', m.text()));
  await page.goto(address);
  await page.waitForFunction(() => (window as unknown as Windowed).orreryEditor?.state.library !== null, undefined, { timeout: 60000 }); // prettier-ignore
  await page.evaluate(
    (p) => (window as unknown as Windowed).orreryEditor.prefer({ tourDone: true, ...p }),
    preferences,
  );
  return page;
}

// The window as a handle: functions are sent whole, because the page's policy forbids texts to be run.
const windowOf = (page: Page) => page.evaluateHandle(() => window as unknown as Windowed);

export const waitFor = async (page: Page, what: (w: Windowed) => unknown, timeout = patience) =>
  page.waitForFunction(what as never, await windowOf(page), { timeout });

export const shown = (page: Page) => waitFor(page, (w) => w.orreryEditor.state.sceneOf !== '' && w.orrerySheet?.view.width > 300); // prettier-ignore
export const checked = (page: Page) => waitFor(page, (w) => { const s = w.orreryEditor.state; return s.problems.revision === s.doc?.revision && !s.problems.checking; }); // prettier-ignore
export const ended = (page: Page) => waitFor(page, (w) => { const s = w.orreryEditor.state; const r = s.runs.find((x) => x.run === s.run); return r && !['compiling', 'running', 'paused'].includes(r.state); }); // prettier-ignore

export const read = async <T>(page: Page, what: (w: Windowed) => T | Promise<T>): Promise<T> =>
  page.evaluate(what as never, await windowOf(page)) as Promise<T>;

// The canonical text of the model as it is now.
export const modelText = (page: Page) =>
  read(page, (w) =>
    w.orreryEditor.http.get(`/text?doc=${w.orreryEditor.state.doc!.doc}`).then((r) => r.text()),
  );

// A point of the sheet in pixels of the page: a port ("Gain:out:1"), or the middle of a block ("Gain").
export async function place(page: Page, where: string): Promise<{ x: number; y: number }> {
  return page.evaluate((text) => {
    const { orreryEditor: editor, orrerySheet: sheet } = window as unknown as Windowed;
    const [name, kind, number] = text.split(':');
    const block = editor.state.scene.blocks.find((b) => b.name === name);
    if (!block) throw new Error(`there is no block ${name}`);
    const { x, y, width, height } = block.box;
    let at: readonly [number, number] = [x + width / 2, y + height / 2];
    if (kind) {
      const port = block.ports.find(
        (p) =>
          p.number === Number(number) &&
          p.output === kind.endsWith('out') &&
          p.activation === kind.startsWith('event'),
      );
      if (!port) throw new Error(`there is no port ${text}`);
      at = port.at;
    }
    const box = document.querySelector('.sheet')!.getBoundingClientRect();
    const [sx, sy] = sheet.onScreen(at);
    return { x: box.left + sx, y: box.top + sy };
  }, where);
}

export async function drag(page: Page, from: { x: number; y: number }, to: { x: number; y: number }) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 3 });
  await page.mouse.move(to.x, to.y, { steps: 3 });
  await page.mouse.up();
}

// Waits for the next revision after `act`.
export async function changes(page: Page, act: () => Promise<unknown>) {
  const before = await read(page, (w) => w.orreryEditor.state.doc?.revision ?? 0);
  await act();
  await page.waitForFunction((r) => ((window as unknown as Windowed).orreryEditor.state.doc?.revision ?? 0) > r, before, { timeout: patience }); // prettier-ignore
}

export interface Point { x: number; y: number } // prettier-ignore

// Makes these blocks of the shown diagram the selected ones, with the keyboard on the sheet.
export async function selectBlocks(page: Page, ...names: string[]) {
  await page.locator('.sheet').focus();
  await page.evaluate((list) => (window as unknown as Windowed).orreryEditor.select({ blocks: new Set(list), branches: new Set(), notes: new Set() }), names); // prettier-ignore
}

// A key that changes the model.
export const press = (page: Page, key: string) => changes(page, () => page.keyboard.press(key));

export async function menu(page: Page, name: string, item: string) {
  await page.getByRole('button', { name, exact: true }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

// Types a block or formula at a place of the sheet.
export async function addBlock(page: Page, text: string, at: { x: number; y: number }, key = 'Enter') {
  await page.mouse.click(at.x, at.y);
  await changes(page, async () => {
    await page.keyboard.type(text);
    await page.waitForSelector('.type-to-add [role=option][aria-selected=true]');
    await page.keyboard.press(key);
  });
}

export async function saveModel(page: Page) {
  await page.keyboard.press('Control+s');
  await waitFor(page, (w) => w.orreryEditor.state.doc?.dirty === false);
}

export const run = (...words: string[]) => spawnSync(orrery, words, { encoding: 'utf8' });
export const haveServer = existsSync(orrery) && existsSync(join(pageFolder, 'index.html'));

export const emptyModel = '{\n  "orrery": 2,\n  "name": "empty",\n  "blocks": [],\n  "links": []\n}\n';

// Runs a scenario with its own server and browser.
export async function scenario(
  models: (string | [string, string])[],
  play: (page: Page, server: Server, context: BrowserContext) => Promise<void>,
  options: { dark?: boolean; preferences?: object } = {},
) {
  const server = new Server(models);
  const context = await startBrowser({ dark: options.dark });
  try {
    const page = await openPage(context, await server.start(), options.preferences);
    if (server.model) await shown(page);
    await play(page, server, context);
  } catch (error) {
    // What was on the screen when it failed, for whoever looks into it.
    const picture = process.env['ORRERY_FAILED'];
    if (picture) await context.pages().at(-1)?.screenshot({ path: picture });
    throw error;
  } finally {
    await context.close();
    await server.stop();
  }
}
