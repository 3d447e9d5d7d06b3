/**
 * Writes tar archives, including malformed ones: every field can be anything.
 *
 * It shares no code with the parser that podkeep uses, so that each reveals the other's mistakes.
 */
export interface TarEntry {
  readonly name: string | Uint8Array;
  /** The type flag of the header; `0`: a file. */
  readonly type?: keyof typeof FLAGS;
  readonly content?: string | Uint8Array;
  readonly target?: string;
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
  readonly mtimeSeconds?: number;
  /** The size in the header, whatever the content has. */
  readonly declaredBytes?: number;
  readonly pax?: Readonly<Record<string, string>>;
}

const FLAGS = {
  file: '0',
  hardLink: '1',
  symlink: '2',
  characterDevice: '3',
  blockDevice: '4',
  folder: '5',
  fifo: '6',
  pax: 'x',
  longName: 'L',
  longTarget: 'K',
} as const;
const BLOCK = 512;
const NAME_MAX = 100;
const OCTAL_MAX = 0o77777777777;

/** A whole archive, with its end. */
export function tarOf(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.map(entryOf), Buffer.alloc(2 * BLOCK)]);
}

function entryOf(entry: TarEntry): Buffer {
  const content = Buffer.from(entry.content ?? '');
  const name = Buffer.from(entry.name);
  const target = Buffer.from(entry.target ?? '');
  const parts: Buffer[] = [];
  if (name.length > NAME_MAX) parts.push(record('longName', name));
  if (target.length > NAME_MAX) parts.push(record('longTarget', target));
  if (entry.pax) parts.push(record('pax', paxOf(entry.pax)));
  const { type = 'file', mode = type === 'folder' ? 0o755 : 0o644, declaredBytes } = entry;
  const size = declaredBytes ?? content.length;
  parts.push(headerOf({ ...entry, type, mode, name, target, size }), padded(content));
  return Buffer.concat(parts);
}

function record(type: keyof typeof FLAGS, content: Buffer): Buffer {
  const name = Buffer.from('extension');
  const header = headerOf({ type, mode: 0o644, name, target: Buffer.of(), size: content.length });
  return Buffer.concat([header, padded(content)]);
}

interface Header extends Pick<TarEntry, 'uid' | 'gid' | 'mtimeSeconds'> {
  readonly type: keyof typeof FLAGS;
  readonly mode: number;
  readonly name: Buffer;
  readonly target: Buffer;
  readonly size: number;
}

function headerOf({ type, mode, name, target, size, uid, gid, mtimeSeconds }: Header): Buffer {
  const block = Buffer.alloc(BLOCK);
  name.copy(block, 0, 0, NAME_MAX);
  number(block, 100, 8, mode);
  number(block, 108, 8, uid ?? 0);
  number(block, 116, 8, gid ?? 0);
  number(block, 124, 12, size);
  number(block, 136, 12, mtimeSeconds ?? 1_000_000_000);
  block.write(FLAGS[type], 156, 'latin1');
  target.copy(block, 157, 0, NAME_MAX);
  block.write('ustar\x0000', 257, 'latin1');
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** Octal, or, where that is too short, binary with the first bit set. */
function number(block: Buffer, offset: number, length: number, value: number): void {
  if (value < 8 ** (length - 1) && value <= OCTAL_MAX) {
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset, 'latin1');
    return;
  }
  const wide = Buffer.alloc(8);
  wide.writeBigUInt64BE(BigInt(value));
  wide.copy(block, offset + length - Math.min(8, length), 8 - Math.min(8, length));
  block[offset] = (block[offset] ?? 0) | 0x80;
}

function paxOf(records: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(
    Object.entries(records).map(([key, value]) => {
      const rest = Buffer.from(` ${key}=${value}\n`);
      let length = rest.length;
      // The length counts its own digits.
      while (length !== rest.length + String(length).length) {
        length = rest.length + String(length).length;
      }
      return Buffer.concat([Buffer.from(String(length)), rest]);
    }),
  );
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc(-content.length & (BLOCK - 1))]);
}
