/**
 * Unpacks one layer of an image into the image's root, as a stream.
 *
 *     blob ─> digest ─> decompression ─> tar parser ─> decideEntry ─> LayerWriter ─> disk
 *
 * One task feeds the parser, another writes the entries; the parser buffers about 1 MiB between them. If one
 * task fails, the other ends, too, and the layer fails with the first error. The caller removes the files
 * unpacked up to then.
 */
import type { ParsedTarEntry } from 'modern-tar';
import { codeOf, reasonOf } from '../../json-file.ts';
import { decompress } from './compression.ts';
import { ImageRoot } from './image-root.ts';
import { countXattrs, decideEntry, type SkippedKind } from './layer-entry.ts';
import { LayerWriter } from './layer-writer.ts';
import type { UnpackBudget } from './unpack-budget.ts';
import { VerifiedBlob, type Descriptor } from './verified-blob.ts';

export interface LayerRequest {
  readonly layout: string;
  readonly layer: Descriptor;
  /** The folder that becomes the root of the image. */
  readonly root: string;
  readonly isRoot: boolean;
  readonly budget: UnpackBudget;
  readonly left: LeftOut;
  readonly signal: AbortSignal;
}

/** Counts the parts of an image that were not unpacked. */
export type LeftOut = Record<SkippedKind | 'xattr', number>;

const NAME_LENGTH_MAX = 200;

export async function unpackLayer(request: LayerRequest): Promise<void> {
  try {
    await unpack(request);
  } catch (error) {
    request.signal.throwIfAborted();
    throw new Error(`layer ${request.layer.digest}: ${reasonOf(error)}`, { cause: error });
  }
}

async function unpack(request: LayerRequest): Promise<void> {
  const { layout, layer, root, signal } = request;
  const { createTarDecoder } = await import('modern-tar');
  // Strict: damaged headers and archives without an end are errors.
  const decoder = createTarDecoder({ strict: true });
  const blob = new VerifiedBlob(layout, layer);
  const stop = new AbortController();
  const chunks = blob.chunks(AbortSignal.any([signal, stop.signal]));
  const feeding = feed(decompress(chunks, layer.mediaType), decoder.writable, request.budget);
  // Awaited below. If it fails before, the entries fail with the same error.
  feeding.catch(() => undefined);
  try {
    const writer = new LayerWriter(new ImageRoot(root));
    for await (const entry of decoder.readable) {
      signal.throwIfAborted();
      await perform(entry, writer, request);
    }
    await feeding;
    if (!blob.isVerified) throw new Error('it goes on after the end of its archive');
    await writer.finish();
  } finally {
    stop.abort();
    await feeding.catch(() => undefined);
  }
}

async function feed(
  bytes: AsyncIterable<Uint8Array>,
  decoder: WritableStream<Uint8Array>,
  budget: UnpackBudget,
): Promise<void> {
  const writer = decoder.getWriter();
  try {
    for await (const chunk of bytes) {
      budget.countBytes(chunk.length);
      await writer.write(chunk);
    }
    await writer.close();
  } catch (error) {
    // This rejects if the error came from the decoder itself.
    await writer.abort(error).catch(() => undefined);
    throw error;
  }
}

async function perform(
  { header, body }: ParsedTarEntry,
  writer: LayerWriter,
  { isRoot, budget, left }: LayerRequest,
): Promise<void> {
  try {
    budget.countEntry();
    const entry = decideEntry(header, isRoot);
    if (entry.kind === 'refused') throw new Error(entry.reason);
    left.xattr += countXattrs(header);
    if (entry.kind === 'skipped') left[entry.what] += 1;
    else {
      await budget.spend(entry.kind === 'file' ? entry.sizeBytes : 0);
      await writer.perform(entry, body);
    }
    // The parser waits until each body is read or cancelled, and only bodies of files are read.
    if (header.size > 0 && entry.kind !== 'file') await body.cancel();
  } catch (error) {
    const name = JSON.stringify(header.name.slice(0, NAME_LENGTH_MAX));
    throw new Error(`entry ${name}: ${explain(error)}`, { cause: error });
  }
}

/** The message must not blame the image for a full disk. */
function explain(error: unknown): string {
  const code = codeOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return `the disk is full: ${reasonOf(error)}`;
  return reasonOf(error);
}
