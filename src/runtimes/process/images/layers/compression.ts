/**
 * Detects the compression of a layer, and decompresses it.
 *
 * The first bytes decide, because some tools write gzip under the media type of a plain archive. It is an
 * error if the media type names a compression that the bytes do not have, or is not that of an archive.
 */
import { pipeline } from 'node:stream/promises';
import * as zlib from 'node:zlib';

export type Compression = 'gzip' | 'zstd' | 'none';
type Bytes = AsyncIterable<Uint8Array>;
type Engine = zlib.Gunzip;
type EngineFactory = (options: { readonly chunkSize: number }) => Engine;

/** Large, because each chunk of a file becomes one write. */
const CHUNK_BYTES = 256 * 1024;
const MAGIC: readonly (readonly [Compression | 'bzip2' | 'xz', readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
];
/**
 * Matches OCI's `layer.v1.tar+gzip` and Docker's `diff.tar.gzip`, and their `nondistributable` and `foreign`
 * variants.
 */
const MEDIA_TYPE =
  /^application\/vnd\.(?:oci\.image\.layer(?:\.nondistributable)?\.v1|docker\.image\.rootfs(?:\.foreign)?\.diff)\.tar(?:[+.](?<compression>gzip|zstd))?$/;
const OTHERWISE = 'copy the image with gzip: skopeo copy --dest-compress-format gzip';

/** `mediaType` may be empty. `head` is the beginning of the layer. */
export function compressionOf(mediaType: string, head: Uint8Array): Compression {
  const type = MEDIA_TYPE.exec(mediaType);
  if (mediaType !== '' && !type) throw new Error(`its media type ${mediaType} is not supported`);
  const found = MAGIC.find(([, magic]) => magic.every((byte, index) => head[index] === byte));
  const actual = found?.[0] ?? 'none';
  const named = type?.groups?.['compression'] ?? actual;
  if (actual !== named) throw new Error(`it is not ${named}, as its media type says`);
  if (actual === 'bzip2' || actual === 'xz') {
    throw new Error(`it is compressed with ${actual}, which layers cannot be; ${OTHERWISE}`);
  }
  return actual;
}

/** Fails if data follows the end of the compressed stream. */
export async function* decompress(
  source: Bytes,
  mediaType: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = source[Symbol.asyncIterator]();
  try {
    const first = await chunks.next();
    const head = first.done ? new Uint8Array() : first.value;
    const compression = compressionOf(mediaType, head);
    const all = prepend(head, { [Symbol.asyncIterator]: () => chunks });
    if (compression === 'none') yield* all;
    else yield* throughEngine(all, compression);
  } finally {
    await chunks.return?.();
  }
}

async function* prepend(
  head: Uint8Array,
  rest: Bytes,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (head.length > 0) yield head;
  yield* rest;
}

async function* throughEngine(
  source: Bytes,
  compression: 'gzip' | 'zstd',
): AsyncGenerator<Uint8Array, void, undefined> {
  const engine = createEngine(compression);
  let fedBytes = 0;
  const count = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of source) {
      fedBytes += chunk.length;
      yield chunk;
    }
  };
  // An error here destroys the engine, whose consumer then gets the same error.
  pipeline(count, engine).catch(() => undefined);
  yield* engine as AsyncIterable<Uint8Array>;
  if (engine.bytesWritten >= fedBytes) return;
  if (compression === 'gzip') throw new Error('it goes on after the end of its gzip data');
  throw new Error(
    `it has several zstd frames, which Node.js ${process.version} does not read; ` +
      `run podkeep with Node.js 26, or ${OTHERWISE}`,
  );
}

function createEngine(compression: 'gzip' | 'zstd'): Engine {
  const create = compression === 'gzip' ? zlib.createGunzip : zstdFactory();
  return create({ chunkSize: CHUNK_BYTES });
}

/** The type definitions are those of Node.js 20, which has no zstd. */
function zstdFactory(): EngineFactory {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { createZstdDecompress } = zlib as { createZstdDecompress?: EngineFactory };
  if (createZstdDecompress) return createZstdDecompress;
  throw new Error(
    `it is compressed with zstd, which Node.js ${process.version} does not read; ` +
      `run podkeep with Node.js 22.15 or newer, or ${OTHERWISE}`,
  );
}
