/**
 * Runs one program to its end, without a shell, with a minimal environment and bounded output. Its whole
 * process group is killed when the signal is aborted or the program has ended.
 */
import { spawn } from 'node:child_process';

export interface CommandResult {
  /** Null: a signal ended the program. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The beginning of its stdout and stderr. */
  readonly output: string;
}

export type RunCommand = (
  args: readonly string[],
  input: string,
  signal: AbortSignal,
) => Promise<CommandResult>;

const OUTPUT_BYTES_MAX = 4096;
/** Nothing from podkeep's own environment, which may hold credentials. */
const ENV = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C' };

/** Rejects with the signal's reason if it is aborted, or with an error if the program cannot be started. */
export const runBoundedCommand: RunCommand = ([program = '', ...args], input, signal) =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // Its own process group, so that processes that the program started end with it.
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
      // Output beyond the limit is read and dropped, because a full pipe would block the program.
      if (size < OUTPUT_BYTES_MAX) chunks.push(chunk.subarray(0, OUTPUT_BYTES_MAX - size));
      size += chunk.length;
    };
    const killGroup = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The group has no processes left.
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
    // The program may end without reading its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.on('error', reject);
    // Kills processes that the program left behind, so that the pipes close.
    child.on('exit', killGroup);
    child.on('close', (exitCode, ending) => {
      signal.removeEventListener('abort', abandon);
      if (signal.aborted) reject(signal.reason);
      else resolve({ exitCode, signal: ending, output: Buffer.concat(chunks).toString() });
    });
  });
