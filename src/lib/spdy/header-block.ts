/**
 * Reads and writes SPDY header blocks: names and values, compressed by one zlib stream for the whole
 * connection.
 *
 * zlib of Node.js inflates incoming blocks, within limits, because a few bytes can expand to gigabytes.
 * Outgoing blocks need no compression, because podkeep only opens or accepts streams. They are zlib's stored
 * blocks, which every inflater reads and which can be written without another thread.
 */
import { constants, createInflate, type Inflate } from 'node:zlib';
import { HEADER_DICTIONARY } from './dictionary.ts';
import { spdyViolated } from './spdy-error.ts';

/** Names are in lower case. */
export type StreamHeaders = ReadonlyMap<string, string>;

const HEADER_BYTES_MAX = 64 * 1024;
const STORED_BYTES_MAX = 0xffff;
/** An empty stored block: a flush point, at which readers return what they have so far. */
const FLUSH = Buffer.from([0, 0, 0, 0xff, 0xff]);

export class HeaderReader {
  readonly #inflate: Inflate = createInflate({
    dictionary: HEADER_DICTIONARY,
    flush: constants.Z_SYNC_FLUSH,
    finishFlush: constants.Z_SYNC_FLUSH,
  });

  constructor() {
    // The pending read gets the error; later errors have no reader.
    this.#inflate.on('error', () => {});
  }

  /** Call it for one block at a time, in the order of arrival. Rejects with SPDY_VIOLATED. */
  async read(block: Uint8Array): Promise<StreamHeaders> {
    return parseHeaders(await this.#expand(block));
  }

  close(): void {
    this.#inflate.destroy();
  }

  #expand(block: Uint8Array): Promise<Buffer> {
    const inflate = this.#inflate;
    const parts: Buffer[] = [];
    let size = 0;
    return new Promise((resolve, reject) => {
      const fail = (cause?: unknown): void => {
        settle();
        inflate.destroy();
        reject(spdyViolated({ what: 'headers that cannot be read' }, cause));
      };
      const take = (part: Buffer): void => {
        parts.push(part);
        size += part.length;
        if (size > HEADER_BYTES_MAX) fail();
      };
      const settle = (): void => {
        inflate.off('data', take).off('error', fail).off('close', fail);
      };
      if (inflate.destroyed) return fail();
      inflate.on('data', take).on('error', fail).on('close', fail);
      inflate.write(block, (error) => {
        if (error) return fail(error);
        const left: unknown = inflate.read();
        if (Buffer.isBuffer(left)) take(left);
        settle();
        resolve(Buffer.concat(parts));
      });
    });
  }
}

/** Throws SPDY_VIOLATED. */
export function parseHeaders(bytes: Buffer): StreamHeaders {
  let at = 0;
  const word = (): number => {
    if (at + 4 > bytes.length) throw spdyViolated({ what: 'headers that end too early' });
    at += 4;
    return bytes.readUInt32BE(at - 4);
  };
  const text = (): string => {
    const length = word();
    if (at + length > bytes.length) throw spdyViolated({ what: 'headers that end too early' });
    at += length;
    return bytes.toString('utf8', at - length, at);
  };
  const headers = new Map<string, string>();
  for (let left = word(); left > 0; left -= 1) {
    const name = text().toLowerCase();
    if (name === '' || headers.has(name))
      throw spdyViolated({ what: `a header ${JSON.stringify(name)} too many` });
    // Several values are separated by a zero byte; only the first is used, as in Kubernetes.
    headers.set(name, text().split('\0', 1)[0] ?? '');
  }
  return headers;
}

/** The first block of a connection names the dictionary. */
export function encodeHeaders(headers: StreamHeaders, isFirst: boolean): Buffer {
  const bytes = Buffer.concat([
    word(headers.size),
    ...[...headers].flat().flatMap((text) => {
      const encoded = Buffer.from(text, 'utf8');
      return [word(encoded.length), encoded];
    }),
  ]);
  const parts: Buffer[] = isFirst ? [ZLIB_START] : [];
  for (let at = 0; at < bytes.length; at += STORED_BYTES_MAX) {
    const stored = bytes.subarray(at, at + STORED_BYTES_MAX);
    const lengths = Buffer.alloc(5);
    lengths.writeUInt16LE(stored.length, 1);
    lengths.writeUInt16LE(~stored.length & 0xffff, 3);
    parts.push(lengths, stored);
  }
  return Buffer.concat([...parts, FLUSH]);
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** zlib's header: method, window and the dictionary bit, then the Adler-32 of the dictionary. */
const ZLIB_START = Buffer.concat([Buffer.from([0x78, 0xbb]), word(adler32(HEADER_DICTIONARY))]);

function adler32(bytes: Uint8Array): number {
  let [low, high] = [1, 0];
  for (const byte of bytes) {
    low = (low + byte) % 65_521;
    high = (high + low) % 65_521;
  }
  return ((high << 16) | low) >>> 0;
}
