/**
 * Parses the query of a /containerLogs request as Kubernetes' kubelet does. Refusals are short JSON texts, as
 * in Kubernetes' kubelet: the API server validates the same query and reports more.
 */
import { parseTime } from '../../api/values/time.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { LogOptions } from '../../kubelet/logs/log-options.ts';

export interface LogQuery {
  readonly previous: boolean;
  readonly options: LogOptions;
}

export interface LogRefusal {
  readonly status: number;
  readonly message: string;
}

const STREAMS: ReadonlySet<string> = new Set(['All', 'Stdout', 'Stderr']);
const UNREADABLE: LogRefusal = { status: 400, message: '{"message": "Unable to decode query."}' };
const INVALID: LogRefusal = { status: 422, message: '{"message": "Invalid request."}' };

export function readLogQuery(query: URLSearchParams, nowMs: number): LogQuery | LogRefusal {
  const read = decode(query);
  if (!read) return UNREADABLE;
  const { tailLines, limitBytes, sinceSeconds, sinceTime, stream, ...flags } = read;
  const isInvalid =
    (tailLines !== null && tailLines < 0) ||
    (limitBytes !== null && limitBytes < 1) ||
    (sinceSeconds !== null && (sinceSeconds < 1 || sinceTime !== null)) ||
    (stream !== null && !STREAMS.has(stream)) ||
    (stream !== null && stream !== 'All' && tailLines !== null);
  if (isInvalid) return INVALID;
  if (stream !== null && stream !== 'All') return streamRefused(stream);
  const sinceStart = sinceSeconds === null ? null : { ms: nowMs - sinceSeconds * 1000, nanos: 0 };
  const { follow, timestamps, previous } = flags;
  const since = sinceTime ?? sinceStart;
  return { previous, options: { follow, timestamps, tailLines, since, limitBytes } };
}

/** Null: a parameter cannot be parsed. */
function decode(query: URLSearchParams) {
  try {
    return {
      follow: readFlag(query, 'follow'),
      previous: readFlag(query, 'previous'),
      timestamps: readFlag(query, 'timestamps'),
      tailLines: readTail(query),
      limitBytes: readInteger(query.get('limitBytes')),
      sinceSeconds: readInteger(query.get('sinceSeconds')),
      sinceTime: readSinceTime(query.get('sinceTime')),
      stream: query.get('stream'),
    };
  } catch (error) {
    if (error instanceof PodkeepError || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** True for every value that is present, except false and 0. */
function readFlag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

/** `tail` is the old name of `tailLines`. */
function readTail(query: URLSearchParams): number | null {
  const old = query.get('tail');
  if (old === null || old === '') return readInteger(query.get('tailLines'));
  return old === 'all' ? null : readInteger(old);
}

function readInteger(text: string | null): number | null {
  if (text === null) return null;
  if (!/^[+-]?\d{1,18}$/.test(text)) throw new SyntaxError(text);
  return Number(text);
}

function readSinceTime(text: string | null) {
  return text === null || text === '' || text === 'null' ? null : parseTime(text);
}

function streamRefused(stream: string): LogRefusal {
  const advice = 'Please enable PodLogsQuerySplitStreams feature gate in kubelet';
  const message = `unable to return the given log stream: ${JSON.stringify(stream)}. ${advice}`;
  return { status: 400, message };
}
