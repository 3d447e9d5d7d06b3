/**
 * Keeps the volumes of Secrets and tokens in memory if podkeep has no permission to mount a tmpfs: in folders
 * of a memory file system that belongs to the user that podkeep runs as.
 *
 *     ROOT/pods/UID/volumes/kubernetes.io~secret/NAME    an empty folder
 *     MEMORY/UID/kubernetes.io~secret/NAME               the volume
 *
 * The teardown finds the empty folder, so it also finds these volumes after a restart of podkeep.
 */
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { MemoryFolder } from '../../lib/memory-folder.ts';
import type { VolumeLayout } from './volume-layout.ts';

export interface VolumeMemoryOptions {
  /** Absent: this machine has no such memory. */
  readonly memory?: Pick<MemoryFolder, 'open' | 'close'> | undefined;
  readonly layout: VolumeLayout;
}

const OWNER_ONLY = 0o700;

export class VolumeMemory {
  readonly #memory: VolumeMemoryOptions['memory'];
  readonly #layout: VolumeLayout;

  constructor({ memory, layout }: VolumeMemoryOptions) {
    this.#memory = memory;
    this.#layout = layout;
  }

  /** Creates the folder in memory for a volume. Undefined: this machine has no such memory. */
  make(volumeFolder: string): string | undefined {
    const folder = this.#memoryFolderOf(volumeFolder);
    if (folder === undefined) return undefined;
    mkdirSync(folder, { recursive: true, mode: OWNER_ONLY });
    chmodSync(folder, OWNER_ONLY);
    return folder;
  }

  remove(volumeFolder: string): void {
    const folder = this.#memoryFolderOf(volumeFolder);
    if (folder === undefined || !lstatSync(folder, { throwIfNoEntry: false })) return;
    rmSync(folder, { recursive: true, force: true });
    removeEmpty(path.dirname(folder), 2);
  }

  /**
   * Removes the volumes of pods that have no folder on disk, for instance because the operator deleted the
   * data folder.
   */
  sweep(): void {
    const root = this.#memory?.open();
    if (root === undefined) return;
    const known = new Set(namesIn(this.#layout.podsFolder));
    for (const uid of namesIn(root)) {
      if (!known.has(uid)) rmSync(path.join(root, uid), { recursive: true, force: true });
    }
  }

  /** Removes everything, as at a shutdown of the machine. */
  clear(): void {
    const root = this.#memory?.open();
    if (root === undefined) return;
    for (const uid of namesIn(root)) {
      rmSync(path.join(root, uid), { recursive: true, force: true });
    }
    this.close();
  }

  close(): void {
    this.#memory?.close();
  }

  /** The path in memory, UID/kubernetes.io~KIND/NAME, for a volume's folder on disk. */
  #memoryFolderOf(volumeFolder: string): string | undefined {
    const root = this.#memory?.open();
    if (root === undefined) return undefined;
    const [uid = '', volumes, kind = '', name = '', ...rest] = path
      .relative(this.#layout.podsFolder, volumeFolder)
      .split(path.sep);
    const isVolume = volumes === 'volumes' && uid !== '..' && name !== '' && rest.length === 0;
    return isVolume ? path.join(root, uid, kind, name) : undefined;
  }
}

function removeEmpty(folder: string, levels: number): void {
  try {
    rmdirSync(folder);
    if (levels > 1) removeEmpty(path.dirname(folder), levels - 1);
  } catch {
    // The pod has more volumes in memory.
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The folder does not exist, so it has no entries.
    return [];
  }
}
