/**
 * Runs the compiler to emit the types of the sources, and writes one file for each entry point into `folder`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ENTRY_POINTS } from './entry-points.ts';
import { rollUpTypes } from './roll-up.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

export function writeTypes(folder: string): void {
  const emitted = mkdtempSync(path.join(tmpdir(), 'podkeep-types-'));
  try {
    const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
    const tsc = path.join(path.dirname(typescript), 'bin', 'tsc');
    const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', emitted];
    execFileSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
    const entries = ENTRY_POINTS.map((name) => ({
      name,
      file: path.join(emitted, `${name}.d.ts`),
    }));
    const texts = rollUpTypes(entries, (file) => readFileSync(file, 'utf8'));
    for (const [name, text] of texts) writeFileSync(path.join(folder, `${name}.d.ts`), text);
  } finally {
    rmSync(emitted, { recursive: true, force: true });
  }
}
