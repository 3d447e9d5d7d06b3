/**
 * Removes scripts and development dependencies from package.json while npm packs it, so that no script of
 * podkeep can run where the package is installed. The checkout keeps `prepare`, with which `npm ci` builds.
 *
 * npm packs the file on disk, so `prepack` strips the manifest and `postpack` restores it. After an
 * interrupted packing, the next one restores it.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');
const MANIFEST = path.join(ROOT, 'package.json');
const ORIGINAL = path.join(ROOT, 'node_modules', '.podkeep-package.json');
/** Fields that only the checkout needs. */
const LEFT_OUT: ReadonlySet<string> = new Set(['scripts', 'devDependencies', 'overrides']);

restore();
if (process.argv[2] === 'strip') strip();

function strip(): void {
  const text = readFileSync(MANIFEST, 'utf8');
  writeFileSync(ORIGINAL, text);
  const fields = Object.entries(JSON.parse(text)).filter(([name]) => !LEFT_OUT.has(name));
  writeFileSync(MANIFEST, `${JSON.stringify(Object.fromEntries(fields), null, 2)}\n`);
}

function restore(): void {
  if (existsSync(ORIGINAL)) renameSync(ORIGINAL, MANIFEST);
}
