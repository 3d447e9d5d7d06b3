/**
 * Parses one line of a log in the CRI format, without copying its bytes:
 *
 *     2026-01-02T03:04:05.000000006Z stdout F a whole line
 *     2026-01-02T03:04:05.000000007Z stderr P the beginning of one that goes on
 *
 * The first tag may be followed by others, after colons; they are ignored.
 */
import { parseTime, type Instant } from '../../api/values/time.ts';
import { PodkeepError } from '../../lib/errors.ts';

export interface LogLine {
  readonly timeText: string;
  readonly time: Instant;
  readonly stream: 'stdout' | 'stderr';
  /** The content. It ends with a newline, unless the line continues in the next entry. */
  readonly content: Uint8Array;
}

export const NEW_LINE = 10;
const SPACE = 32;
const PARTIAL = 80; // P
const COLON = 58;

/** Null: this is no line of a log. `bytes` includes the newline, if there is one. */
export function parseLogLine(bytes: Uint8Array): LogLine | null {
  const afterTime = bytes.indexOf(SPACE);
  const afterStream = bytes.indexOf(SPACE, afterTime + 1);
  const afterTags = bytes.indexOf(SPACE, afterStream + 1);
  if (afterTime < 0 || afterStream < 0 || afterTags < 0) return null;
  const stream = textOf(bytes.subarray(afterTime + 1, afterStream));
  if (stream !== 'stdout' && stream !== 'stderr') return null;
  const timeText = textOf(bytes.subarray(0, afterTime));
  const time = readTime(timeText);
  if (!time) return null;
  const tagEnd = bytes[afterStream + 2];
  const isPartial = bytes[afterStream + 1] === PARTIAL && (tagEnd === SPACE || tagEnd === COLON);
  const end = isPartial && bytes.at(-1) === NEW_LINE ? bytes.length - 1 : bytes.length;
  return { timeText, time, stream, content: bytes.subarray(afterTags + 1, end) };
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

function readTime(text: string): Instant | null {
  try {
    return parseTime(text);
  } catch (error) {
    if (error instanceof PodkeepError) return null;
    throw error;
  }
}
