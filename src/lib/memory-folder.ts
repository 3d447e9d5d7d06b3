/**
 * Creates a folder in memory for data that must not be written to a disk: environments of containers,
 * Secrets, tokens.
 *
 *     DATA/memory                                 a file with the path of the folder
 *     /run/user/UID/podkeep-KEY-memory-XXXXXX/    the folder itself, for the owner only
 *
 * The folder survives a restart of podkeep, but not a reboot, like containers. Its name has a random part, so
 * that no other user can create it first, and a folder of another user is never used. For ordinary users it
 * is in /run/user, which their pods cannot fill; for root in /dev/shm.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

export interface MemoryFolderOptions {
  /** The existing folder in which the path is recorded; absolute. */
  readonly dataFolder: string;
  /** Parent folders to try, the best first. Absent: those of this machine. */
  readonly parents?: readonly string[];
}

const NOTE = 'memory';
const OWNER_ONLY_FILE = { mode: 0o600 };
const OWNER_ONLY = 0o700;
const OTHERS = 0o077;
/** The kernel's magic numbers of tmpfs and ramfs. */
const IN_MEMORY: ReadonlySet<number> = new Set([0x0102_1994, 0x8584_58f6]);

/** A key for names outside of the data folder, which distinguishes data folders from each other. */
export function folderKey(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 8);
}

export class MemoryFolder {
  readonly #dataFolder: string;
  readonly #parents: readonly string[];
  #path: string | undefined;

  constructor({ dataFolder, parents = machineParents() }: MemoryFolderOptions) {
    this.#dataFolder = dataFolder;
    this.#parents = parents;
  }

  /** Undefined: this machine has no file system in memory that this user may write. */
  open(): string | undefined {
    if (this.#path !== undefined && isOurs(this.#path)) return this.#path;
    this.#path = this.#noted() ?? this.#make();
    return this.#path;
  }

  /** Removes the folder if it is empty. */
  close(): void {
    const folder = this.#path ?? this.#noted();
    this.#path = undefined;
    try {
      if (folder !== undefined) rmdirSync(folder);
      rmSync(this.#note, { force: true });
    } catch {
      // The folder is in use; the next podkeep finds it by the recorded path.
    }
  }

  get #note(): string {
    return path.join(this.#dataFolder, NOTE);
  }

  /** The folder of an earlier process. Undefined: the machine was rebooted since. */
  #noted(): string | undefined {
    try {
      const folder = readFileSync(this.#note, 'utf8').trimEnd();
      return path.isAbsolute(folder) && isOurs(folder) ? folder : undefined;
    } catch {
      return undefined;
    }
  }

  #make(): string | undefined {
    for (const parent of this.#parents) {
      try {
        if (!IN_MEMORY.has(statfsSync(parent).type)) continue;
        this.#sweep(parent);
        return this.#makeIn(parent);
      } catch {
        // The parent does not exist, or this user may not write to it: try the next one.
      }
    }
    return undefined;
  }

  /** Removes the folder again if its path cannot be recorded: podkeep would never find it again. */
  #makeIn(parent: string): string {
    const folder = mkdtempSync(path.join(parent, this.#prefix));
    try {
      chmodSync(folder, OWNER_ONLY);
      writeFileSync(this.#note, `${folder}\n`, OWNER_ONLY_FILE);
      return folder;
    } catch (error) {
      rmdirSync(folder);
      throw error;
    }
  }

  get #prefix(): string {
    return `podkeep-${folderKey(this.#dataFolder)}-memory-`;
  }

  /** Removes folders of an earlier data folder with the same path that was deleted. */
  #sweep(parent: string): void {
    for (const name of readdirSync(parent)) {
      const folder = path.join(parent, name);
      if (!name.startsWith(this.#prefix) || !isOurs(folder)) continue;
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

function machineParents(): readonly string[] {
  if (process.platform !== 'linux') return [];
  const uid = process.geteuid?.() ?? 0;
  return uid === 0 ? ['/dev/shm', '/run'] : [`/run/user/${uid}`, '/dev/shm'];
}

/** Whether this is a real folder of this user, closed to all other users. */
function isOurs(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found?.isDirectory() || found.uid !== process.geteuid?.()) return false;
  return (found.mode & OTHERS) === 0;
}
