import * as zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { compressionOf, decompress } from './compression.ts';

const OCI = 'application/vnd.oci.image.layer.v1.tar';
const DOCKER = 'application/vnd.docker.image.rootfs.diff.tar';
const TEXT = Buffer.alloc(100_000, 'some text ');
const GZIP = zlib.gzipSync(TEXT);
/** A frame of zstd with nothing but the word "zstd" in it, not compressed. */
const ZSTD = Buffer.from('28b52ffd0004210000' + Buffer.from('zstd').toString('hex'), 'hex');
const HAS_ZSTD = 'createZstdDecompress' in zlib;

async function read(content: Uint8Array, mediaType = '', step = 1000): Promise<string> {
  const chunks = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
    for (let start = 0; start < content.length; start += step) {
      yield content.subarray(start, start + step);
    }
  };
  const parts: Uint8Array[] = [];
  for await (const part of decompress(chunks(), mediaType)) parts.push(part);
  return Buffer.concat(parts).toString();
}

test.each([
  ['', GZIP, 'gzip'],
  ['', ZSTD, 'zstd'],
  ['', TEXT, 'none'],
  [OCI, TEXT, 'none'],
  [OCI, GZIP, 'gzip'],
  [`${OCI}+gzip`, GZIP, 'gzip'],
  [`${OCI}+zstd`, ZSTD, 'zstd'],
  ['application/vnd.oci.image.layer.nondistributable.v1.tar+gzip', GZIP, 'gzip'],
  [DOCKER, TEXT, 'none'],
  [`${DOCKER}.gzip`, GZIP, 'gzip'],
  ['application/vnd.docker.image.rootfs.foreign.diff.tar.gzip', GZIP, 'gzip'],
])('a layer with the media type %j is known by its first bytes', (mediaType, content, name) => {
  expect(compressionOf(mediaType, content)).toBe(name);
});

test.each([
  [`${OCI}+gzip`, TEXT, 'it is not gzip, as its media type says'],
  [`${OCI}+zstd`, GZIP, 'it is not zstd, as its media type says'],
  [`${OCI}+gzip+encrypted`, TEXT, 'its media type .* is not supported'],
  ['text/plain', TEXT, 'its media type text/plain is not supported'],
  ['', Buffer.from('BZh9'), 'it is compressed with bzip2'],
  [OCI, Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), 'it is compressed with xz'],
])('a layer with the media type %j and other content is refused', (mediaType, content, reason) => {
  expect(() => compressionOf(mediaType, content)).toThrow(new RegExp(reason));
});

describe('bytes', () => {
  test('come out unchanged', async () => {
    expect(await read(TEXT)).toBe(TEXT.toString());
    expect(await read(GZIP)).toBe(TEXT.toString());
    expect(await read(GZIP, `${OCI}+gzip`, 7)).toBe(TEXT.toString());
    expect(await read(Buffer.concat([GZIP, GZIP]))).toBe(TEXT.toString().repeat(2));
    expect(await read(Buffer.of())).toBe('');
  });

  test('after the end of gzip are refused', async () => {
    const more = Buffer.concat([GZIP, Buffer.alloc(100_000)]);
    await expect(read(more)).rejects.toThrow('it goes on after the end of its gzip data');
  });

  test('that cannot be read are an error, and the source is closed', async () => {
    let isClosed = false;
    const failing = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
      try {
        yield GZIP.subarray(0, 20);
        throw new Error('the disk fails');
      } finally {
        isClosed = true;
      }
    };
    const reading = decompress(failing(), '');
    await expect(drain(reading)).rejects.toThrow('the disk fails');
    expect(isClosed).toBe(true);
  });

  test.runIf(HAS_ZSTD)('of zstd come out, and no frame is lost in silence', async () => {
    expect(await read(ZSTD)).toBe('zstd');
    const two = await read(Buffer.concat([ZSTD, ZSTD])).catch((error: unknown) => String(error));
    expect(two).toMatch(/^zstdzstd$|has several zstd frames/);
  });

  test.runIf(!HAS_ZSTD)('of zstd need a newer Node.js, and the error says so', async () => {
    await expect(read(ZSTD)).rejects.toThrow('run podkeep with Node.js 22.15 or newer, or copy');
  });
});

async function drain(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of bytes);
}
