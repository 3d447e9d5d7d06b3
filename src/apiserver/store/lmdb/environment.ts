/**
 * Writes to the store's LMDB file. No other file of the store writes through LMDB, and `load.ts` reads the
 * file without it.
 *
 * LMDB runs without overlapping syncs: it writes the meta page only after all other pages of the transaction
 * are on disk, and writes the meta page through. So a failed transaction is not in the file. With overlapping
 * syncs, LMDB's default, a failed transaction could be in the file, and would be visible after a restart.
 *
 * When a transaction fails, the library's error contains a second promise, which is rejected with the real
 * error. That rejection must be handled here; otherwise it would end the process. Since batching by event
 * turn is off, there are no other such promises.
 */
import { open, type RootDatabase } from 'lmdb';
import { Reserve } from './reserve.ts';

export interface Environment {
  /** Must be awaited before `write`. Rejects if there is no disk space; then nothing was changed. */
  reserve(puts: readonly Put[], removals: readonly Buffer[]): Promise<void>;
  /** One transaction: durable when it resolves, and not in the file if it rejects. */
  write(puts: readonly Put[], removals: readonly Buffer[]): Promise<void>;
  get(key: Buffer): Buffer | undefined;
  close(): Promise<void>;
}

export type Put = readonly [key: Buffer, value: Buffer];

export function openEnvironment(file: string): Environment {
  const reserve = new Reserve(file);
  const database = openDatabase(file);
  return {
    reserve: (puts, removals) => {
      const valueBytes = puts.map(([, value]) => value.length);
      return reserve.ensure({ valueBytes, removals: removals.length });
    },
    write: (puts, removals) => writeBatch(database, puts, removals),
    get: (key) => database.get(key),
    close: async () => {
      reserve.close();
      await database.close();
    },
  };
}

export function openDatabase(file: string): RootDatabase<Buffer, Buffer> {
  return open<Buffer, Buffer>({
    path: file,
    noSubdir: true,
    keyEncoding: 'binary',
    encoding: 'binary',
    overlappingSync: false,
    eventTurnBatching: false,
  });
}

async function writeBatch(
  database: RootDatabase<Buffer, Buffer>,
  puts: readonly Put[],
  removals: readonly Buffer[],
): Promise<void> {
  try {
    await database.batch(() => {
      for (const key of removals) void database.remove(key);
      for (const [key, value] of puts) void database.put(key, value);
    });
  } catch (error) {
    throw await causeOf(error);
  }
}

/** The library's error only refers to the real one, which is a promise. */
async function causeOf(error: unknown): Promise<unknown> {
  const inner: unknown = error instanceof Error && 'commitError' in error && error.commitError;
  if (!(inner instanceof Promise)) return error;
  return inner.then(
    () => error,
    (cause: unknown) => cause,
  );
}
