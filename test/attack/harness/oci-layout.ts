/**
 * Writes OCI image layouts by hand, so that their layers can hold what no honest tool would write: paths
 * that go up, links, hard links to anywhere, devices.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../../src/lib/json.ts';

export interface TarEntry {
  readonly name: string;
  readonly kind: keyof typeof TYPES;
  /** Where a link leads. */
  readonly to?: string;
  readonly content?: string;
  readonly mode?: number;
  readonly device?: readonly [major: number, minor: number];
}

/** The last two are GNU's: the name, or the target, of the entry that follows, which is too long. */
const TYPES = {
  file: '0',
  hardLink: '1',
  link: '2',
  char: '3',
  block: '4',
  folder: '5',
  longName: 'L',
  longTarget: 'K',
} as const;
const NAME_BYTES_MAX = 100;
const BLOCK = 512;

export function tarOf(entries: readonly TarEntry[]): Buffer {
  const parts = entries.flatMap((entry) => [
    ...longPart('longName', entry.name),
    ...longPart('longTarget', entry.to ?? ''),
    ...partsOf(entry),
  ]);
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

function longPart(kind: TarEntry['kind'], text: string): readonly Buffer[] {
  if (Buffer.byteLength(text) <= NAME_BYTES_MAX) return [];
  return partsOf({ name: '././@LongLink', kind, content: `${text}\0` });
}

function partsOf(entry: TarEntry): readonly Buffer[] {
  const content = Buffer.from(entry.content ?? '');
  const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
  return [headerOf(entry, content.length), content, padding];
}

function headerOf(entry: TarEntry, size: number): Buffer {
  const { name, kind, to = '', mode = kind === 'folder' ? 0o755 : 0o644, device = [0, 0] } = entry;
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, width: number): void => {
    header.write(value.toString(8).padStart(width - 1, '0'), at, 'ascii');
  };
  header.write(name, 0, NAME_BYTES_MAX, 'utf8');
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  header.write(' '.repeat(8), 148, 'ascii');
  header.write(TYPES[kind], 156, 'ascii');
  header.write(to, 157, NAME_BYTES_MAX, 'utf8');
  header.write('ustar\u000000', 257, 'ascii');
  octal(device[0], 329, 8);
  octal(device[1], 337, 8);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'ascii');
  return header;
}

/** Writes the layout; `config` is that of the containers, such as WorkingDir. */
export function writeLayout(
  folder: string,
  layers: readonly Buffer[],
  config: JsonObject = {},
): void {
  const blobs = path.join(folder, 'blobs/sha256');
  mkdirSync(blobs, { recursive: true });
  const put = (content: Buffer | JsonObject, mediaType: string): JsonObject => {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
    const digest = createHash('sha256').update(bytes).digest('hex');
    writeFileSync(path.join(blobs, digest), bytes);
    return { mediaType, digest: `sha256:${digest}`, size: bytes.length };
  };
  const kind = 'application/vnd.oci.image';
  const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const diffIds = layers.map(
    (layer) => `sha256:${createHash('sha256').update(layer).digest('hex')}`,
  );
  const image = {
    architecture,
    os: 'linux',
    config,
    rootfs: { type: 'layers', diff_ids: diffIds },
  };
  const manifest = {
    schemaVersion: 2,
    mediaType: `${kind}.manifest.v1+json`,
    config: put(image, `${kind}.config.v1+json`),
    layers: layers.map((layer) => put(layer, `${kind}.layer.v1.tar`)),
  };
  const index = { schemaVersion: 2, manifests: [put(manifest, `${kind}.manifest.v1+json`)] };
  writeFileSync(path.join(folder, 'index.json'), JSON.stringify(index));
  writeFileSync(path.join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
}
