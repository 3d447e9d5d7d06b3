/**
 * Images as the OCI describes them: blobs that are named by their digests, and an index of names.
 *
 *     index.json ── name ──> manifest ──> config, layers
 *
 * They are written as one archive, which `ctr images import` takes, and served by our own registry
 * from the same folder.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../../../src/lib/json.ts';

export interface ImageSource {
  /** Each a full name, such as docker.io/library/busybox:1.36. */
  readonly names: readonly string[];
  /** A tar file with everything in it. */
  readonly layer: string;
  /** Tar files with what is added to it, in this order. */
  readonly above?: readonly string[];
  /** How it is run: Cmd, Env, User, as the OCI spells them. */
  readonly config: JsonObject;
}

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

export interface Image {
  readonly names: readonly string[];
  readonly manifest: Descriptor;
}

export const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';
const CONFIG_TYPE = 'application/vnd.oci.image.config.v1+json';
const LAYER_TYPE = 'application/vnd.oci.image.layer.v1.tar';
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

export class ImageLayout {
  readonly #folder: string;
  readonly #images: Image[] = [];

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(path.join(folder, 'blobs/sha256'), { recursive: true });
  }

  get images(): readonly Image[] {
    return this.#images;
  }

  add({ names, layer, above = [], config }: ImageSource): Image {
    const layers = [layer, ...above].map((file) => this.#write(LAYER_TYPE, readFileSync(file)));
    const about = this.#write(CONFIG_TYPE, {
      architecture: ARCHITECTURES[process.arch] ?? process.arch,
      os: 'linux',
      config,
      // A layer is not compressed, so that its digest and that of its content are the same.
      rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) },
    });
    const manifest = this.#write(MANIFEST_TYPE, {
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      config: { ...about },
      layers: layers.map((each) => ({ ...each })),
    });
    const image = { names, manifest };
    this.#images.push(image);
    return image;
  }

  blob(digest: string): Buffer {
    return readFileSync(this.#fileOf(digest));
  }

  /** One file with all images, for those that import. */
  writeArchive(output: string): void {
    const manifests = this.#images.flatMap(({ names, manifest }) =>
      names.map((name) => ({
        ...manifest,
        annotations: { 'io.containerd.image.name': name },
      })),
    );
    this.#put('oci-layout', { imageLayoutVersion: '1.0.0' });
    this.#put('index.json', { schemaVersion: 2, manifests });
    execFileSync('tar', ['-C', this.#folder, '-cf', output, 'oci-layout', 'index.json', 'blobs']);
  }

  #put(name: string, content: JsonObject): void {
    writeFileSync(path.join(this.#folder, name), JSON.stringify(content));
  }

  #write(mediaType: string, content: Buffer | JsonObject): Descriptor {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    writeFileSync(this.#fileOf(digest), bytes);
    return { mediaType, digest, size: bytes.length };
  }

  #fileOf(digest: string): string {
    return path.join(this.#folder, 'blobs', digest.replace(':', '/'));
  }
}
