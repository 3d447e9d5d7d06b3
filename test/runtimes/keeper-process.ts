/** Starts the programs of this folder as podkeeps of their own, to be killed. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { copySyscallHelper } from '../support/podkeep-bundle.ts';

export interface Keeper {
  readonly child: ChildProcess;
  /** All that it has said so far. */
  said(): string;
  readonly ended: Promise<void>;
}

/** Bundled, because a program starts ten times as fast that way. */
export function buildKeeper(name: string): { readonly program: string; remove(): void } {
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

export function startKeeper(program: string, args: readonly string[]): Keeper {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk) => (said += String(chunk)));
  const ended = new Promise<void>((resolve) => {
    child.on('close', () => resolve());
  });
  return { child, said: () => said, ended };
}
