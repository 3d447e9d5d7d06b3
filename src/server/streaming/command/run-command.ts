/**
 * Copies bytes between a client and a command until the command has ended, and reports how it ended.
 *
 *     stdin ──> command ──> stdout, stderr          sizes ──> terminal
 *                  └─ ends ──> the last output, then the status, then the end of the connection
 *
 * 1. The status is written last; no output follows it, and none is lost.
 * 2. Backpressure works in both directions: nothing is read that cannot be passed on.
 * 3. When the client disconnects, the command's signal is aborted, and the command is no longer awaited.
 */
import type { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { StreamRequest, Streams } from '../../../ports/runtime/streams.ts';
import type { CommandOptions } from '../stream-options.ts';
import { brokeWith, type CommandStatus } from './command-status.ts';
import type { CommandWire } from './command-wire.ts';
import { followSizes } from './terminal-sizes.ts';

export interface CommandRun {
  readonly options: CommandOptions;
  readonly start: (request: StreamRequest) => Promise<Streams>;
  /** Converts an exit code to a Status. */
  readonly statusOf: (exitCode: number) => CommandStatus;
  /** The prefix of the message if it fails, such as `error executing command in container`. */
  readonly doing: string;
}

/** Never rejects. */
export async function runCommand(wire: CommandWire, run: CommandRun): Promise<void> {
  const left = new Promise<null>((resolve) => {
    if (wire.gone.aborted) resolve(null);
    wire.gone.addEventListener('abort', () => resolve(null), { once: true });
  });
  const status = await Promise.race([left, perform(wire, run)]);
  if (status) await Promise.race([left, reportTo(wire, status)]);
  wire.close();
}

async function perform(wire: CommandWire, run: CommandRun): Promise<CommandStatus> {
  try {
    const streams = await run.start({ ...run.options, signal: wire.gone });
    feed(wire.stdin, streams.stdin);
    if (wire.sizes) followSizes(wire.sizes, ({ columns, rows }) => streams.resize(columns, rows));
    const outputs = [drain(streams.stdout, wire.stdout), drain(streams.stderr, wire.stderr)];
    const exitCode = await streams.ended;
    await Promise.all(outputs);
    return run.statusOf(exitCode);
  } catch (error) {
    return brokeWith(run.doing, error);
  }
}

/** Input that arrives after the command has stopped reading is dropped. */
function feed(source: Readable | null, target: Writable | null): void {
  if (!source) return;
  if (!target) return void source.resume();
  const stop = (): void => {
    source.unpipe(target);
    source.resume();
  };
  target.once('error', stop).once('close', stop);
  source.pipe(target);
  // A broken connection counts as the end of the input, too.
  source.once('close', () => target.end());
}

/** Resolves when all output has been passed on, or the target is closed. */
async function drain(source: Readable | null, target: Writable | null): Promise<void> {
  if (!source) {
    target?.end();
    return;
  }
  // Output that the client did not ask for is read and dropped, so that it does not block the command.
  if (!target) return void source.resume();
  const over = finished(source, { writable: false }).catch(() => {});
  target.once('close', () => source.unpipe(target).resume());
  source.pipe(target, { end: false });
  await over;
  target.end();
  await finished(target, { readable: false }).catch(() => {});
}

async function reportTo({ error, hasStatus }: CommandWire, status: CommandStatus): Promise<void> {
  if (hasStatus) error.end(JSON.stringify(status));
  else if (status.status === 'Failure') error.end(status.message);
  else error.end();
  await finished(error, { readable: false }).catch(() => {});
}
