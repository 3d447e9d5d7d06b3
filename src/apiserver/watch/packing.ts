/**
 * What goes out of a watch: lines of JSON for those across a socket, events for those in this process.
 *
 * One event goes to many watchers: its line is made once.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { KubeWatchEvent } from '../../ports/kube-api.ts';
import type { ObjectStore, StoredObject, StoreEvent } from '../../ports/object-store.ts';
import { printObject } from '../object-text.ts';
import { sharedState } from './initial-state.ts';
import type { OutboxRoom } from './outbox.ts';

export type EventType = KubeWatchEvent['type'];

/** How events are sent, and how much of them may wait. */
export interface Packing<Item> extends OutboxRoom<Item> {
  readonly pack: (type: EventType, object: JsonObject) => Item;
  /** `form` tells apart what different watchers make of one event. */
  readonly share: (event: StoreEvent, form: string, make: () => Item) => Item;
  /** Makes the items of a list once for all who see it in this form. Absent: they are made anyway. */
  readonly shareState?: (
    store: ObjectStore,
    form: string,
    objects: readonly StoredObject[],
    make: () => Iterable<Item>,
  ) => Iterable<Item>;
}

export const LINES: Packing<Uint8Array> = {
  pack: (type, object) => encoder.encode(`{"type":"${type}","object":${printObject(object)}}\n`),
  share: sharedLine,
  shareState: sharedState,
  weigh: (line) => line.byteLength,
  waitingMax: 8 * 1024 * 1024,
  piece: 64 * 1024,
};

/** The objects are there anyway, so what counts is how many wait. */
export const EVENTS: Packing<KubeWatchEvent> = {
  pack: (type, object) => ({ type, object }),
  share: (_event, _form, make) => make(),
  weigh: () => 1,
  waitingMax: 100_000,
  piece: 100,
};

const encoder = new TextEncoder();

/** The lines of each event by the form in which they go out. An event forgotten takes its lines along. */
const lines = new WeakMap<StoreEvent, Map<string, Uint8Array>>();

function sharedLine(event: StoreEvent, form: string, make: () => Uint8Array): Uint8Array {
  let made = lines.get(event);
  if (!made) {
    made = new Map();
    lines.set(event, made);
  }
  let line = made.get(form);
  if (!line) {
    line = make();
    made.set(form, line);
  }
  return line;
}
