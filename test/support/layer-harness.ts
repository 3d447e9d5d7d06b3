/**
 * Unpacks layers that a test describes, and checks that a folder beside the image stays untouched.
 *
 *     FOLDER/layout           the blobs
 *     FOLDER/image/root       what is unpacked
 *     FOLDER/outside/…        what no layer may touch
 */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {
  UNPACK_LIMITS,
  UnpackBudget,
  type UnpackLimits,
} from '../../src/runtimes/process/images/layers/unpack-budget.ts';
import {
  unpackLayer,
  type LeftOut,
} from '../../src/runtimes/process/images/layers/unpack-layer.ts';
import { descriptorOf, writeBlob } from './layout-writer.ts';
import { tarOf, type TarEntry } from './tar-writer.ts';

export interface HarnessOptions {
  readonly isRoot?: boolean;
  readonly limits?: Partial<UnpackLimits>;
  readonly freeBytes?: number;
  readonly signal?: AbortSignal;
}

export type Layer = readonly TarEntry[] | Uint8Array;

export class LayerHarness {
  readonly root: string;
  readonly outside: string;
  readonly leftOut: LeftOut = { device: 0, fifo: 0, metadata: 0, xattr: 0 };
  readonly #folder: string;
  readonly #options: HarnessOptions;

  constructor(folder: string, options: HarnessOptions = {}) {
    this.#folder = folder;
    this.#options = options;
    this.root = path.join(folder, 'image/root');
    this.outside = path.join(folder, 'outside');
    mkdirSync(this.root, { recursive: true });
    mkdirSync(path.join(this.outside, 'sub'), { recursive: true });
    writeFileSync(path.join(this.outside, 'file'), 'untouched');
    writeFileSync(path.join(this.outside, 'sub/file'), 'untouched');
  }

  async unpack(...layers: readonly Layer[]): Promise<void> {
    const { isRoot = false, limits, freeBytes = 2 ** 40, signal } = this.#options;
    const layout = path.join(this.#folder, 'layout');
    const free = (): Promise<number> => Promise.resolve(freeBytes);
    const budget = new UnpackBudget({ ...UNPACK_LIMITS, ...limits }, free);
    for (const each of layers) {
      const blob = writeBlob(layout, each instanceof Uint8Array ? each : tarOf(each));
      await unpackLayer({
        layout,
        layer: descriptorOf(blob),
        root: this.root,
        isRoot,
        budget,
        left: this.leftOut,
        signal: signal ?? new AbortController().signal,
      });
    }
  }

  /** All that is in the image: `path: what`. */
  tree(): Readonly<Record<string, string>> {
    return Object.fromEntries(walk(this.root).map(([name, file]) => [name, describe(file)]));
  }

  /** Everything beside the image, down to the times and the link count of each file. */
  canary(): readonly string[] {
    return walk(this.outside).map(([name, file]) => {
      const { mode, uid, gid, ino, nlink, mtimeMs } = lstatSync(file);
      return [name, mode, uid, gid, ino, nlink, mtimeMs, describe(file)].join(' ');
    });
  }
}

/** Folders end with a slash; the top is `/`. */
function walk(folder: string, name = '/'): readonly (readonly [name: string, file: string])[] {
  const below = readdirSync(folder)
    .toSorted()
    .flatMap((each) => {
      const file = path.join(folder, each);
      return lstatSync(file).isDirectory()
        ? walk(file, `${name}${each}/`)
        : [[`${name}${each}`, file] as const];
    });
  return [[name, folder], ...below];
}

function describe(file: string): string {
  const found = lstatSync(file);
  const mode = (found.mode & 0o7777).toString(8);
  if (found.isSymbolicLink()) return `-> ${readlinkSync(file)}`;
  if (found.isDirectory()) return `folder ${mode}`;
  return found.isFile() ? `${mode} ${readFileSync(file, 'utf8')}` : 'neither file nor folder';
}
