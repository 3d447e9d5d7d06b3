/**
 * Opens the streams of exec and attach over SPDY: the client opens one stream for each of stdin, stdout,
 * stderr and resize that it asked for, and one for errors. The command starts when all are open.
 */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../ports/clock.ts';
import { SpdySession } from '../../../lib/spdy/spdy-session.ts';
import type { SpdyStream } from '../../../lib/spdy/spdy-stream.ts';
import type { CommandOptions } from '../stream-options.ts';
import type { CommandWire } from './command-wire.ts';

export interface SpdyCommandOptions {
  readonly clock: Clock;
  readonly idleMs: number;
  /** How long the client may take to open its streams. */
  readonly creationMs: number;
}

/** Null: the client did not open the streams in time, or has disconnected. */
export async function openSpdyCommand(
  socket: Duplex,
  protocol: string,
  options: CommandOptions,
  { clock, idleMs, creationMs }: SpdyCommandOptions,
): Promise<CommandWire | null> {
  const canResize = protocol.startsWith('v4.') || protocol.startsWith('v3.');
  const wanted = wantedStreams(options, canResize);
  const streams = new Map<string, SpdyStream>();
  let isComplete = (): void => {};
  const session = new SpdySession({
    socket,
    clock,
    idleMs,
    accept: (stream) => {
      const type = stream.headers.get('streamtype') ?? '';
      if (!wanted.has(type) || streams.has(type)) return false;
      streams.set(type, stream);
      if (streams.size === wanted.size) isComplete();
      return true;
    },
  });
  const isInTime = await new Promise<boolean>((resolve) => {
    const cancel = clock.after(creationMs, () => resolve(false));
    isComplete = () => {
      cancel();
      resolve(true);
    };
    const leave = (): void => {
      cancel();
      resolve(false);
    };
    session.gone.addEventListener('abort', leave, { once: true });
    if (session.gone.aborted) leave();
  });
  const error = streams.get('error');
  if (isInTime && error) return wireOf(session, streams, error, protocol.startsWith('v4.'));
  session.close();
  return null;
}

function wantedStreams(options: CommandOptions, canResize: boolean): ReadonlySet<string> {
  const { stdin, stdout, stderr, tty } = options;
  const all = [
    ['error', true],
    ['stdin', stdin],
    ['stdout', stdout],
    ['stderr', stderr],
    ['resize', tty && canResize],
  ] as const;
  return new Set(all.flatMap(([type, isWanted]) => (isWanted ? [type] : [])));
}

function wireOf(
  session: SpdySession,
  streams: ReadonlyMap<string, SpdyStream>,
  error: SpdyStream,
  hasStatus: boolean,
): CommandWire {
  const stdout = streams.get('stdout') ?? null;
  const stderr = streams.get('stderr') ?? null;
  // Data that a client sends on these streams is dropped: unread data would block the whole connection.
  for (const stream of [error, stdout, stderr]) stream?.resume();
  const stdin = streams.get('stdin') ?? null;
  const sizes = streams.get('resize') ?? null;
  return {
    stdin,
    stdout,
    stderr,
    sizes,
    error,
    hasStatus,
    gone: session.gone,
    close: () => session.close(),
  };
}
