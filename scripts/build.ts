/**
 * Builds what ships: a few bundled chunks, because hundreds of small modules cost more to load than
 * to run, and the types beside them. Rooms that are imported late become chunks of their own.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { build } from 'esbuild';

const ROOT = path.join(import.meta.dirname, '..');

rmSync(path.join(ROOT, 'dist'), { recursive: true, force: true });

await build({
  absWorkingDir: ROOT,
  entryPoints: ['src/main.ts', 'src/index.ts', 'src/apiserver.ts', 'src/tracing.ts', 'src/node.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  chunkNames: 'chunks/[name]-[hash]',
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
});

cpSync(path.join(ROOT, 'src/lib/syscall-helper/program'), path.join(ROOT, 'dist/syscall-helper'), {
  recursive: true,
});

const tsc = createRequire(import.meta.url).resolve('typescript/package.json');
execFileSync(
  process.execPath,
  [path.join(path.dirname(tsc), 'bin', 'tsc'), '-p', 'tsconfig.build.json'],
  { cwd: ROOT, stdio: 'inherit' },
);
