/** Starts the programs of this folder as processes. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import path from 'node:path';
import type { Readable } from 'node:stream';

export type Child = ChildProcessByStdio<null, Readable, Readable>;

const ROOT = path.join(import.meta.dirname, '../..');

/** `wrapper` is a command that runs the program, such as strace with its options. */
export function startProgram(
  name: string,
  args: readonly string[],
  wrapper: readonly string[] = [],
): Child {
  const program = path.join(import.meta.dirname, name);
  const [command, ...rest] = [...wrapper, process.execPath, '--import', 'tsx', program];
  // One thread for LMDB, so that calls can be counted; other tests are not affected.
  const env = { ...process.env, UV_THREADPOOL_SIZE: '1' };
  return spawn(command, [...rest, ...args], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}

/** Its whole output, once it has ended and all of that has arrived. */
export function endOf(child: Child): Promise<Ended> {
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, out, err }));
  });
}
