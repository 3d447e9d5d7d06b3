/**
 * Reads the disk usage of this node: its own file system, images, and the logs and volumes of pods. Volumes
 * are found on disk (see volumes/volume-layout.ts), regardless of the pod's spec.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import type { PodFiles } from '../../ports/pod/pod-files.ts';
import type { PodReference } from '../../api/pod-reference.ts';
import type { ImageStore } from '../../ports/runtime/image-store.ts';
import { VolumeLayout } from '../volumes/volume-layout.ts';
import { FolderUsages, type FolderUsage } from './folder-usage.ts';
import { readFileSystem, type FileSystemUsage } from './machine-usage.ts';

export interface StorageUsageOptions {
  readonly clock: Clock;
  /** The folder of the volumes of pods, such as /var/lib/podkeep. */
  readonly rootFolder: string;
  readonly files: Pick<PodFiles, 'logFolder'>;
  readonly images: Pick<ImageStore, 'usage'>;
  /** How long a count of a folder is used; absent: a minute. */
  readonly countMs?: number;
}

export interface VolumeUsage {
  readonly name: string;
  readonly isEmptyDir: boolean;
  readonly folder: FolderUsage;
  readonly fileSystem: FileSystemUsage | null;
}

const PREFIX = 'kubernetes.io~';
const EMPTY_DIR = `${PREFIX}empty-dir`;

export class StorageUsage {
  readonly #options: StorageUsageOptions;
  readonly #layout: VolumeLayout;
  readonly #folders: FolderUsages;

  constructor(options: StorageUsageOptions) {
    this.#options = options;
    this.#layout = new VolumeLayout(options.rootFolder);
    this.#folders = new FolderUsages(options.clock, options.countMs);
  }

  node(): Promise<FileSystemUsage | null> {
    return readFileSystem(this.#options.rootFolder);
  }

  /** Null: the runtime does not report it. */
  async images(): Promise<FileSystemUsage | null> {
    const used = await this.#options.images.usage().catch(() => null);
    const found = used && (await readFileSystem(used.mountpoint));
    return found && { ...found, usedBytes: used.usedBytes, inodesUsed: used.usedInodes };
  }

  logs(pod: PodReference, container: string): Promise<FolderUsage | null> {
    return this.#folders.of(path.join(this.#options.files.logFolder(pod), container));
  }

  async volumes(podUid: string): Promise<readonly VolumeUsage[]> {
    const root = this.#layout.volumesFolder(podUid);
    const kinds = (await namesIn(root)).filter((name) => name.startsWith(PREFIX));
    const found = await Promise.all(
      kinds.map(async (kind) => {
        const names = await namesIn(path.join(root, kind));
        return Promise.all(names.map((name) => this.#volume(path.join(root, kind), name)));
      }),
    );
    return found.flat().filter((volume) => volume !== null);
  }

  async #volume(kindFolder: string, name: string): Promise<VolumeUsage | null> {
    const place = path.join(kindFolder, name);
    const [folder, fileSystem] = await Promise.all([
      this.#folders.of(place),
      readFileSystem(place),
    ]);
    const isEmptyDir = path.basename(kindFolder) === EMPTY_DIR;
    return folder && { name, isEmptyDir, folder, fileSystem };
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}
