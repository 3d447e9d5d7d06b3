/**
 * Runs a command in a container: ExecSync for probes and lifecycle hooks, which collects the output, and exec
 * with streams for clients.
 */
import type { Readable } from 'node:stream';
import { offAbort, onAbort } from '../../../lib/abort-listeners.ts';
import type { RunningExec } from '../../../lib/syscall-helper/exec-pipes.ts';
import type { Clock } from '../../../ports/clock.ts';
import type {
  ExecRequest,
  ExecResult,
  StreamRequest,
  Streams,
} from '../../../ports/runtime/streams.ts';
import { execTimedOut } from '../errors.ts';

export interface CommandRequest {
  readonly command: readonly string[];
  readonly stdin: boolean;
  readonly tty: boolean;
}

export type StartExec = (request: CommandRequest) => Promise<RunningExec>;

/** More than any probe or hook writes. Output beyond it is read and dropped. */
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

export async function execToEnd(
  start: StartExec,
  clock: Clock,
  { command, timeoutSeconds }: ExecRequest,
  signal: AbortSignal,
): Promise<ExecResult> {
  signal.throwIfAborted();
  let isTimedOut = false;
  let run: RunningExec | undefined;
  const kill = (): void => {
    run?.kill();
    // Background processes of the command may hold its streams open.
    run?.stdout.destroy();
    run?.stderr.destroy();
  };
  const cancel =
    timeoutSeconds > 0
      ? clock.after(timeoutSeconds * 1000, () => {
          isTimedOut = true;
          kill();
        })
      : () => undefined;
  onAbort(signal, kill);
  try {
    run = await start({ command, stdin: false, tty: false });
    run.stdin.destroy();
    const [stdout, stderr] = [collect(run.stdout), collect(run.stderr)];
    if (isTimedOut || signal.aborted) kill();
    const exitCode = await endOf(run);
    signal.throwIfAborted();
    if (isTimedOut) throw execTimedOut({ command: command.join(' '), seconds: timeoutSeconds });
    return { stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr), exitCode };
  } finally {
    cancel();
    offAbort(signal, kill);
  }
}

export async function execWithStreams(
  start: StartExec,
  command: readonly string[],
  request: StreamRequest,
): Promise<Streams> {
  request.signal.throwIfAborted();
  const { stdin, stdout, stderr, tty, signal } = request;
  const run = await start({ command, stdin, tty });
  const kill = (): void => run.kill();
  onAbort(signal, kill);
  if (signal.aborted) kill();
  const ended = endOf(run).finally(() => offAbort(signal, kill));
  // The client may have left already; without this the rejection would be unhandled.
  ended.catch(() => undefined);
  if (!stdin) run.stdin.destroy();
  if (!stdout) run.stdout.resume();
  if (!stderr || tty) run.stderr.resume();
  return {
    stdin: stdin ? run.stdin : null,
    stdout: stdout ? run.stdout : null,
    stderr: stderr && !tty ? run.stderr : null,
    ended,
    resize: (columns, rows) => {
      if (tty) run.resize(columns, rows);
    },
  };
}

/** Resolves when the command has exited and its streams are closed. */
async function endOf(run: RunningExec): Promise<number> {
  const closed = [run.stdout, run.stderr].map(closeOf);
  const code = await run.exited;
  await Promise.all(closed);
  return code;
}

function closeOf(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed) resolve();
    else stream.once('close', resolve);
  });
}

function collect(stream: Readable): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let size = 0;
  stream.on('data', (chunk: Uint8Array) => {
    if (size < OUTPUT_BYTES_MAX) chunks.push(chunk.subarray(0, OUTPUT_BYTES_MAX - size));
    size += chunk.length;
  });
  return chunks;
}
