/**
 * Converts a container's output to log lines in CRI format:
 *
 *     2030-01-02T03:04:05.678000000Z stdout F a whole line
 *     2030-01-02T03:04:05.679000000Z stderr P the beginning of one that goes on
 *
 * A line longer than 16 KiB is cut into parts, all but the last of them marked `P`. A last line without a
 * newline is marked `P` as well.
 *
 * Bytes in, bytes out: output need not be UTF-8, and a character may be cut in two.
 */

export type StreamName = 'stdout' | 'stderr';

/** The log lines of a chunk of output. */
export interface CutLines {
  /** Log lines, ready to be appended. */
  readonly log: Uint8Array;
  /** The bytes of the input that they cover. The rest is the beginning of an unfinished line. */
  readonly consumed: number;
}

export const LINE_BYTES_MAX = 16 * 1024;
const NEWLINE = 0x0a;

/**
 * `isLast`: no output follows, so an unfinished line is included. Otherwise it is left for the next chunk,
 * unless it is longer than the limit.
 */
export function cutLines(
  chunk: Uint8Array,
  stream: StreamName,
  time: string,
  isLast: boolean,
): CutLines {
  const parts: Uint8Array[] = [];
  const [part, full] = ['P', 'F'].map((tag) => Buffer.from(`${time} ${stream} ${tag} `));
  const add = (tag: Uint8Array | undefined, from: number, to: number): void => {
    if (tag) parts.push(tag, chunk.subarray(from, to), END);
  };
  let at = 0;
  while (at < chunk.length) {
    const newline = chunk.indexOf(NEWLINE, at);
    const end = newline < 0 ? chunk.length : newline;
    if (end - at > LINE_BYTES_MAX) {
      add(part, at, at + LINE_BYTES_MAX);
      at += LINE_BYTES_MAX;
    } else if (newline >= 0) {
      add(full, at, newline);
      at = newline + 1;
    } else {
      if (!isLast) break;
      add(part, at, end);
      at = end;
    }
  }
  return { log: Buffer.concat(parts), consumed: at };
}

const END = Uint8Array.of(NEWLINE);

/** Nine digits, as readers of CRI logs expect. */
export function formatLogTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000000Z');
}
