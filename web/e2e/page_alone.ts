// SPDX-License-Identifier: Apache-2.0
// The page in a browser with a server that is played here: for pictures and measurements of the page alone.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { WireScene } from '../src/protocol/wire_scene';
import { library, sampleFrame } from './fixtures';

declare const WEB_FOLDER: string;
const types: Record<string, string> = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  woff2: 'font/woff2',
};
export const address = 'http://127.0.0.1:7777';

const bounce = () => {
  const t: number[] = [];
  const h: number[] = [];
  const v: number[] = [];
  let [y, s] = [10, 0];
  for (let k = 0; k < 2500; ++k) {
    t.push(k / 100);
    h.push(y);
    v.push(s);
    s -= 0.0981;
    y += s * 0.01;
    if (y < 0) [y, s] = [0, -0.9 * s];
  }
  return { t, h, v };
};

export interface Played {
  asked: { do: string; [key: string]: unknown }[];
}

export async function playServer(
  page: Page,
  scene: WireScene,
  preferences: object = { tourDone: true },
): Promise<Played> {
  const played: Played = { asked: [] };
  const { t, h, v } = bounce();
  const json = (body: unknown) => ({ contentType: 'application/json', body: JSON.stringify(body) });
  await page.route(`${address}/**`, (route) => {
    const url = new URL(route.request().url());
    if (url.pathname === '/session') return route.fulfill(json({ secret: 'x'.repeat(64), version: '0.1.0' }));
    if (url.pathname === '/library') return route.fulfill(json(library));
    if (url.pathname === '/scene') return route.fulfill(json(scene));
    if (url.pathname === '/samples') {
      const wanted = url.searchParams.get('signals')!.split(',').map(Number);
      return route.fulfill({ body: sampleFrame(1, 0, t, wanted.map((k) => (k === 0 ? h : v))) }); // prettier-ignore
    }
    if (url.pathname === '/events')
      return route.fulfill(json({ run: 1, total: 3, from: 0, rows: [1.43, 4, 6.3].map((time, id) => ({ id, t: time, cause: 'crossing', block: '/Ground', port: 1, left: -1e-12, right: 1e-9, restarted: true })) })); // prettier-ignore
    const name = url.pathname === '/' ? 'index.html' : url.pathname.slice(1);
    try {
      const body = readFileSync(join(process.env['ORRERY_PAGE'] ?? join(WEB_FOLDER, 'dist'), name));
      return route.fulfill({ contentType: types[name.split('.').pop()!] ?? 'text/plain', body });
    } catch {
      return route.fulfill({ status: 404, body: '' });
    }
  });
  await page.routeWebSocket(/socket/, (ws) => {
    const push = (on: string, fields: object) => ws.send(JSON.stringify({ on, doc: 1, ...fields }));
    ws.onMessage((text) => {
      const m = JSON.parse(String(text)) as { id?: number; do: string; [key: string]: unknown };
      played.asked.push(m);
      const ok = (value: object) => ws.send(JSON.stringify({ id: m.id, ok: value }));
      switch (m.do) {
        case 'hello':
          return ok({ version: '0.1.0', root: 'examples', model: 'ball.orr', tab: 1, documents: [] });
        case 'preferences':
          return ok({ preferences });
        case 'open':
          ok({ doc: 1, path: 'ball.orr', name: 'bouncing_ball', revision: 1, dirty: false, undo: null, redo: null, diagrams: [{ path: '/', name: 'ball', blocks: scene.blocks.length, children: [] }] }); // prettier-ignore
          return push('problems', { revision: 1, errors: 0, warnings: 0, problems: [] });
        case 'runs':
          return ok({ runs: [] });
        case 'diagram':
          return ok({ diagram: '/', context: ['g = 9.81;', 'h0 = 10;', 'e = 0.9; % restitution'], mask: [], blocks: 7, initialization: [], about: 'A ball dropped from 10 m loses a tenth of its speed at each bounce.', name: 'ball', settings: { stop: '25' } }); // prettier-ignore
        case 'inspect':
          return ok({ path: m['block'], name: String(m['block']).slice(1), type: 'JumpStateSpace', palette: 'Continuous', summary: 'a linear system', activation: 'default', parameters: [{ name: 'A', prompt: 'matrix A', text: '[0 1; 0 0]', given: true, default: '0', value: { type: 'double', rows: 2, cols: 2, text: '[0 1; 0 0]' } }, { name: 'x0', prompt: 'state at the start', text: '[h0; 0]', given: true, default: '0', value: { type: 'double', rows: 2, cols: 1, text: '[10; 0]' } }] }); // prettier-ignore
        case 'evaluate':
          return ok({ values: [], errors: [], variables: [{ name: 'g', line: 1, from: 'context', value: { type: 'double', rows: 1, cols: 1, text: '9.81' } }], problems: [] }); // prettier-ignore
        case 'run': {
          ok({ run: 1, revision: 1 });
          const columns = [{ name: '/Height', block: '/Height', unit: 'm' }, { name: '/Speed', block: '/Speed', unit: 'm/s' }]; // prettier-ignore
          return push('ended', { run: 1, state: 'ended', t: 25, stop: 25, columns, rows: 2500, events: 3, seconds: 0.005, report: { solver: 'rk45', steps: 211 } }); // prettier-ignore
        }
        case 'explain':
          return ok({ text: ['At t = 1.43 the input of Ground fell through zero.', 'It activated Ball, whose speed jumped.'], event: { id: m['event'], t: 1.43, cause: 'crossing', block: '/Ground' }, before: null, after: { id: 1, t: 4, cause: 'crossing' }, activates: [{ block: '/Ball', type: 'JumpStateSpace' }], blocks: ['/Ground', '/Ball'] }); // prettier-ignore
        case 'list':
          return ok({ folder: '', folders: [], files: [{ name: 'ball.orr', size: 100, modified: 0, model: true }], examples: [{ name: 'bouncing_ball', title: 'Bouncing ball', about: 'A ball.' }] }); // prettier-ignore
        case 'edit':
          return ok({ revision: 1, change: { diagram: '/', revision: 1, links: [] }, names: [] });
        default:
          if (m.id !== undefined) ok({});
      }
    });
  });
  return played;
}
