/**
 * Volumes of Secrets and tokens where podkeep may not mount: folders in memory of this user.
 *
 *     ROOT/pods/UID/volumes/kubernetes.io~secret/NAME    an empty folder
 *     MEMORY/UID/kubernetes.io~secret/NAME               the volume
 *
 * The teardown finds the empty folder, so nothing is lost by a restart.
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

  /** The folder in memory for a volume; undefined: this machine has no such memory. */
  make(volumeFolder: string): string | undefined {
    const folder = this.#placeOf(volumeFolder);
    if (folder === undefined) return undefined;
    mkdirSync(folder, { recursive: true, mode: OWNER_ONLY });
    chmodSync(folder, OWNER_ONLY);
    return folder;
  }

  remove(volumeFolder: string): void {
    const folder = this.#placeOf(volumeFolder);
    if (folder === undefined || !lstatSync(folder, { throwIfNoEntry: false })) return;
    rmSync(folder, { recursive: true, force: true });
    removeEmpty(path.dirname(folder), 2);
  }

  /** Removes the volumes of pods that are not on the disk, as after the data folder was made again. */
  sweep(): void {
    const place = this.#memory?.open();
    if (place === undefined) return;
    const known = new Set(namesIn(this.#layout.podsFolder));
    for (const uid of namesIn(place)) {
      if (!known.has(uid)) rmSync(path.join(place, uid), { recursive: true, force: true });
    }
  }

  /** Removes everything, as at a shutdown of the machine. */
  clear(): void {
    const place = this.#memory?.open();
    if (place === undefined) return;
    for (const uid of namesIn(place)) {
      rmSync(path.join(place, uid), { recursive: true, force: true });
    }
    this.close();
  }

  close(): void {
    this.#memory?.close();
  }

  /** UID/kubernetes.io~KIND/NAME of the folder on the disk, in memory. */
  #placeOf(volumeFolder: string): string | undefined {
    const place = this.#memory?.open();
    if (place === undefined) return undefined;
    const [uid = '', volumes, kind = '', name = '', ...rest] = path
      .relative(this.#layout.podsFolder, volumeFolder)
      .split(path.sep);
    const isVolume = volumes === 'volumes' && uid !== '..' && name !== '' && rest.length === 0;
    return isVolume ? path.join(place, uid, kind, name) : undefined;
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
    // Not there: nothing in it.
    return [];
  }
}
