/**
 * The manifest that is packed has no scripts, so that nothing of ours can run where the package is installed;
 * the one of the checkout keeps `prepare`, by which `npm ci` builds.
 *
 * npm packs what is on the disk, so `prepack` strips the manifest and `postpack` restores it. A packing that
 * was interrupted is restored by the next one.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');
const MANIFEST = path.join(ROOT, 'package.json');
const ORIGINAL = path.join(ROOT, 'node_modules', '.podkeep-package.json');
/** What concerns the checkout alone. */
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
