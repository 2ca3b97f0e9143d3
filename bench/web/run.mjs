// SPDX-License-Identifier: Apache-2.0
// Bundles the measurements and runs them one after the other.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const web = join(here, '..', '..', 'web');
const { build } = createRequire(join(web, 'package.json'))('esbuild');
const out = join(web, 'node_modules', '.cache', 'bench');
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const common = { bundle: true, target: 'es2022', jsx: 'automatic', logLevel: 'warning', nodePaths: [join(web, 'node_modules')] };
await build({ ...common, entryPoints: [join(here, 'scope_page.ts')], outfile: join(out, 'scope_page.js'), format: 'iife' });
await build({
  ...common,
  entryPoints: [join(here, 'painter.ts'), join(here, 'scope.ts'), join(here, 'edit.ts')],
  outdir: out,
  outExtension: { '.js': '.mjs' },
  format: 'esm',
  platform: 'node',
  external: ['playwright-core'],
  define: { WEB_FOLDER: JSON.stringify(web), BENCH_FOLDER: JSON.stringify(out) },
});
let status = 0;
for (const name of ['ORRERY', 'ORRERY_PAGE']) if (process.env[name]) process.env[name] = resolve(process.env[name]);
for (const name of ['painter', 'scope', 'edit'])
  status ||= spawnSync(process.execPath, [join(out, `${name}.mjs`)], { stdio: 'inherit' }).status ?? 1;
process.exit(status);
