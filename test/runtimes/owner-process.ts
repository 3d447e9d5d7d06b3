/** Starts the programs of this folder as separate podkeeps, to be killed. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { copySyscallHelper } from '../support/podkeep-bundle.ts';

export interface Owner {
  readonly child: ChildProcess;
  /** All output so far. */
  given(): string;
  readonly ended: Promise<void>;
}

/** Bundled, because a program starts ten times as fast that way. */
export function buildOwner(name: string): { readonly program: string; remove(): void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-keeper-'));
  const program = path.join(folder, 'keeper.mjs');
  buildSync({
    entryPoints: [path.join(import.meta.dirname, name)],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  copySyscallHelper(folder);
  return { program, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function startOwner(program: string, args: readonly string[]): Owner {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let given = '';
  child.stdout.on('data', (chunk) => (given += String(chunk)));
  const ended = new Promise<void>((resolve) => {
    child.on('close', () => resolve());
  });
  return { child, given: () => given, ended };
}
