/**
 * An object store on disk: acknowledged commits survive a restart, a crash or a power cut.
 *
 * All objects are also in memory: the file is read once, when the store opens, and requests never read from
 * disk, so a failing disk prevents writes but not reads. The recent history is on disk as well (as the same
 * records), so clients can continue their watches after a restart.
 *
 *     objects.mdb   the records (see lmdb/record.ts); complete from the moment it has this name
 *     owner.mdb     the lock of the folder (see lmdb/owner-lock.ts)
 */
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Log } from '../../ports/log.ts';
import type { ObjectStore } from '../../ports/api/object-store.ts';
import { encryptionConfigMissing, encryptionKeyWrong } from '../at-rest/encryption-errors.ts';
import type { Encryption } from '../at-rest/encryption.ts';
import { openEnvironment, type Environment } from './lmdb/environment.ts';
import { LmdbJournal, type PreparedCommit } from './lmdb/lmdb-journal.ts';
import { loadPast, loadFailureOf, type Loaded } from './lmdb/load.ts';
import { lockFolder } from './lmdb/owner-lock.ts';
import { createFile, removeDraft } from './lmdb/store-file.ts';
import { storeUnreadable } from './store-errors.ts';
import { VersionedStore, type StoreOptions } from './versioned-store.ts';

export interface LmdbStoreOptions extends StoreOptions {
  /** Created if it is missing. It belongs to one store. */
  readonly folder: string;
  /** Absent: objects are written as plaintext. */
  readonly encryption?: Encryption;
}

export interface LmdbStore extends ObjectStore {
  /** Encrypts all future writes this way, and then re-encrypts everything that is stored. */
  encryptWith(encryption: Encryption): Promise<void>;
}

const FILE = 'objects.mdb';
const OWNER_ONLY = 0o700;

/**
 * Throws STORE_LOCKED, STORE_DAMAGED, STORE_TOO_NEW or STORE_UNREADABLE; and if encrypted objects cannot
 * be read, ENCRYPTION_CONFIG_MISSING or ENCRYPTION_KEY_WRONG.
 */
export async function openLmdbStore(options: LmdbStoreOptions): Promise<LmdbStore> {
  const { folder, encryption = null } = options;
  const file = path.join(folder, FILE);
  makeFolder(folder);
  const release = lockFolder(folder);
  try {
    removeDraft(file);
    if (!existsSync(file)) await createFile(file);
    const loaded = loadPast(file, encryption);
    checkKeys(file, loaded, encryption);
    const journal = new LmdbJournal(file, loaded, encryption, openChecked(file), release);
    const opened = new OpenedStore(journal, loaded, options);
    if (encryption && (loaded.values.hasStale || loaded.sealing !== encryption.fingerprint)) {
      await opened.reseal();
    }
    opened.compact(loaded.unreadableUpTo);
    return opened;
  } catch (error) {
    await release();
    throw error;
  }
}

class OpenedStore extends VersionedStore<PreparedCommit> implements LmdbStore {
  readonly #journal: LmdbJournal;
  readonly #log: Log;

  constructor(journal: LmdbJournal, loaded: Loaded, options: LmdbStoreOptions) {
    super(journal, loaded, options);
    this.#journal = journal;
    this.#log = options.log;
    for (const [object, reason] of loaded.values.unreadable) {
      this.#log.error('Failed to decrypt an object', { object, reason });
    }
  }

  encryptWith(encryption: Encryption): Promise<void> {
    this.#journal.switchTo(encryption);
    return this.reseal();
  }

  /** If it fails, the old file stays. Objects are then encrypted one by one, when they are written. */
  async reseal(): Promise<void> {
    try {
      await this.maintain(() => this.#journal.reseal());
      this.#log.info('Re-encrypted all stored objects');
    } catch (error) {
      this.#log.error('Failed to re-encrypt stored objects', {
        error,
      });
    }
  }
}

/**
 * If some objects cannot be decrypted, requests for them fail. If none can be, the key is wrong, and the
 * store does not open.
 */
function checkKeys(file: string, { values }: Loaded, encryption: Encryption | null): void {
  const { unreadable, sealedCount: count } = values;
  const [reason] = unreadable.values();
  if (reason === undefined) return;
  if (!encryption) throw encryptionConfigMissing({ file, count });
  if (unreadable.size === count) throw encryptionKeyWrong({ file, count, reason });
}

function openChecked(file: string): Environment {
  try {
    return openEnvironment(file);
  } catch (error) {
    throw storeUnreadable({ file, reason: loadFailureOf(error) }, error);
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: OWNER_ONLY });
  } catch (error) {
    throw storeUnreadable({ file: folder, reason: loadFailureOf(error) }, error);
  }
}
