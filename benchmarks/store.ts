/**
 * Measures how fast the object store commits, lists and watches objects, compared with what the machine
 * itself can do.
 *
 * A durable commit cannot be faster than the disk, so each figure is compared with bare LMDB transactions and
 * bare syncs of one page in the same run. Bare LMDB grows its file with every transaction; the store reserves
 * space in advance, so it may even be faster.
 */
import { fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { open as openLmdb } from 'lmdb';
import { openLmdbStore } from '../src/apiserver/store/lmdb-store.ts';
import { openMemoryStore } from '../src/apiserver/store/memory-store.ts';
import type { JsonObject } from '../src/lib/json.ts';
import { systemClock as clock } from '../src/platform/system-clock.ts';
import type { ObjectStore } from '../src/ports/api/object-store.ts';
import { silentLog as log } from '../test/support/silent-ports.ts';
import { formatTable } from './table.ts';

const PODS = 10_000;
const POD_BYTES = 3000;
const SECONDS = 2;
const PAGE_BYTES = 4096;
const WATCHERS = 100;

const PADDING = 'x'.repeat(POD_BYTES - 100);

export async function benchStore(print: (line: string) => void): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-bench-'));
  try {
    await benchCommits(folder, print);
    await benchReading(folder, print);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function benchCommits(folder: string, print: (line: string) => void): Promise<void> {
  const store = await openLmdbStore({ folder: path.join(folder, 'commits'), clock, log });
  const sync = rateOfSyncs(path.join(folder, 'page'));
  const bare = await rateOfBareLmdb(path.join(folder, 'bare.mdb'));
  const one = await rateOfClients(store, 1);
  const many = await rateOfClients(store, 32);
  await store.close();
  const inMemory = openMemoryStore({ clock, log });
  const memory = await rateOfClients(inMemory, 32);
  await inMemory.close();
  print(
    formatTable(
      ['durable commits of 3 KB', 'per second', 'of bare LMDB', 'of bare syncs'],
      [
        ['a page written and synced', sync],
        ['a bare LMDB transaction', bare],
        ['the store, 1 client', one],
        ['the store, 32 clients', many],
        ['(in memory, 32 clients)', memory],
      ].map(([name, rate]) => {
        const ratios = [bare, sync].map((limit) => (Number(rate) / limit).toFixed(2));
        return [String(name), Number(rate).toFixed(0), ...ratios];
      }),
    ),
  );
}

async function benchReading(folder: string, print: (line: string) => void): Promise<void> {
  const options = { folder: path.join(folder, 'pods'), clock, log };
  const filling = await openLmdbStore(options);
  await fill(filling);
  filling.compact(filling.revision);
  await filling.close();

  const cpu = process.cpuUsage();
  const [openMs, store] = await time(() => openLmdbStore(options));
  const { user, system } = process.cpuUsage(cpu);
  const [firstMs] = await time(() => store.list('/pods/'));
  const againMs = await best(() => store.list('/pods/'));
  const pageMs = await best(() => store.list('/pods/', { limit: 500, after: '/pods/04999' }));
  await store.close();
  const delivered = await rateOfDeliveries();
  print(
    formatTable(
      ['10,000 pods of 3 KB', 'measured', 'at most'],
      [
        row('open from disk, all checked', openMs, 300),
        row('  of which this process computed', (user + system) / 1000, 300),
        row('first list, which parses them', firstMs, 400),
        row('list again', againMs, 10),
        row('a page of 500 in the middle', pageMs, 5),
      ],
    ),
  );
  print(`events delivered to ${WATCHERS} watchers: ${Math.round(delivered)} per second`);
}

function row(name: string, ms: number, most: number): readonly string[] {
  return [name, `${ms.toFixed(1)} ms`, `${most} ms: ${ms <= most ? 'yes' : 'NO'}`];
}

/** Repeatedly writes a disk page and syncs it. */
function rateOfSyncs(file: string): number {
  const descriptor = openSync(file, 'w');
  const page = Buffer.alloc(PAGE_BYTES, 1);
  let count = 0;
  const start = performance.now();
  for (; performance.now() - start < SECONDS * 1000; count++) {
    writeSync(descriptor, page, 0, page.length, 0);
    fdatasyncSync(descriptor);
  }
  return perSecond(count, start);
}

async function rateOfBareLmdb(file: string): Promise<number> {
  const database = openLmdb<Buffer, number>({
    path: file,
    noSubdir: true,
    encoding: 'binary',
    overlappingSync: false,
  });
  const value = Buffer.alloc(POD_BYTES, 120);
  let count = 0;
  const start = performance.now();
  for (; performance.now() - start < SECONDS * 1000; count++) {
    const key = count;
    database.transactionSync(() => void database.put(key, value));
  }
  const rate = perSecond(count, start);
  await database.close();
  return rate;
}

/** Each client waits for its commit before the next one. */
async function rateOfClients(store: ObjectStore, clients: number): Promise<number> {
  let count = 0;
  const start = performance.now();
  const work = async (client: number): Promise<void> => {
    for (let n = 0; performance.now() - start < SECONDS * 1000; n++) {
      await store.commit([{ key: `/pods/${client}-${n % 100}`, make: podOf }]);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  return perSecond(count, start);
}

async function fill(store: ObjectStore): Promise<void> {
  const keys = Array.from({ length: PODS }, (_, n) => `/pods/${String(n).padStart(5, '0')}`);
  await Promise.all(keys.map((key) => store.commit([{ key, make: podOf }])));
}

async function rateOfDeliveries(): Promise<number> {
  const store = openMemoryStore({ clock, log });
  let count = 0;
  for (let n = 0; n < WATCHERS; n++) store.watch('/pods/', 0, () => void (count += 1));
  const start = performance.now();
  await fill(store);
  const rate = perSecond(count, start);
  await store.close();
  return rate;
}

function podOf(revision: number): JsonObject {
  return {
    kind: 'Pod',
    metadata: { namespace: 'default', resourceVersion: String(revision) },
    spec: { containers: [{ name: 'main', args: [PADDING] }] },
  };
}

function perSecond(count: number, startMs: number): number {
  return (count * 1000) / (performance.now() - startMs);
}

async function time<Result>(
  act: () => Result | Promise<Result>,
): Promise<readonly [ms: number, result: Result]> {
  const start = performance.now();
  const result = await act();
  return [performance.now() - start, result];
}

async function best(act: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 10; run++) least = Math.min(least, (await time(act))[0]);
  return least;
}
