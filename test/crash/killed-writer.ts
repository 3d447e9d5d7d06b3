/**
 * A process to be killed: eight clients write without end, and print what was acknowledged.
 *
 * Client c commits round after round, and waits for each. Round n sets `/c/a` and `/c/b` to n, adds
 * `/c/log/n` and deletes `/c/log/n-3`, so after any whole round a and b are equal and the log has the
 * last three. History is short, so that compaction is under way as well.
 *
 * A line is written when a round is acknowledged: client, round, revision. Writing is synchronous: when
 * it returns, the line is in the pipe, where a kill cannot undo it.
 */
import { writeSync } from 'node:fs';
import { openLmdbStore } from '../../src/apiserver/store/lmdb-store.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { systemClock } from '../../src/platform/system-clock.ts';
import type { Change } from '../../src/ports/api/object-store.ts';
import { silentLog } from '../support/silent-ports.ts';

const CLIENTS = 8;
const [folder = ''] = process.argv.slice(2);
const store = await openLmdbStore({ folder, clock: systemClock, log: silentLog, historyMax: 40 });
writeSync(1, `open ${store.revision}\n`);

async function write(client: number): Promise<never> {
  const newest = store.get(`/${client}/a`)?.value['n'];
  for (let n = typeof newest === 'number' ? newest + 1 : 1; ; n++) {
    const revision = await store.commit(changesOf(client, n));
    writeSync(1, `${client} ${n} ${revision}\n`);
  }
}

function changesOf(client: number, n: number): readonly Change[] {
  // Some small, some on their own pages, some on many pages.
  const text = 'x'.repeat((n % 5) ** 2 * 600);
  const make = (revision: number): JsonObject => ({ n, text, revision });
  const expected = store.get(`/${client}/a`)?.revision ?? 0;
  return [
    { key: `/${client}/a`, make, expected },
    { key: `/${client}/log/${n}`, make, expected: 0 },
    { key: `/${client}/log/${n - 3}`, make: null },
    { key: `/${client}/b`, make },
  ];
}

await Promise.all(Array.from({ length: CLIENTS }, (_, client) => write(client)));
