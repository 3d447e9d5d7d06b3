/**
 * Reads the sizes of a client's terminal from a stream of small JSON objects.
 *
 * Like Kubernetes' kubelet, podkeep ignores everything after the first invalid message. It keeps reading,
 * because an unread stream would block the other streams of the connection.
 */
import type { Readable } from 'node:stream';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

const SIDE_MAX = 65_535;
/** Long enough for `{"Width":65535,"Height":65535}`. */
const TEXT_MAX = 1024;

export function followSizes(stream: Readable, resize: (size: TerminalSize) => void): void {
  let text = '';
  let isOver = false;
  stream.on('data', (chunk: Buffer) => {
    if (isOver) return;
    text += chunk.toString('latin1');
    for (let end = text.indexOf('}'); end !== -1 && !isOver; end = text.indexOf('}')) {
      const size = readSize(text.slice(0, end + 1));
      text = text.slice(end + 1);
      if (size) resize(size);
      else isOver = true;
    }
    if (text.length > TEXT_MAX) isOver = true;
  });
}

/** Null: the text is not a size. */
export function readSize(text: string): TerminalSize | null {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null) return null;
    const entries: [string, unknown][] = Object.entries(parsed);
    const sides = new Map(entries.map(([name, value]) => [name.toLowerCase(), value]));
    const columns = sides.get('width') ?? 0;
    const rows = sides.get('height') ?? 0;
    return isSide(columns) && isSide(rows) ? { columns, rows } : null;
  } catch {
    return null;
  }
}

function isSide(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= SIDE_MAX;
}
