/**
 * Locks a folder for one podkeep process.
 *
 * Node has no file locks, but LMDB does: each process that reads an LMDB file is listed in the file's reader
 * table, and holds a lock of the operating system until the process ends, however it ends. So the owner of a
 * folder is a permanent reader of a small file without records, and a process that finds another reader there
 * gives up. Each process enters the table before it checks the table: if two start at the same time, at least
 * one of them gives up, possibly both.
 *
 * The store's own file cannot be used for this, because it must be checked before LMDB opens it, and because
 * a permanent reader would prevent the reuse of old pages of that file.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { storeDamaged, storeLocked, storeUnreadable } from '../store-errors.ts';
import { Damage } from './damage.ts';
import { openDatabase } from './environment.ts';
import { loadFailureOf } from './load.ts';
import { readMeta } from './meta-page.ts';

const OWNER_FILE = 'owner.mdb';

/** LMDB's table distinguishes processes, not the stores of one process. */
const heldHere = new Set<string>();

/** Returns a function that unlocks the folder. Throws STORE_LOCKED. */
export function lockFolder(folder: string): () => Promise<void> {
  const name = realpathSync(folder);
  if (heldHere.has(name)) throw storeLocked({ folder, owner: 'this very process' });
  const file = path.join(folder, OWNER_FILE);
  checkOwnerFile(file);
  const { others, leave } = enter(file);
  if (others.length > 0) {
    // If this fails, the table entry disappears when this process ends. The owner is not affected.
    leave().catch(() => {});
    throw storeLocked({ folder, owner: `process ${others.join(', ')}` });
  }
  heldHere.add(name);
  return async () => {
    heldHere.delete(name);
    await leave();
  };
}

/** The IDs of processes that have locked the folder, without locking it. Usually one or none. */
export async function lockOwnersOf(folder: string): Promise<readonly number[]> {
  const file = path.join(folder, OWNER_FILE);
  if (!existsSync(file)) return [];
  checkOwnerFile(file);
  try {
    const database = openDatabase(file);
    try {
      database.readerCheck();
      return readersIn(database.readerList()).filter((pid) => pid !== process.pid);
    } finally {
      await database.close();
    }
  } catch (error) {
    throw storeUnreadable({ file, reason: loadFailureOf(error) }, error);
  }
}

function enter(file: string): { others: readonly number[]; leave: () => Promise<void> } {
  try {
    const database = openDatabase(file);
    const reading = database.useReadTransaction();
    // Killed processes leave their entry behind.
    database.readerCheck();
    const others = readersIn(database.readerList()).filter((pid) => pid !== process.pid);
    const leave = (): Promise<void> => {
      reading.done();
      return database.close();
    };
    return { others, leave };
  } catch (error) {
    throw storeUnreadable({ file, reason: loadFailureOf(error) }, error);
  }
}

/** Parses LMDB's table: a line of titles, then for each reader its process, thread and transaction. */
function readersIn(table: string): readonly number[] {
  const pids = table.split('\n').map((line) => Number.parseInt(line.trim(), 10));
  return [...new Set(pids.filter((pid) => pid > 0))];
}

function checkOwnerFile(file: string): void {
  if (!existsSync(file)) return;
  const bytes = readFileSync(file);
  // The file is empty if its creator was killed before it wrote to it. LMDB then creates it again.
  if (bytes.length === 0) return;
  try {
    const { main, free } = readMeta(bytes);
    if (main.root !== null || free.root !== null) throw new Damage('it should have no records');
  } catch (error) {
    throw storeDamaged({ file, reason: loadFailureOf(error) }, error);
  }
}
