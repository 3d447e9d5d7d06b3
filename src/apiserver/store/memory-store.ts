/** An object store in memory only, for tests and for trying podkeep out. */
import type { ObjectStore } from '../../ports/api/object-store.ts';
import { memoryJournal } from './journal.ts';
import { NO_PAST } from './timeline.ts';
import { VersionedStore, type StoreOptions } from './versioned-store.ts';

export function openMemoryStore(options: StoreOptions): ObjectStore {
  return new VersionedStore(memoryJournal, NO_PAST, options);
}
