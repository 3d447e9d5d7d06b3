/**
 * An object store on disk: whatever was acknowledged is there after a restart, a crash or a power cut.
 *
 * Everything is in memory too. It is read once, when the store opens, and requests never wait for the
 * disk to be read; so a disk that fails takes away writing, not reading. The recent history is on disk
 * as well: it consists of the same records, and clients go on watching after a restart as if nothing
 * had happened.
 *
 *     objects.mdb   the records (see lmdb/record.ts); complete from the moment it has this name
 *     owner.mdb     who uses the folder (see lmdb/owner-lock.ts)
 */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { ObjectStore } from '../../ports/object-store.ts';
import { openEnvironment, type Environment, type Put } from './lmdb/environment.ts';
import { LmdbJournal } from './lmdb/lmdb-journal.ts';
import { loadPast, reasonOf } from './lmdb/load.ts';
import { lockFolder } from './lmdb/owner-lock.ts';
import { encodeHead, FORMAT, HEAD_KEY } from './lmdb/record.ts';
import { storeUnreadable } from './store-errors.ts';
import { VersionedStore, type StoreOptions } from './versioned-store.ts';

export interface LmdbStoreOptions extends StoreOptions {
  /** Made if it is not there. It belongs to one store. */
  readonly folder: string;
}

const FILE = 'objects.mdb';
const OWNER_ONLY = 0o700;
const OWNER_ONLY_FILE = 0o600;

/** Throws STORE_LOCKED, STORE_DAMAGED, STORE_TOO_NEW or STORE_UNREADABLE. */
export async function openLmdbStore(options: LmdbStoreOptions): Promise<ObjectStore> {
  const { folder } = options;
  const file = path.join(folder, FILE);
  makeFolder(folder);
  const release = lockFolder(folder);
  try {
    if (!existsSync(file)) await createFile(file);
    const past = loadPast(file);
    const journal = new LmdbJournal(file, past, openChecked(file), release);
    return new VersionedStore(journal, past, options);
  } catch (error) {
    await release();
    throw error;
  }
}

function openChecked(file: string): Environment {
  try {
    return openEnvironment(file);
  } catch (error) {
    throw storeUnreadable({ file, reason: reasonOf(error) }, error);
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: OWNER_ONLY });
  } catch (error) {
    throw storeUnreadable({ file: folder, reason: reasonOf(error) }, error);
  }
}

/** Under another name until it is complete: a file that has its name is damaged if it is empty. */
async function createFile(file: string): Promise<void> {
  const draft = `${file}.new`;
  try {
    removeDraft(draft);
    closeSync(openSync(draft, 'w', OWNER_ONLY_FILE));
    const environment = openEnvironment(draft);
    try {
      const head: Put = [HEAD_KEY, encodeHead({ format: FORMAT, revision: 0, floor: 0 })];
      await environment.reserve([head], []);
      await environment.write([head], []);
    } finally {
      await environment.close();
    }
    renameSync(draft, file);
    removeDraft(draft);
    syncFolder(path.dirname(file));
  } catch (error) {
    throw storeUnreadable({ file, reason: reasonOf(error) }, error);
  }
}

function removeDraft(draft: string): void {
  for (const each of [draft, `${draft}-lock`]) rmSync(each, { force: true });
}

/** Without this a power cut could take the new name back. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
