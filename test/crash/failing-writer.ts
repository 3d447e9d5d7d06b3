/**
 * A process for tests in which the disk fails: makes commits, and reports the outcome of each.
 *
 * Prints one line of JSON for each round of commits: their outcomes, and what can be read afterwards.
 */
import { writeSync } from 'node:fs';
import { openLmdbStore } from '../../src/apiserver/store/lmdb-store.ts';
import { PodkeepError } from '../../src/lib/errors.ts';
import { systemClock } from '../../src/platform/system-clock.ts';
import { silentLog } from '../support/silent-ports.ts';

const [folder = '', rounds = '10'] = process.argv.slice(2);
const store = await openLmdbStore({ folder, clock: systemClock, log: silentLog });
const notified: string[] = [];
store.watch('/', 0, ({ key, revision }) => void notified.push(`${key} ${revision}`));

for (let round = 0; round < Number(rounds); round++) {
  const outcomes = await Promise.all(
    ['a', 'b'].map(async (name) => {
      const key = `/${round}/${name}`;
      try {
        return [key, await store.commit([{ key, make: (revision) => ({ revision }) }])];
      } catch (error) {
        return [key, error instanceof PodkeepError ? error.code : String(error)];
      }
    }),
  );
  const visible = store.list('/').objects.map(({ key, revision }) => `${key} ${revision}`);
  writeSync(1, `${JSON.stringify({ outcomes, visible, notified })}\n`);
}
await store.close();
