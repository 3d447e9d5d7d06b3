/**
 * The last version of podkeep before containers had their own root, built from the history of this
 * checkout.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const ROOT = path.join(import.meta.dirname, '..', '..');
const COMMIT = 'd996207612c7';

/** Returns the file to run with Node; undefined: this checkout does not have that version. */
export async function buildOldPodkeep(): Promise<string | undefined> {
  const commit = findCommit();
  if (commit === undefined) return undefined;
  // In the checkout, so that the packages that are not bundled are found.
  const folder = path.join(ROOT, '.cache', 'old-podkeep');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const archive = execFileSync('git', ['archive', commit, 'src', 'package.json'], {
    cwd: ROOT,
    maxBuffer: 256 * 1024 * 1024,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  await build({
    absWorkingDir: folder,
    entryPoints: ['src/main.ts'],
    outdir: path.join(folder, 'dist'),
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    outExtension: { '.js': '.mjs' },
    logLevel: 'warning',
  });
  return path.join(folder, 'dist', 'main.mjs');
}

function findCommit(): string | undefined {
  try {
    const args = ['rev-parse', '--quiet', '--verify', `${COMMIT}^{commit}`];
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}
