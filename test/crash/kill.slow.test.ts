/**
 * The store is killed in the middle of writing, again and again, and never loses what it acknowledged.
 *
 * `KILLS=200 npm run test:slow -- test/crash/kill` for a long run. SEED decides the times of the kills, but
 * what the store does then depends on the machine: a failure may not repeat.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openLmdbStore } from '../../src/apiserver/store/lmdb-store.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import type { ObjectStore } from '../../src/ports/api/object-store.ts';
import { silentLog } from '../support/silent-ports.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { endOf, startProgram } from './child.ts';

interface Acknowledged {
  readonly client: number;
  readonly n: number;
  readonly revision: number;
}

const KILLS = Number(process.env['KILLS'] ?? 10);
const SEED = Number(process.env['SEED'] ?? 1);
const LIFE_MS_MAX = 250;
const SECONDS_PER_KILL = 20;

test(
  'every acknowledged commit survives a kill, whole, and no revision comes twice',
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-kill-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const random = seededRandom(SEED);
    let newest = 0;
    let total = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const acknowledged = await liveAndDie(folder, random.next() * LIFE_MS_MAX, newest);
      total += acknowledged.length;
      newest = await examine(folder, acknowledged, newest);
    }
    console.log(`${KILLS} kills, ${total} acknowledged commits, newest revision ${newest}`);
    expect(total).toBeGreaterThan(KILLS);
  },
  KILLS * SECONDS_PER_KILL * 1000,
);

/** Starts the writer, kills it some time after its first acknowledged write, and reads its output. */
async function liveAndDie(
  folder: string,
  lifeMs: number,
  newest: number,
): Promise<readonly Acknowledged[]> {
  const child = startProgram('killed-writer.ts', [folder]);
  const ended = endOf(child);
  let given = '';
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (text: string) => {
      given += text;
      if (given.split('\n').length > 2) resolve();
    });
    child.on('close', () => resolve());
  });
  await delay(lifeMs);
  child.kill('SIGKILL');
  const { signal, out, err } = await ended;
  expect({ signal, err }).toEqual({ signal: 'SIGKILL', err: '' });
  const [first, ...lines] = out.split('\n').slice(0, -1);
  expect(first).toBe(`open ${newest}`);
  return lines.map((line) => {
    const [client = 0, n = 0, revision = 0] = line.split(' ').map(Number);
    return { client, n, revision };
  });
}

/** Returns the newest revision. */
async function examine(
  folder: string,
  acknowledged: readonly Acknowledged[],
  before: number,
): Promise<number> {
  const store = await openLmdbStore({ folder, clock: new VirtualClock(), log: silentLog });
  const revisions = acknowledged.map(({ revision }) => revision);
  expect(revisions).toEqual([...new Set(revisions)].toSorted((a, b) => a - b));
  expect(revisions[0]).toBeGreaterThan(before);
  expect(store.revision).toBeGreaterThanOrEqual(revisions.at(-1) ?? 0);
  for (let client = 0; client < 8; client++) {
    examineClient(
      store,
      client,
      acknowledged.findLast((each) => each.client === client),
    );
  }
  examineHistory(store);
  const { revision } = store;
  await store.close();
  return revision;
}

function examineClient(store: ObjectStore, client: number, last: Acknowledged | undefined): void {
  const [a, b] = ['a', 'b'].map((name) => store.get(`/${client}/${name}`));
  const n = Number(a?.value['n'] ?? 0);
  expect(b).toEqual(a && { ...b, value: a.value, revision: a.revision });
  // One more than was acknowledged may exist: a kill can come between the write and the answer.
  if (last) {
    expect([last.n, last.n + 1]).toContain(n);
    expect(a?.revision).toBeGreaterThanOrEqual(last.revision);
  }
  const log = store.list(`/${client}/log/`).objects.map(({ value }) => Number(value['n']));
  expect(log.toSorted((x, y) => x - y)).toEqual([n - 2, n - 1, n].filter((each) => each > 0));
  for (const { value, revision } of store.list(`/${client}/`).objects) {
    expect(value['revision']).toBe(revision);
    expect(value['text']).toBe('x'.repeat((Number(value['n']) % 5) ** 2 * 600));
  }
}

/** The events of a watch that continues after the restart match the objects. */
function examineHistory(store: ObjectStore): void {
  const oldest = Math.max(store.revision - 30, 0);
  const state = new Map(
    store.list('/', { revision: oldest }).objects.map((o) => [o.key, o.revision]),
  );
  store.watch('/', oldest, ({ type, key, revision, before }) => {
    expect(before !== null).toBe(state.has(key));
    if (type === 'put') state.set(key, revision);
    else state.delete(key);
  })();
  const now = store.list('/').objects.map((object) => [object.key, object.revision] as const);
  expect(state).toEqual(new Map(now));
}
