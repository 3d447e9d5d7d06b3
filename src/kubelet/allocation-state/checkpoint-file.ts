/**
 * Reads and atomically replaces a checkpoint file, as a whole and durably.
 *
 *     create .name.pid-n -> write -> fsync -> close -> rename to name -> fsync of the folder
 *     └────────── a failure leaves the old file ───────────────┘└─ the new file is in place ─┘
 *
 * A crash or a power cut at any point leaves the old content or the new one, never a mixture, and at worst a
 * temporary file, which the next start removes. Kubernetes' kubelet does the same up to the rename (KL-95),
 * but does not sync the folder; without this last step a power loss can bring back the old file after callers
 * have relied on the new one. `replace` must not be called again before its promise has settled: see
 * checkpoint-state-store.ts.
 *
 * A file that cannot be read stops the start and is never overwritten: it is the only record of the resources
 * that running containers have (KL-98).
 */
import path from 'node:path';
import { assert } from '../../lib/assert.ts';
import {
  checkpointFolderUnusable,
  checkpointNotDurable,
  checkpointNotWritten,
  checkpointUnusable,
  checkpointReasonOf,
} from './checkpoint-errors.ts';
import { foldersBetween, type FileSystem, type NewFile } from './file-system.ts';

/**
 * Letters, digits and `-_.`, with a letter or digit at both ends (KL-95). The kubelet allows 250
 * characters; the name of the temporary file is longer and has to fit in 255.
 */
const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const NAME_LENGTH_MAX = 220;
const TEMPORARY_END = /^\d+-\d+$/;

export class CheckpointFile {
  readonly #fileSystem: FileSystem;
  readonly #folder: string;
  readonly #name: string;
  readonly #file: string;
  #replacements = 0;
  /** Folders in which a new folder was made, if they could not be synced since. */
  #unsynced: readonly string[] = [];

  constructor(fileSystem: FileSystem, folder: string, name: string) {
    assert(NAME.test(name) && name.length <= NAME_LENGTH_MAX, `no name for a checkpoint: ${name}`);
    this.#fileSystem = fileSystem;
    this.#folder = path.resolve(folder);
    this.#name = name;
    this.#file = path.join(this.#folder, name);
  }

  /** The parsed content; undefined if there is no file yet. */
  async restore<Content>(parse: (bytes: Uint8Array) => Content): Promise<Content | undefined> {
    await this.#inFolder(() => this.#makeFolder());
    const content = await this.#read(parse);
    await this.#inFolder(() => this.#tidyFolder());
    return content;
  }

  async replace(content: Uint8Array): Promise<void> {
    try {
      await this.#makeFolder();
      await this.#write(content);
    } catch (error) {
      throw checkpointNotWritten({ file: this.#file, reason: checkpointReasonOf(error) }, error);
    }
    try {
      await this.#fileSystem.syncFolder(this.#folder);
    } catch (error) {
      throw checkpointNotDurable({ file: this.#file, reason: checkpointReasonOf(error) }, error);
    }
  }

  async #read<Content>(parse: (bytes: Uint8Array) => Content): Promise<Content | undefined> {
    try {
      const bytes = await this.#fileSystem.readFile(this.#file);
      return bytes && parse(bytes);
    } catch (error) {
      throw checkpointUnusable({ file: this.#file, reason: checkpointReasonOf(error) }, error);
    }
  }

  async #inFolder(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw checkpointFolderUnusable(
        { folder: this.#folder, reason: checkpointReasonOf(error) },
        error,
      );
    }
  }

  /** Called before each write as well, so that a deleted folder does not stop the node. */
  async #makeFolder(): Promise<void> {
    const topmost = await this.#fileSystem.makeFolder(this.#folder);
    // A new folder is an entry in its parent, and a power cut can remove that entry.
    if (topmost !== undefined) {
      this.#unsynced = foldersBetween(topmost, this.#folder).map((made) => path.dirname(made));
    }
    for (const folder of this.#unsynced) await this.#fileSystem.syncFolder(folder);
    this.#unsynced = [];
  }

  /** Removes temporary files of a crash, and makes sure that the file just read is durable. */
  async #tidyFolder(): Promise<void> {
    for (const name of await this.#fileSystem.listFolder(this.#folder)) {
      if (this.#isTemporary(name)) {
        await this.#fileSystem.removeFile(path.join(this.#folder, name));
      }
    }
    await this.#fileSystem.syncFolder(this.#folder);
  }

  async #write(content: Uint8Array): Promise<void> {
    this.#replacements += 1;
    const temporary = path.join(
      this.#folder,
      `${this.#temporaryStart()}${process.pid}-${this.#replacements}`,
    );
    const file = await this.#fileSystem.createFile(temporary);
    await undoOnFailure(
      async () => {
        await fill(file, content);
        await this.#fileSystem.rename(temporary, this.#file);
      },
      () => this.#fileSystem.removeFile(temporary),
    );
  }

  /**
   * It contains the checkpoint's name, so that two checkpoints in one folder do not remove each other's
   * temporary files.
   */
  #temporaryStart(): string {
    return `.${this.#name}.`;
  }

  #isTemporary(name: string): boolean {
    const start = this.#temporaryStart();
    return name.startsWith(start) && TEMPORARY_END.test(name.slice(start.length));
  }
}

async function fill(file: NewFile, content: Uint8Array): Promise<void> {
  await undoOnFailure(
    async () => {
      await file.write(content);
      await file.sync();
    },
    () => file.close(),
  );
  await file.close();
}

/** If undoing fails too, both failures are reported. */
async function undoOnFailure(work: () => Promise<void>, undo: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const [undone] = await Promise.allSettled([undo()]);
    if (undone.status === 'fulfilled') throw error;
    const errors = [error, undone.reason];
    const message = errors.map(checkpointReasonOf).join(', and after that: ');
    throw new AggregateError(errors, message, { cause: error });
  }
}
