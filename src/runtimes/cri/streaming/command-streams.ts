/**
 * A command inside a container, or an attachment, by the runtime's streams.
 *
 *     error    how it ended, as the very last word        resize    sizes of the terminal
 *     stdin    what it hears                              stdout, stderr    what it says
 */
import { text } from 'node:stream/consumers';
import type { SpdySession } from '../../../lib/spdy/spdy-session.ts';
import type { SpdyStream } from '../../../lib/spdy/spdy-stream.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { StreamRequest, Streams } from '../../../ports/runtime/streams.ts';
import { streamBroke, streamingFailed } from '../errors.ts';
import { openStreaming } from './upgrade.ts';

export interface CommandStreamsOptions {
  readonly url: string;
  /** For messages to people: exec or attach. */
  readonly what: string;
  readonly request: StreamRequest;
  readonly clock: Clock;
}

const PROTOCOL = 'v4.channel.k8s.io';
/** Our own server begins with the same words, which are then not said twice. */
const PREAMBLE =
  /^Internal error occurred: error (?:executing command in|attaching to) container: /;

export async function openCommandStreams(options: CommandStreamsOptions): Promise<Streams> {
  const { url, what, request, clock } = options;
  const { signal } = request;
  const session = await openStreaming({ url, what, protocol: PROTOCOL, clock, signal });
  const open = (type: string): SpdyStream => session.open(new Map([['streamtype', type]]));
  const hear = (isWanted: boolean, type: string): SpdyStream | null => {
    if (!isWanted) return null;
    const stream = open(type);
    stream.end(); // it only speaks
    return stream;
  };
  const error = open('error');
  error.end();
  const stdin = request.stdin ? open('stdin') : null;
  stdin?.resume();
  const stdout = hear(request.stdout, 'stdout');
  // A terminal has one output.
  const stderr = hear(request.stderr && !request.tty, 'stderr');
  const resize = request.tty ? open('resize') : null;
  resize?.resume();
  const ended = endOf(session, error, what, signal);
  // Whoever waits for it is told; nobody has to.
  ended.catch(() => {});
  return {
    stdin,
    stdout,
    stderr,
    ended,
    resize: (columns, rows) => {
      resize?.write(`${JSON.stringify({ Width: columns, Height: rows })}\n`);
    },
  };
}

async function endOf(
  session: SpdySession,
  error: SpdyStream,
  what: string,
  signal: AbortSignal,
): Promise<number> {
  try {
    const said = await text(error);
    signal.throwIfAborted();
    return exitCodeOf(said, what);
  } finally {
    session.close();
  }
}

/** Throws if the runtime says that the command did not run, or says nothing at all. */
function exitCodeOf(said: string, what: string): number {
  if (said === '') throw streamingFailed({ what, reason: 'the connection ended before it' });
  const status = parsed(said);
  if (status.status === 'Success') return 0;
  const cause = status.details?.causes?.find(({ reason }) => reason === 'ExitCode');
  const code = Number(cause?.message);
  if (cause && Number.isInteger(code)) return code;
  throw streamBroke({ reason: (status.message ?? said).replace(PREAMBLE, '') });
}

interface Status {
  readonly status?: string;
  readonly message?: string;
  readonly details?: {
    readonly causes?: readonly { readonly reason?: string; readonly message?: string }[];
  };
}

function parsed(said: string): Status {
  try {
    const value: unknown = JSON.parse(said);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
