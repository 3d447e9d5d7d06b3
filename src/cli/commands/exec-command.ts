/**
 * `podkeep exec`: runs a command inside a container, over one WebSocket (v5.channel.k8s.io).
 *
 *     first byte of each message   0 stdin   1 stdout   2 stderr   3 exit status   4 size   255 close
 *
 * podkeep exits with the exit code of the command. With a terminal every key is sent to the command, even
 * Ctrl-C.
 */
import type { RawData, WebSocket } from 'ws';
import { assert } from '../../lib/assert.ts';
import { defineError } from '../../lib/errors.ts';
import { isJsonObject } from '../../lib/json.ts';
import type { Io } from '../io.ts';
import { openSession, type SessionOptions } from './api-session.ts';
import { chooseContainer, pathOfPod } from './container-choice.ts';
import { objectsIn, textOf } from './kind-lookup.ts';
import { openWebSocket } from './websocket.ts';

export interface ExecOptions extends SessionOptions {
  readonly container?: string;
  readonly stdin: boolean;
  readonly tty: boolean;
}

const PROTOCOL = 'v5.channel.k8s.io';
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;
const SIZE = 4;
const CLOSE = 255;

const execFailed = defineError<{ reason: string }>({
  code: 'EXEC_FAILED',
  retry: 'never',
  message: ({ reason }) => reason,
  hint: () => 'Look at the pod with podkeep get pod, and at its log with podkeep logs.',
});

export async function execCommand(
  pod: string,
  command: readonly string[],
  options: ExecOptions,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const session = await openSession(options, io);
  try {
    const container = options.container ?? (await chooseContainer(session, pod, io, signal));
    const isWanted = options.tty && options.stdin;
    if (isWanted && !io.stdin.isTerminal) io.err('Unable to use a TTY - input is not a terminal\n');
    const tty = isWanted && io.stdin.isTerminal;
    const query = queryOf(container, command, options.stdin, tty);
    const target = `${pathOfPod(session, pod)}/exec?${query}`;
    const { access } = session;
    const { env } = io;
    const streams: ExecStream[] = [];
    const prepare = (socket: WebSocket): void => void streams.push(new ExecStream(socket, io));
    await openWebSocket({ access, target, protocol: PROTOCOL, env, prepare }, signal);
    const [stream] = streams;
    assert(stream !== undefined, 'an open WebSocket was prepared');
    return await stream.run(options.stdin, tty, signal);
  } finally {
    await session.close();
  }
}

function queryOf(container: string, command: readonly string[], stdin: boolean, tty: boolean) {
  const query = new URLSearchParams({ container, stdout: 'true' });
  if (stdin) query.set('stdin', 'true');
  // A terminal has one stream for stdout and stderr.
  query.set(tty ? 'tty' : 'stderr', 'true');
  for (const word of command) query.append('command', word);
  return query.toString();
}

class ExecStream {
  readonly #socket: WebSocket;
  readonly #io: Io;
  #status = '';
  /** Resolves when all output so far is written; later output is written after it. */
  #written: Promise<void> = Promise.resolve();

  constructor(socket: WebSocket, io: Io) {
    this.#socket = socket;
    this.#io = io;
    // Subscribe immediately: the first output may arrive together with the answer to the request.
    socket.on('message', (data) => this.#receive(bytesOf(data)));
  }

  async run(hasInput: boolean, tty: boolean, signal: AbortSignal): Promise<number> {
    const { stdin } = this.#io;
    const closed = this.#closed(signal);
    const leaves: (() => void)[] = [];
    if (tty) {
      stdin.setRaw(true);
      leaves.push(
        () => stdin.setRaw(false),
        stdin.onResize(() => this.#sendSize()),
      );
      this.#sendSize();
    }
    if (hasInput) leaves.push(stdin.read(async (chunk) => this.#sendInput(chunk)));
    try {
      await closed;
      await this.#written;
      return this.#conclude();
    } finally {
      for (const leave of leaves.toReversed()) leave();
    }
  }

  #closed(signal: AbortSignal): Promise<void> {
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        socket.terminate();
        reject(signal.reason);
      };
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      socket.once('close', () => {
        signal.removeEventListener('abort', abort);
        resolve();
      });
      socket.on('error', (error) => {
        reject(execFailed({ reason: `the connection broke: ${error.message}` }, error));
      });
    });
  }

  #receive(message: Buffer): void {
    const [channel] = message;
    const bytes = message.subarray(1);
    if (channel === STATUS) this.#status += bytes.toString();
    if ((channel !== STDOUT && channel !== STDERR) || bytes.length === 0) return;
    // Backpressure: no more is read while the reader of podkeep's output is slow.
    this.#socket.pause();
    this.#written = this.#written
      .then(() => this.#io.write(channel === STDOUT ? 'out' : 'err', bytes))
      .finally(() => this.#socket.resume());
  }

  /** Null: the input has ended. */
  #sendInput(chunk: Uint8Array | null): Promise<void> {
    return this.#send(chunk ? [Buffer.of(STDIN), chunk] : [Buffer.of(CLOSE, STDIN)]);
  }

  #sendSize(): void {
    const size = this.#io.stdin.size();
    if (!size) return;
    const text = JSON.stringify({ Width: size.columns, Height: size.rows });
    this.#send([Buffer.of(SIZE), Buffer.from(text)]).catch(() => {}); // it has ended already
  }

  #send(parts: readonly Uint8Array[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.send(Buffer.concat(parts), (error) => (error ? reject(error) : resolve()));
    });
  }

  #conclude(): number {
    if (this.#status === '')
      throw execFailed({ reason: 'the connection ended before the command' });
    const status: unknown = JSON.parse(this.#status);
    const { status: word, message, details } = isJsonObject(status) ? status : {};
    if (word === 'Success') return 0;
    const causes = isJsonObject(details) ? objectsIn(details['causes']) : [];
    const exit = causes.find(({ reason }) => reason === 'ExitCode');
    const code = Number(textOf(exit?.['message']));
    if (!exit || !Number.isInteger(code) || code === 0) {
      throw execFailed({ reason: textOf(message) || 'the command could not be run' });
    }
    this.#io.err(`command terminated with exit code ${code}\n`);
    return code;
  }
}

function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
