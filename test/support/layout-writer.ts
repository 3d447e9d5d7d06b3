/** Writes OCI image layouts for tests. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Descriptor } from '../../src/runtimes/process/images/layers/verified-blob.ts';

export interface WrittenBlob {
  readonly digest: string;
  readonly size: number;
  readonly mediaType?: string;
}

export function writeBlob(layout: string, content: Uint8Array | string): WrittenBlob {
  const hex = createHash('sha256').update(content).digest('hex');
  const folder = path.join(layout, 'blobs/sha256');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, hex), content);
  return { digest: `sha256:${hex}`, size: Buffer.byteLength(content) };
}

/** What a descriptor says about a blob that was written. */
export function descriptorOf({ digest, size, mediaType = '' }: WrittenBlob): Descriptor {
  return { digest, sizeBytes: size, mediaType };
}

/** An image of these layers. Returns the digest of its manifest. */
export function writeLayout(
  layout: string,
  layers: readonly WrittenBlob[],
  config: object = {},
): string {
  const written = writeBlob(layout, JSON.stringify({ config }));
  const manifest = { schemaVersion: 2, config: written, layers };
  const entry = writeBlob(layout, JSON.stringify(manifest));
  writeFileSync(path.join(layout, 'index.json'), JSON.stringify({ manifests: [entry] }));
  return entry.digest;
}
