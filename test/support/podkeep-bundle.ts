/** The program as it ships, bundled from the current sources: it starts as fast as for users. */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const ROOT = path.join(import.meta.dirname, '..', '..');

/** Returns the file to run with Node. Callers of the same name share a folder, even from several processes. */
export async function bundlePodkeep(name: string): Promise<string> {
  // In the checkout, so that the packages that are not bundled are found, and so is its version.
  const outdir = path.join(ROOT, '.cache', name);
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/main.ts'],
    outdir,
    write: false,
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    outExtension: { '.js': '.mjs' },
    logLevel: 'warning',
  });
  for (const { path: file, contents } of outputFiles) replaceFile(file, contents);
  copySyscallHelper(outdir);
  return path.join(outdir, 'main.mjs');
}

/** The program of the syscall helper, beside a bundle as in the package. */
export function copySyscallHelper(folder: string): void {
  const program = path.join(ROOT, 'src/lib/syscall-helper/program');
  for (const name of readdirSync(program)) {
    const content = readFileSync(path.join(program, name));
    replaceFile(path.join(folder, 'syscall-helper', name), content);
  }
}

/** In one step: a program that another test started may be reading the file. */
function replaceFile(file: string, content: Uint8Array): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, content);
  renameSync(unfinished, file);
}
