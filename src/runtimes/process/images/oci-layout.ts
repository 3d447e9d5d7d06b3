/**
 * Unpacks an image from an OCI image layout into a folder, once per digest.
 *
 *     LAYOUT/index.json ──> manifest ──> config, layers ──> FOLDER/DIGEST.new/root ──> FOLDER/DIGEST/root
 *
 * Layers are unpacked one above the other (layers/) into a draft folder, which is renamed when it is complete
 * and removed when anything fails. Every blob is checked against the digest and the size in its descriptor.
 */
import { chmod, mkdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { imageUnusable } from '../errors.ts';
import { readJson, reasonOf, writeJson } from '../json-file.ts';
import { freeBytesAt, UNPACK_LIMITS, UnpackBudget } from './layers/unpack-budget.ts';
import { unpackLayer, type LeftOut } from './layers/unpack-layer.ts';
import { readDocument, type Descriptor } from './layers/verified-blob.ts';
import type { ImageDefaults, ResolvedImage } from '../options.ts';

export interface UnpackedImage extends ResolvedImage {
  /** The digest of its manifest. */
  readonly ref: string;
  readonly root: string;
}

export interface UnpackRequest {
  readonly image: string;
  readonly layout: string;
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Called once with the counts, if the image has parts that were left out. */
  readonly onLeftOut: (left: LeftOut) => void;
}

interface Manifest {
  readonly ref: string;
  readonly config: JsonObject;
  readonly layers: readonly Descriptor[];
}

const CLOSED_MODE = 0o700;
/** The mode of the image's root, unless a layer sets another. */
const ROOT_MODE = 0o755;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** Null: the image has not been unpacked yet. */
export async function unpackedImage(layout: string, folder: string): Promise<UnpackedImage | null> {
  const ref = await digestOf(layout).catch(() => undefined);
  if (ref === undefined) return null;
  const place = placeOf(folder, ref);
  const defaults = await readJson<ImageDefaults>(path.join(place, 'defaults.json'));
  return defaults ? { ref, defaults, root: path.join(place, 'root') } : null;
}

/** Callers must not run two calls for the same image at once: both would write the same draft. */
export async function unpackLayout(request: UnpackRequest): Promise<UnpackedImage> {
  const { image, layout, folder, signal } = request;
  const done = await unpackedImage(layout, folder);
  if (done) return done;
  try {
    const manifest = await readManifest(layout);
    const place = placeOf(folder, manifest.ref);
    const draft = `${place}.new`;
    await rm(draft, { recursive: true, force: true });
    try {
      await writeDraft(draft, manifest, request);
      await rm(place, { recursive: true, force: true });
      await rename(draft, place);
    } catch (error) {
      // The next attempt removes what remains; the original error is reported.
      await rm(draft, { recursive: true, force: true }).catch(() => undefined);
      throw error;
    }
    const defaults = defaultsOf(manifest.config);
    return { ref: manifest.ref, defaults, root: path.join(place, 'root') };
  } catch (error) {
    signal.throwIfAborted();
    throw imageUnusable({ image, place: layout, reason: reasonOf(error) }, error);
  }
}

async function writeDraft(
  draft: string,
  { config, layers }: Manifest,
  { layout, signal, onLeftOut }: UnpackRequest,
): Promise<void> {
  const root = path.join(draft, 'root');
  // Only podkeep's user may enter, so that no other user can run a setuid file of an image.
  await mkdir(root, { recursive: true, mode: CLOSED_MODE });
  await chmod(root, ROOT_MODE);
  const isRoot = process.getuid?.() === 0;
  const budget = new UnpackBudget(UNPACK_LIMITS, () => freeBytesAt(draft));
  const left: LeftOut = { device: 0, fifo: 0, metadata: 0, xattr: 0 };
  for (const layer of layers) {
    await unpackLayer({ layout, layer, root, isRoot, budget, left, signal });
  }
  writeJson(path.join(draft, 'defaults.json'), defaultsOf(config));
  if (Object.values(left).some((count) => count > 0)) onLeftOut(left);
}

function placeOf(folder: string, ref: string): string {
  return path.join(folder, ref.slice('sha256:'.length));
}

async function digestOf(layout: string): Promise<string> {
  return (await readManifest(layout)).ref;
}

async function readManifest(layout: string): Promise<Manifest> {
  let document = parseObject('index.json', await readFile(path.join(layout, 'index.json'), 'utf8'));
  let ref = '';
  // An index may refer to another index, for several platforms.
  for (let depth = 0; depth < 4 && Array.isArray(document['manifests']); depth++) {
    const entries = document['manifests'].filter(isJsonObject);
    const descriptor = descriptorOf(entries.find(isForThisMachine) ?? entries[0]);
    ref = descriptor.digest;
    document = await readBlob(layout, descriptor);
  }
  const { config, layers } = document;
  if (!isJsonObject(config) || !Array.isArray(layers)) throw new Error('it has no manifest');
  return {
    ref,
    config: await readBlob(layout, descriptorOf(config)),
    layers: layers.map(descriptorOf),
  };
}

function isForThisMachine({ platform }: JsonObject): boolean {
  if (!isJsonObject(platform)) return false;
  return platform['os'] === 'linux' && platform['architecture'] === ARCHITECTURES[process.arch];
}

function descriptorOf(value: unknown): Descriptor {
  const { digest, size, mediaType } = isJsonObject(value) ? value : {};
  if (typeof digest !== 'string' || !DIGEST.test(digest)) throw new Error('a digest is not sha256');
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) {
    throw new Error(`the descriptor of ${digest} has no size`);
  }
  return { digest, sizeBytes: size, mediaType: typeof mediaType === 'string' ? mediaType : '' };
}

async function readBlob(layout: string, descriptor: Descriptor): Promise<JsonObject> {
  return parseObject(descriptor.digest, await readDocument(layout, descriptor));
}

function parseObject(name: string, text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new Error(`${name} is not an object`);
  return value;
}

function defaultsOf({ config }: JsonObject): ImageDefaults {
  const own = isJsonObject(config) ? config : {};
  const words = (name: string): readonly string[] => {
    const value = own[name];
    return Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [];
  };
  const text = (name: string): string => {
    const value = own[name];
    return typeof value === 'string' ? value : '';
  };
  const env = words('Env').map((entry): [string, string] => {
    const cut = entry.indexOf('=');
    return cut < 0 ? [entry, ''] : [entry.slice(0, cut), entry.slice(cut + 1)];
  });
  return {
    command: words('Entrypoint'),
    args: words('Cmd'),
    env: Object.fromEntries(env),
    workingDir: text('WorkingDir'),
    user: text('User'),
    stopSignal: text('StopSignal'),
  };
}
