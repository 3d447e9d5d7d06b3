/**
 * The query API under 200 watchers and 1,000 pods that come, change, move between filters and leave.
 *
 * The test keeps its own record of what it did, in order; each watcher must have seen just that part of it
 * which its filter matches, through whatever it was cut and resumed.
 */
import { expect, test } from 'vitest';
import type { Pod } from '../../../src/api/pod.ts';
import { seededRandom } from '../../../src/platform/seeded-random.ts';
import { podNamed, QueryHarness } from '../../support/query-harness.ts';
import { askQuery, WatchClient, type SentEvent } from '../../support/watch-client.ts';

const PODS = 1000;
const SHARDS = 20;
const UNFILTERED = 40;
const FILTERED = 159;
const CHANGES = 6000;
/** How many changes happen before the watchers get a turn. */
const BURST = 25;

/** One change of one pod; null: it was not there before, or is not after it. */
interface Done {
  readonly name: string;
  readonly note: number;
  readonly before: number | null;
  readonly after: number | null;
}

class World {
  readonly harness = new QueryHarness({ limits: { unsentBytesMax: 64 * 1024, entriesMax: 2000 } });
  readonly done: Done[] = [];
  readonly #random = seededRandom(7);
  readonly #shards = new Map<string, number>();

  /** A pod is added, gets another label or another status, or is removed. */
  change(): void {
    const name = `pod-${this.#below(PODS)}`;
    const before = this.#shards.get(name) ?? null;
    const after = before !== null && this.#below(10) === 0 ? null : this.#below(SHARDS);
    const note = this.done.length;
    this.done.push({ name, note, before, after });
    if (after === null) {
      this.#shards.delete(name);
      this.harness.remove(name);
      return;
    }
    this.#shards.set(name, after);
    this.harness.pods.update(podIn(name, after, note));
  }

  start(): void {
    for (let index = 0; index < PODS; index++) {
      const name = `pod-${index}`;
      this.#shards.set(name, index % SHARDS);
      this.harness.pods.update(podIn(name, index % SHARDS, -1));
      this.harness.setPhase(name, 'Running');
    }
  }

  #below(count: number): number {
    return Math.floor(this.#random.next() * count);
  }
}

function podIn(name: string, shard: number, note: number): Pod {
  const pod = podNamed(name, { shard: String(shard) });
  return { ...pod, metadata: { ...pod.metadata, annotations: { note: String(note) } } };
}

/** What a watcher of this shard must see of the changes; null: of all shards. */
function expectedOf(done: readonly Done[], shard: number | null): readonly string[] {
  const fits = (one: number | null): boolean => one !== null && (shard === null || one === shard);
  return done.flatMap(({ name, note, before, after }) => {
    if (fits(after)) return [`pod ${name} ${note}`];
    return fits(before) ? [`deleted ${name}`] : [];
  });
}

function seenIn(events: readonly SentEvent[]): readonly string[] {
  return events.map(({ type, data }) => {
    const [, name = ''] = /"name":"(pod-\d+)"/.exec(data) ?? [];
    const [, note = ''] = /"note":"(-?\d+)"/.exec(data) ?? [];
    return type === 'deleted' ? `deleted ${name}` : `${type} ${name} ${note}`;
  });
}

function liveEventsOf({ events }: WatchClient): readonly SentEvent[] {
  return events.slice(events.findIndex(({ type }) => type === 'synced') + 1);
}

function isGrowing(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0));
}

test('200 watchers of 1,000 pods miss and reorder nothing; a slow one is cut and resumes', async () => {
  const world = new World();
  const { clock, query } = world.harness;
  const ask = askQuery(clock, query);
  world.start();
  const watchers = await Promise.all(
    Array.from({ length: UNFILTERED + FILTERED }, async (_, index) => {
      const shard = index < UNFILTERED ? null : index % SHARDS;
      const filter = shard === null ? '' : `&labelSelector=shard%3D${shard}`;
      return { shard, client: await WatchClient.open(ask, `pods?watch${filter}`) };
    }),
  );
  const slow = await WatchClient.open(ask, 'pods?watch');
  const parts: WatchClient[] = [slow];
  for (let count = 0; count < CHANGES; count++) {
    world.change();
    if (count % BURST > 0) continue;
    await clock.pass(0);
    // From time to time the slow one does not read for a while; it resumes where it was.
    const current = parts.at(-1) ?? slow;
    if (count % 2000 === 500) current.isPaused = true;
    if (count % 2000 === 1400) current.resume();
    if (current.failure === null) continue;
    parts.push(await WatchClient.open(ask, 'pods?watch', { 'last-event-id': current.lastEventId }));
  }
  await clock.pass(0);

  for (const { shard, client } of watchers) {
    expect(client.failure).toBeNull();
    const live = liveEventsOf(client);
    expect(seenIn(live)).toEqual(expectedOf(world.done, shard));
    expect(isGrowing(live.map(({ id }) => Number(id.split('-')[1])))).toBe(true);
  }
  const cut = parts.filter(({ failure }) => failure !== null);
  expect(cut.length).toBeGreaterThanOrEqual(2);
  for (const { failure } of cut) expect(failure).toMatchObject({ code: 'WATCH_TOO_SLOW' });
  const stitched = [...liveEventsOf(slow), ...parts.slice(1).flatMap(({ events }) => events)];
  expect(seenIn(stitched)).toEqual(expectedOf(world.done, null));
}, 60_000);

test('a watcher that was away for too long gets a reset, and then has the same state', async () => {
  const world = new World();
  const { clock, query } = world.harness;
  const ask = askQuery(clock, query);
  world.start();
  const away = await WatchClient.open(ask, 'pods?watch');
  await clock.pass(0);
  away.isPaused = true;
  for (let count = 0; count < CHANGES / 2; count++) world.change();
  const back = await WatchClient.open(ask, 'pods?watch', { 'last-event-id': away.lastEventId });
  await clock.pass(0);
  const [first, ...rest] = back.events;
  expect(first?.type).toBe('reset');
  const pods = rest.filter(({ type }) => type === 'pod').map(({ data }) => JSON.parse(data));
  expect(pods).toEqual(query.pods()['items']);
  expect(rest.at(-1)?.type).toBe('synced');
});
