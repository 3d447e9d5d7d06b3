/**
 * The image store of the process runtime: decides what an image name runs on this machine.
 *
 *     a mapping in the configuration          its command, its folder or its OCI layout
 *     no mapping, but the spec has a command  that command, on this machine
 *     neither                                 an error that says how to map it
 */
import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type {
  Credentials,
  Image,
  ImageStore,
  ImageUsage,
  ImageUse,
} from '../../../ports/runtime/image-store.ts';
import type { Log } from '../../../ports/log.ts';
import { Semaphore } from '../../../lib/semaphore.ts';
import { imageNameInvalid, imageNotMapped, imageUnusable } from '../errors.ts';
import { resolveCommand } from '../image-folders.ts';
import { imagesFolder } from '../layout.ts';
import type { LeftOut } from './layers/unpack-layer.ts';
import { unpackLayout, unpackedImage, type UnpackedImage } from './oci-layout.ts';
import type { ImageMapping, ResolvedImage } from '../options.ts';
import { findAccount } from '../machine/user.ts';

export interface ProcessImagesOptions {
  readonly folder: string;
  readonly mappings: Readonly<Record<string, ImageMapping>>;
  readonly log: Log;
  /** The UID of containers that set none. */
  readonly defaultUid: number;
}

/** The image reference of images without a mapping: their containers run commands of the machine. */
export const HOST_REF = 'host';
const PART = String.raw`[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*`;
const HOST = String.raw`(?:[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*(?::\d+)?/)?`;
const ENDING = String.raw`(?::\w[\w.-]{0,127})?(?:@[a-z0-9]+:[0-9a-f]{32,})?`;
const NAME = new RegExp(`^${HOST}${PART}(?:/${PART})*${ENDING}$`);

export class ProcessImages implements ImageStore {
  readonly #options: ProcessImagesOptions;
  readonly #mappings: ReadonlyMap<string, ImageMapping>;
  /** Unpacks one image at a time, as the kubelet pulls: two of the same image would write the same files. */
  readonly #unpacking = new Semaphore(1);

  constructor(options: ProcessImagesOptions) {
    this.#options = options;
    const entries = Object.entries(options.mappings);
    this.#mappings = new Map(entries.map(([name, mapping]) => [fullName(name), mapping]));
  }

  async find(image: string, use?: ImageUse): Promise<Image | null> {
    const mapping = this.#mappingOf(image);
    if (mapping === undefined) {
      return use?.hasCommand ? this.#describe(HOST_REF, image, { defaults: {} }) : null;
    }
    if (!('ociLayout' in mapping)) {
      return this.#describe(image, image, resolveSimple(image, mapping));
    }
    const unpacked = await unpackedImage(mapping.ociLayout, imagesFolder(this.#options.folder));
    return unpacked ? this.#describe(unpacked.ref, image, unpacked) : null;
  }

  async pull(
    image: string,
    _credentials: Credentials | null,
    signal: AbortSignal,
    use?: ImageUse,
  ): Promise<string> {
    const mapping = this.#mappingOf(image);
    if (mapping !== undefined && 'ociLayout' in mapping) {
      return (await this.#unpack(image, mapping.ociLayout, signal)).ref;
    }
    const found = await this.find(image, use);
    if (!found) throw imageNotMapped({ image });
    return found.ref;
  }

  /** False: the image is an OCI layout, which `pull` has to unpack first. */
  isLocal(image: string): boolean {
    if (!NAME.test(image)) return false;
    const mapping = this.#mappings.get(fullName(image));
    return mapping === undefined || !('ociLayout' in mapping);
  }

  /** Lists only images that can be used; `find` reports why the others cannot. */
  async list(): Promise<readonly Image[]> {
    const names = Object.keys(this.#options.mappings);
    const found = await Promise.allSettled(names.map((name) => this.find(name)));
    return found.flatMap((each) =>
      each.status === 'fulfilled' && each.value !== null ? [each.value] : [],
    );
  }

  /** Removes the unpacked files. The mapping in the configuration stays. */
  async remove(ref: string): Promise<void> {
    if (!/^sha256:[0-9a-f]+$/.test(ref)) return;
    const folder = path.join(imagesFolder(this.#options.folder), ref.slice('sha256:'.length));
    await rm(folder, { recursive: true, force: true });
  }

  /** Null: most images are the machine's own files, and take no extra space. */
  usage(): Promise<ImageUsage | null> {
    return Promise.resolve(null);
  }

  /** Resolves the image of a container that is being created. */
  async resolve(image: string, hasCommand: boolean, signal: AbortSignal): Promise<ResolvedImage> {
    const mapping = this.#mappingOf(image);
    if (mapping === undefined) {
      if (!hasCommand) throw imageNotMapped({ image });
      return { defaults: {} };
    }
    if ('ociLayout' in mapping) return this.#unpack(image, mapping.ociLayout, signal);
    return resolveSimple(image, mapping);
  }

  async #unpack(image: string, layout: string, signal: AbortSignal): Promise<UnpackedImage> {
    const folder = imagesFolder(this.#options.folder);
    const onLeftOut = (left: LeftOut): void => {
      this.#options.log.warn('Skipped some entries of the image while unpacking it', {
        image,
        ...left,
      });
    };
    const done = await unpackedImage(layout, folder);
    if (done) return done;
    return this.#unpacking.run(
      () => unpackLayout({ image, layout, folder, signal, onLeftOut }),
      signal,
    );
  }

  #mappingOf(image: string): ImageMapping | undefined {
    if (!NAME.test(image)) throw imageNameInvalid({ image });
    return this.#mappings.get(fullName(image));
  }

  #describe(ref: string, image: string, { defaults, root }: ResolvedImage): Image {
    const [user = ''] = (defaults.user ?? '').split(':');
    const named = /^\d*$/.test(user) ? undefined : findAccount(root ?? '/', user);
    const uid = user === '' ? this.#options.defaultUid : (named?.uid ?? Number(user));
    return {
      ref,
      names: [image],
      sizeBytes: 0,
      ...(Number.isNaN(uid) ? { userName: user } : { uid }),
      isPinned: true,
    };
  }
}

function resolveSimple(image: string, mapping: ImageMapping): ResolvedImage {
  if ('ociLayout' in mapping) return { defaults: {} };
  if (!('folder' in mapping)) return resolveCommand(mapping);
  const { folder } = mapping;
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found?.isDirectory() || !path.isAbsolute(folder)) {
    throw imageUnusable({ image, place: folder, reason: 'it is not an absolute path of a folder' });
  }
  return { defaults: mapping, root: folder };
}

/** `nginx`, `nginx:latest` and `docker.io/library/nginx:latest` are one image. */
export function fullName(image: string): string {
  const [name = '', digest] = image.split('@');
  const [first = '', ...rest] = name.split('/');
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  const path = hasHost ? name : `docker.io/${rest.length > 0 ? name : `library/${name}`}`;
  if (digest !== undefined) return `${path.replace(/:[\w.-]+$/, '')}@${digest}`;
  return /:[\w.-]+$/.test(path.slice(path.lastIndexOf('/'))) ? path : `${path}:latest`;
}
