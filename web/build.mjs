// SPDX-License-Identifier: Apache-2.0
// Bundles the page into dist/ (or the folder given by --out): index.html and assets/ with a hash in every name.
import { build, context } from 'esbuild';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const flag = (name) => process.argv.indexOf(name);
const out = flag('--out') > 0 ? process.argv[flag('--out') + 1] : join(here, 'dist');
const watch = flag('--watch') > 0;

const writeIndex = {
  name: 'index',
  setup(b) {
    b.onEnd((result) => {
      if (!result.metafile) return;
      let script = '';
      let style = '';
      for (const [file, info] of Object.entries(result.metafile.outputs)) {
        if (info.entryPoint !== 'src/main.tsx') continue;
        script = basename(file);
        style = info.cssBundle ? basename(info.cssBundle) : '';
      }
      const html = readFileSync(join(here, 'index.html'), 'utf8')
        .replace('APP_SCRIPT', `/assets/${script}`)
        .replace('APP_STYLE', `/assets/${style}`);
      writeFileSync(join(out, 'index.html'), html);
    });
  },
};

rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, 'assets'), { recursive: true });
copyFileSync(join(here, 'icon.svg'), join(out, 'assets', 'icon.svg'));
const options = {
  absWorkingDir: here,
  entryPoints: ['src/main.tsx'],
  outdir: join(out, 'assets'),
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  minify: !watch,
  sourcemap: watch ? 'inline' : false,
  metafile: true,
  define: { 'process.env.NODE_ENV': watch ? '"development"' : '"production"' },
  loader: { '.woff2': 'file', '.svg': 'text' },
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [writeIndex],
};
if (watch) await (await context(options)).watch();
else await build(options);
