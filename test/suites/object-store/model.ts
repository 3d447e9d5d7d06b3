/**
 * Compares an object store with the slowest possible one: a list of all states it ever had.
 */
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { unreachable } from '../../../src/lib/assert.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { Change, ObjectStore, StoreEvent } from '../../../src/ports/api/object-store.ts';

type State = ReadonlyMap<string, { readonly value: JsonObject; readonly revision: number }>;

interface Model {
  /** The state at each revision; the index is the revision. */
  readonly states: State[];
  readonly events: StoreEvent[];
  floor: number;
}

interface Watch {
  readonly prefix: string;
  readonly afterRevision: number;
  readonly notified: StoreEvent[];
  /** How many events there were when it ended. */
  endedAt: number | null;
  stop: () => void;
}

interface PlannedChange {
  readonly key: string;
  readonly goes: boolean;
  readonly expects: 'nothing' | 'right' | 'absent' | 'wrong';
}

type Step =
  | { readonly do: 'commit'; readonly together: readonly (readonly PlannedChange[])[] }
  | { readonly do: 'list'; readonly back: number; readonly prefix: string; readonly limit: number }
  | { readonly do: 'watch'; readonly back: number; readonly prefix: string }
  | { readonly do: 'leave' }
  | { readonly do: 'compact'; readonly back: number };

const KEYS = ['', '/a', '/a/', '/a/b', '/ab', '/b/\u{1f600}', '/b/\ue000', '__proto__'];
const PREFIXES = ['', '/', '/a', '/a/', '/b', '/b/\ud83d', '__proto__', '/none'];

const change: fc.Arbitrary<PlannedChange> = fc.record({
  key: fc.constantFrom(...KEYS),
  goes: fc.boolean(),
  expects: fc.constantFrom('nothing', 'nothing', 'right', 'right', 'absent', 'wrong'),
});
const changes = fc.uniqueArray(change, { selector: ({ key }) => key, maxLength: 4 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('commit' as const),
      together: fc.array(changes, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('list' as const),
      back: fc.nat(8),
      prefix: fc.constantFrom(...PREFIXES),
      limit: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('watch' as const),
      back: fc.nat(8),
      prefix: fc.constantFrom(...PREFIXES),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('compact' as const), back: fc.nat(6) }),
  },
);

export async function followModel(
  open: () => Promise<ObjectStore>,
  histories: number,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const store = await open();
      await play(store, steps).finally(() => store.close());
    }),
    { numRuns: histories },
  );
}

async function play(store: ObjectStore, steps: readonly Step[]): Promise<void> {
  const model: Model = { states: [new Map()], events: [], floor: 0 };
  const watches: Watch[] = [];
  for (const each of steps) {
    const newest = model.states.length - 1;
    switch (each.do) {
      case 'commit':
        await commitAll(store, model, each.together);
        break;
      case 'list':
        listPages(store, model, newest - each.back, each.prefix, each.limit);
        break;
      case 'watch':
        startWatch(store, model, watches, newest - each.back, each.prefix);
        break;
      case 'leave':
        leave(model, watches);
        break;
      case 'compact':
        store.compact(newest - each.back);
        model.floor = Math.max(model.floor, newest - each.back);
        break;
      default:
        unreachable(each);
    }
    for (const watch of watches) expect(watch.notified).toEqual(expectedOf(model, watch));
    expect(store.revision).toBe(model.states.length - 1);
  }
}

async function commitAll(
  store: ObjectStore,
  model: Model,
  together: readonly (readonly PlannedChange[])[],
): Promise<void> {
  const outcomes = together.map(async (planned, n) => {
    const state = model.states.at(-1) ?? new Map();
    const list = planned.map((each) => changeOf(each, state, n));
    const conflicts = list.some(
      ({ key, expected }) => expected !== undefined && expected !== (state.get(key)?.revision ?? 0),
    );
    const revision = model.states.length;
    if (!conflicts) applyTo(model, list);
    const committing = store.commit(list);
    if (conflicts) await expect(committing).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
    else expect(await committing).toBe(revision);
  });
  await Promise.all(outcomes);
}

function changeOf({ key, goes, expects }: PlannedChange, state: State, n: number): Change {
  const actual = state.get(key)?.revision ?? 0;
  const make = goes ? null : (revision: number): JsonObject => ({ n, revision });
  switch (expects) {
    case 'nothing':
      return { key, make };
    case 'right':
      return { key, make, expected: actual };
    case 'absent':
      return { key, make, expected: 0 };
    case 'wrong':
      return { key, make, expected: actual + 1 };
    default:
      return unreachable(expects);
  }
}

function applyTo(model: Model, changes: readonly Change[]): void {
  const revision = model.states.length;
  const state = new Map(model.states.at(-1));
  for (const { key, make } of changes) {
    const before = state.get(key)?.value ?? null;
    if (make) {
      const value = make(revision);
      state.set(key, { value, revision });
      model.events.push({ type: 'put', key, revision, value, before });
    } else if (before) {
      state.delete(key);
      model.events.push({ type: 'delete', key, revision, value: before, before });
    }
  }
  model.states.push(state);
}

function listPages(
  store: ObjectStore,
  model: Model,
  revision: number,
  prefix: string,
  limit: number,
): void {
  const state = model.states[revision];
  if (revision < model.floor || state === undefined) {
    expect(() => store.list(prefix, { revision })).toThrow(
      expect.objectContaining({ code: 'REVISION_TOO_OLD' }),
    );
    return;
  }
  const expected = [...state]
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, object]) => ({ key, ...object }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  expect(store.list(prefix, { revision })).toEqual({ objects: expected, revision, remaining: 0 });
  for (let from = 0; from < expected.length; from += limit) {
    const after = expected[from - 1]?.key;
    const options = { revision, limit, ...(after === undefined ? {} : { after }) };
    const objects = expected.slice(from, from + limit);
    const remaining = expected.length - from - objects.length;
    expect(store.list(prefix, options)).toEqual({ objects, revision, remaining });
  }
}

function startWatch(
  store: ObjectStore,
  model: Model,
  watches: Watch[],
  afterRevision: number,
  prefix: string,
): void {
  if (afterRevision < model.floor) {
    expect(() => store.watch(prefix, afterRevision, () => {})).toThrow(
      expect.objectContaining({ code: 'REVISION_TOO_OLD' }),
    );
    return;
  }
  const notified: StoreEvent[] = [];
  const stop = store.watch(prefix, afterRevision, (event) => void notified.push(event));
  watches.push({ prefix, afterRevision, notified, endedAt: null, stop });
}

function leave(model: Model, watches: readonly Watch[]): void {
  const watch = watches.find(({ endedAt }) => endedAt === null);
  if (!watch) return;
  watch.stop();
  watch.endedAt = model.events.length;
}

function expectedOf(model: Model, watch: Watch): readonly StoreEvent[] {
  return model.events
    .slice(0, watch.endedAt ?? model.events.length)
    .filter(({ key, revision }) => revision > watch.afterRevision && key.startsWith(watch.prefix));
}
