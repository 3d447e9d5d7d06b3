/**
 * Opens the streams of an exec or attach at the runtime's streaming URL.
 *
 *     error    the exit status, always last       resize            sizes of the terminal
 *     stdin    the command's input                stdout, stderr    the command's output
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
  /** For error messages: exec or attach. */
  readonly what: string;
  readonly request: StreamRequest;
  readonly clock: Clock;
}

const PROTOCOL = 'v4.channel.k8s.io';
/** podkeep's own streaming server adds the same prefix, so the runtime's is removed. */
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
    stream.end(); // write-only
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
  // Callers may ignore `ended`; without this its rejection would be unhandled.
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
    const given = await text(error);
    signal.throwIfAborted();
    return exitCodeOf(given, what);
  } finally {
    session.close();
  }
}

/** Throws if the runtime reports that the command did not run, or reports nothing. */
function exitCodeOf(given: string, what: string): number {
  if (given === '')
    throw streamingFailed({ what, reason: 'the connection ended before the command' });
  const status = parsed(given);
  if (status.status === 'Success') return 0;
  const cause = status.details?.causes?.find(({ reason }) => reason === 'ExitCode');
  const code = Number(cause?.message);
  if (cause && Number.isInteger(code)) return code;
  throw streamBroke({ reason: (status.message ?? given).replace(PREAMBLE, '') });
}

interface Status {
  readonly status?: string;
  readonly message?: string;
  readonly details?: {
    readonly causes?: readonly { readonly reason?: string; readonly message?: string }[];
  };
}

function parsed(given: string): Status {
  try {
    const value: unknown = JSON.parse(given);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
