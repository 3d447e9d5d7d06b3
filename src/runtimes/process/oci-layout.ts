/**
 * Unpacks an OCI image layout into a folder, once.
 *
 *     LAYOUT/index.json ──> manifest ──> config, layers (tar, perhaps compressed) ──> FOLDER/DIGEST/root
 *
 * Layers are unpacked one above the other. A file `.wh.NAME` in one means that NAME of the layers
 * below is gone; `.wh..wh..opq`, that all of its folder is.
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { imageUnusable } from './errors.ts';
import { readJson, reasonOf, writeJson } from './json-file.ts';
import type { ImageDefaults, ResolvedImage } from './options.ts';
import { resolveInRoot } from './path-in-root.ts';

export interface UnpackedImage extends ResolvedImage {
  /** The digest of its manifest. */
  readonly ref: string;
  readonly root: string;
}

export interface UnpackRequest {
  readonly image: string;
  readonly layout: string;
  readonly folder: string;
  readonly tar: string | undefined;
  readonly signal: AbortSignal;
}

interface Manifest {
  readonly ref: string;
  readonly config: JsonObject;
  readonly layers: readonly string[];
}

const run = promisify(execFile);
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** Null: it was not unpacked yet. */
export async function unpackedImage(layout: string, folder: string): Promise<UnpackedImage | null> {
  const ref = await digestOf(layout).catch(() => undefined);
  if (ref === undefined) return null;
  const place = placeOf(folder, ref);
  const defaults = await readJson<ImageDefaults>(path.join(place, 'defaults.json'));
  return defaults ? { ref, defaults, root: path.join(place, 'root') } : null;
}

export async function unpackLayout(request: UnpackRequest): Promise<UnpackedImage> {
  const { image, layout, folder, tar, signal } = request;
  const done = await unpackedImage(layout, folder);
  if (done) return done;
  try {
    if (tar === undefined) throw new Error('tar is not on this machine');
    const manifest = await readManifest(layout);
    const place = placeOf(folder, manifest.ref);
    const draft = `${place}.new`;
    await rm(draft, { recursive: true, force: true });
    await mkdir(path.join(draft, 'root'), { recursive: true });
    for (const layer of manifest.layers) {
      await unpackLayer(tar, blobOf(layout, layer), path.join(draft, 'root'), signal);
    }
    const defaults = defaultsOf(manifest.config);
    writeJson(path.join(draft, 'defaults.json'), defaults);
    await rm(place, { recursive: true, force: true });
    await rename(draft, place);
    return { ref: manifest.ref, defaults, root: path.join(place, 'root') };
  } catch (error) {
    signal.throwIfAborted();
    throw imageUnusable({ image, place: layout, reason: reasonOf(error) }, error);
  }
}

function placeOf(folder: string, ref: string): string {
  return path.join(folder, ref.slice('sha256:'.length));
}

async function unpackLayer(
  tar: string,
  blob: string,
  root: string,
  signal: AbortSignal,
): Promise<void> {
  const options = { signal, maxBuffer: OUTPUT_BYTES_MAX };
  const { stdout } = await run(tar, ['--list', '--file', blob], options);
  for (const name of stdout.split('\n')) await applyWhiteout(root, name);
  const isOwner = process.getuid?.() === 0 ? [] : ['--no-same-owner'];
  const args = ['--extract', '--file', blob, '--directory', root, ...isOwner];
  await run(
    tar,
    [...args, '--exclude=.wh.*', '--exclude=dev/*', '--delay-directory-restore'],
    options,
  );
}

async function applyWhiteout(root: string, name: string): Promise<void> {
  const base = path.basename(name);
  if (!base.startsWith('.wh.')) return;
  // Below links of the image itself, never outside of it.
  const folder = path.join(root, resolveInRoot(root, path.dirname(name)));
  if (base === '.wh..wh..opq') {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
  } else {
    await rm(path.join(folder, base.slice('.wh.'.length)), { recursive: true, force: true });
  }
}

async function digestOf(layout: string): Promise<string> {
  return (await readManifest(layout)).ref;
}

async function readManifest(layout: string): Promise<Manifest> {
  let document = await readObject(path.join(layout, 'index.json'));
  let ref = '';
  // An index may lead to another one, for several kinds of machine.
  for (let depth = 0; depth < 4 && Array.isArray(document['manifests']); depth++) {
    const entries = document['manifests'].filter(isJsonObject);
    const entry = entries.find(isForThisMachine) ?? entries[0];
    ref = digest(entry?.['digest']);
    document = await readObject(blobOf(layout, ref));
  }
  const { config, layers } = document;
  if (!isJsonObject(config) || !Array.isArray(layers)) throw new Error('it has no manifest');
  return {
    ref,
    config: await readObject(blobOf(layout, digest(config['digest']))),
    layers: layers.map((layer: Json) => digest(isJsonObject(layer) ? layer['digest'] : undefined)),
  };
}

function isForThisMachine({ platform }: JsonObject): boolean {
  if (!isJsonObject(platform)) return false;
  return platform['os'] === 'linux' && platform['architecture'] === ARCHITECTURES[process.arch];
}

function digest(value: unknown): string {
  if (typeof value !== 'string' || !DIGEST.test(value)) throw new Error('a digest is not sha256');
  return value;
}

function blobOf(layout: string, ref: string): string {
  return path.join(layout, 'blobs', 'sha256', ref.slice('sha256:'.length));
}

async function readObject(file: string): Promise<JsonObject> {
  const value: unknown = JSON.parse(await readFile(file, 'utf8'));
  if (!isJsonObject(value)) throw new Error(`${path.basename(file)} is not an object`);
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
