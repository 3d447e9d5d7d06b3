/**
 * Runs one program to its end: an argument list and no shell, a small environment, bounded output, and its whole
 * process group is killed when the signal is aborted or when the program has ended.
 */
import { spawn } from 'node:child_process';

export interface CommandResult {
  /** Null: a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** What it wrote to standard output and error, as far as it is kept. */
  readonly output: string;
}

export type RunCommand = (
  args: readonly string[],
  input: string,
  signal: AbortSignal,
) => Promise<CommandResult>;

const OUTPUT_BYTES_MAX = 4096;
/** Nothing of podkeep's own environment: it may have credentials. */
const ENV = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C' };

/** Rejects with the signal's reason, and if the program cannot be started. */
export const runBoundedCommand: RunCommand = ([program = '', ...args], input, signal) =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // A process group of its own, so that what the program started ends with it.
    const child = spawn(program, args, {
      cwd: '/',
      env: ENV,
      shell: false,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const chunks: Buffer[] = [];
    let size = 0;
    const collect = (chunk: Buffer): void => {
      // Read on, and forget: a full pipe would block the program.
      if (size < OUTPUT_BYTES_MAX) chunks.push(chunk.subarray(0, OUTPUT_BYTES_MAX - size));
      size += chunk.length;
    };
    const killGroup = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // No process of the group is left.
      }
    };
    const abandon = (): void => {
      killGroup();
      // A process that left the group may hold the pipes open.
      for (const stream of child.stdio) stream?.destroy();
    };
    signal.addEventListener('abort', abandon, { once: true });
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    // A program need not read its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.on('error', reject);
    // What the program started and left behind ends with it, and the pipes close.
    child.on('exit', killGroup);
    child.on('close', (exitCode, ending) => {
      signal.removeEventListener('abort', abandon);
      if (signal.aborted) reject(signal.reason);
      else resolve({ exitCode, signal: ending, output: Buffer.concat(chunks).toString() });
    });
  });
