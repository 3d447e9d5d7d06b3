/** A store for a case of the suite, with a clock that stands still, and helpers. */
import { onTestFinished } from 'vitest';
import { PodkeepError } from '../../../src/lib/errors.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { Log, LogFacts } from '../../../src/ports/log.ts';
import type { Change, ObjectStore, StoreEvent } from '../../../src/ports/api/object-store.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

export interface World {
  readonly store: ObjectStore;
  readonly clock: VirtualClock;
  /** The problems that the store reported. */
  readonly problems: LogFacts[];
}

export interface Limits {
  readonly historyMax?: number;
  readonly historyMs?: number;
}

export interface OpenOptions extends Limits {
  readonly clock: VirtualClock;
  readonly log: Log;
}

export type Open = (limits?: Limits) => Promise<World>;

export async function openWorld(
  open: (options: OpenOptions) => Promise<ObjectStore>,
  limits: Limits,
): Promise<World> {
  const clock = new VirtualClock();
  const problems: LogFacts[] = [];
  const report = (_: string, facts: LogFacts = {}): void => void problems.push(facts);
  const log: Log = { debug: () => {}, info: () => {}, warn: report, error: report };
  const store = await open({ clock, log, ...limits });
  onTestFinished(() => store.close());
  return { store, clock, problems };
}

/** A change to an object that says which revision made it. */
export function put(key: string, value: JsonObject = {}, expected?: number): Change {
  const make = (revision: number): JsonObject => ({ ...value, revision });
  return expected === undefined ? { key, make } : { key, make, expected };
}

export function remove(key: string, expected?: number): Change {
  return expected === undefined ? { key, make: null } : { key, make: null, expected };
}

export function keysIn(
  store: ObjectStore,
  prefix: string,
  revision = store.revision,
): readonly string[] {
  return store.list(prefix, { revision }).objects.map(({ key }) => key);
}

/** The code of the error, or the result if there was none. */
export async function codeOf(act: () => unknown): Promise<unknown> {
  try {
    return await act();
  } catch (error) {
    return error instanceof PodkeepError ? error.code : error;
  }
}

export function collect(store: ObjectStore, prefix: string, afterRevision: number): StoreEvent[] {
  const events: StoreEvent[] = [];
  onTestFinished(store.watch(prefix, afterRevision, (event) => void events.push(event)));
  return events;
}

export function brief({ type, key, revision }: StoreEvent): string {
  return `${type} ${key} ${revision}`;
}
