// SPDX-License-Identifier: Apache-2.0
// Bundles tests/*.test.ts and runs them with Node's own test runner. Names given as arguments select files.
import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] === 'e2e' ? 'e2e' : 'tests';
const wanted = process.argv.slice(folder === 'e2e' ? 3 : 2);
const files = readdirSync(join(here, folder))
  .filter((name) => name.endsWith('.test.ts') && (!wanted.length || wanted.some((w) => name.includes(w))))
  .map((name) => join(here, folder, name));
if (folder === 'e2e' && !existsSync(process.env['ORRERY_CHROMIUM'] ?? '/usr/bin/chromium')) {
  console.log(
    'skipped: there is no Chromium (tools/setup.sh test installs it; ORRERY_CHROMIUM names another)',
  );
  process.exit(77);
}
mkdirSync(join(here, 'node_modules', '.cache'), { recursive: true });
// Beneath node_modules, so that packages left out of the bundle are found.
const out = mkdtempSync(join(here, 'node_modules', '.cache', 'tests-'));
await build({
  entryPoints: files,
  outdir: out,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node18',
  jsx: 'automatic',
  external: ['playwright-core', 'axe-core'],
  define: { WEB_FOLDER: JSON.stringify(here) },
  nodePaths: [join(here, 'node_modules')],
  logLevel: 'warning',
});
const bundled = readdirSync(out).map((name) => join(out, name));
// Names of files are those of the folder in which the command was given.
for (const name of ['ORRERY', 'ORRERY_PAGE', 'ORRERY_SHOTS'])
  if (process.env[name]) process.env[name] = resolve(process.env[name]);
const play = (name) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, ['--test', name], { cwd: here });
    const said = [];
    child.stdout.on('data', (data) => said.push(data));
    child.stderr.on('data', (data) => said.push(data));
    child.on('close', (code) => {
      process.stdout.write(Buffer.concat(said));
      resolve(code === 0);
    });
  });
const waiting = [...bundled];
const failed = [];
const player = async () => {
  for (let name = waiting.shift(); name; name = waiting.shift()) if (!(await play(name))) failed.push(name);
};
await Promise.all([player(), player()]);
// A browser on a busy machine may be late: what failed beside others is played once more alone, and that counts.
let wrong = 0;
for (const name of failed) {
  console.log(`# once more, alone: ${basename(name)}`);
  if (folder !== 'e2e' || !(await play(name))) ++wrong;
}
rmSync(out, { recursive: true, force: true });
process.exit(wrong ? 1 : 0);
