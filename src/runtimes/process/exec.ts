/** The two ways of running a command in a container: to its end, and with streams. */
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Clock } from '../../ports/clock.ts';
import type {
  ExecRequest,
  ExecResult,
  StreamRequest,
  Streams,
} from '../../ports/runtime/streams.ts';
import type { Container } from './container.ts';
import { endEntry, enter, exitCodeOf } from './entering.ts';
import { execTimedOut } from './errors.ts';
import type { Machine } from './machine.ts';
import { windowOf } from './terminal.ts';

/** More than any probe or hook has to say; what comes after it is read and dropped. */
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

export async function execToEnd(
  container: Container,
  machine: Machine,
  clock: Clock,
  { command, timeoutSeconds }: ExecRequest,
  signal: AbortSignal,
): Promise<ExecResult> {
  signal.throwIfAborted();
  const child = enter({ container, machine, command, stdin: false, tty: false });
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  let isTimedOut = false;
  const cancel =
    timeoutSeconds > 0
      ? clock.after(timeoutSeconds * 1000, () => {
          isTimedOut = true;
          endEntry(child);
        })
      : () => undefined;
  const abort = (): void => endEntry(child);
  signal.addEventListener('abort', abort);
  try {
    const exitCode = await closeOf(child);
    signal.throwIfAborted();
    if (isTimedOut) throw execTimedOut({ command: command.join(' '), seconds: timeoutSeconds });
    return { stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr), exitCode };
  } finally {
    cancel();
    signal.removeEventListener('abort', abort);
  }
}

export function execWithStreams(
  container: Container,
  machine: Machine,
  clock: Clock,
  command: readonly string[],
  request: StreamRequest,
): Streams {
  request.signal.throwIfAborted();
  const { stdin, stdout, stderr, tty, signal } = request;
  const child = enter({ container, machine, command, stdin, tty });
  const abort = (): void => endEntry(child);
  signal.addEventListener('abort', abort);
  let isOver = false;
  const ended = closeOf(child).finally(() => {
    isOver = true;
    signal.removeEventListener('abort', abort);
  });
  // Whoever asked may have left before it ended.
  ended.catch(() => undefined);
  child.stdin?.on('error', () => undefined);
  // With a terminal, what was said on the way to it is not for whoever asked.
  if (!stdout) child.stdout?.resume();
  if (!stderr || tty) child.stderr?.resume();
  return {
    stdin: stdin ? child.stdin : null,
    stdout: stdout ? child.stdout : null,
    stderr: stderr && !tty ? child.stderr : null,
    ended,
    resize:
      tty && child.pid !== undefined
        ? windowOf({ machine, clock, pid: child.pid, isOver: () => isOver })
        : () => undefined,
  };
}

function closeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(exitCodeOf(code, signal)));
  });
}

function collect(stream: Readable | null): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let size = 0;
  stream?.on('data', (chunk: Uint8Array) => {
    if (size < OUTPUT_BYTES_MAX) chunks.push(chunk.subarray(0, OUTPUT_BYTES_MAX - size));
    size += chunk.length;
  });
  return chunks;
}
