/** The program as it ships, bundled from the sources as they are now: it starts as fast as people see it. */
import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const ROOT = path.join(import.meta.dirname, '..', '..');

/** Returns the file to run with Node. `name`: whoever calls has a folder of their own. */
export async function bundlePodkeep(name: string): Promise<string> {
  // In the checkout, so that the packages that are not bundled are found, and so is its version.
  const outdir = path.join(ROOT, '.cache', name);
  mkdirSync(outdir, { recursive: true });
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/main.ts'],
    outdir,
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    outExtension: { '.js': '.mjs' },
    logLevel: 'warning',
  });
  copySyscallHelper(outdir);
  return path.join(outdir, 'main.mjs');
}

/** The program of the syscall helper, beside a bundle as in the package. */
export function copySyscallHelper(folder: string): void {
  const program = path.join(ROOT, 'src/lib/syscall-helper/program');
  cpSync(program, path.join(folder, 'syscall-helper'), { recursive: true });
}
