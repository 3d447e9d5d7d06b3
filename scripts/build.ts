/**
 * Builds dist/: a few bundled chunks, because hundreds of small modules cost more to load than to run, and
 * one file of types for each entry point. Dynamically imported parts become separate chunks.
 */
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { ENTRY_POINTS } from './types/entry-points.ts';
import { writeTypes } from './types/write-types.ts';

const ROOT = path.join(import.meta.dirname, '..');

rmSync(path.join(ROOT, 'dist'), { recursive: true, force: true });

await build({
  absWorkingDir: ROOT,
  entryPoints: ['src/main.ts', ...ENTRY_POINTS.map((name) => `src/${name}.ts`)],
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
  // Source maps are for crash reports (src/cli/crash-report.ts), which read them only after a crash, and for
  // debuggers of programs that use the library. They do not include the source text: names and lines are
  // enough.
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
});

cpSync(path.join(ROOT, 'src/lib/syscall-helper/program'), path.join(ROOT, 'dist/syscall-helper'), {
  recursive: true,
});

writeTypes(path.join(ROOT, 'dist'));
