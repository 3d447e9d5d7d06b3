/**
 * Packs the events of a watch: as lines of JSON for clients on a socket, as objects for clients in this
 * process.
 *
 * One event goes to many watchers, so its line is encoded once.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { KubeWatchEvent } from '../../ports/api/kube-api.ts';
import type { ObjectStore, StoredObject, StoreEvent } from '../../ports/api/object-store.ts';
import { printObject } from '../objects/object-text.ts';
import { sharedState } from './initial-state.ts';
import type { OutboxDeps } from '../flow/outbox.ts';

export type EventType = KubeWatchEvent['type'];

/** How events are sent, and how many may wait. */
export interface Packing<Item> extends OutboxDeps<Item> {
  readonly pack: (type: EventType, object: JsonObject) => Item;
  /** `form` distinguishes the forms in which watchers get one event. */
  readonly share: (event: StoreEvent, form: string, make: () => Item) => Item;
  /** Encodes the items of a list once for all watchers with this form. Absent: they need no encoding. */
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

/** The objects exist anyway, so only the number of waiting events counts. */
export const EVENTS: Packing<KubeWatchEvent> = {
  pack: (type, object) => ({ type, object }),
  share: (_event, _form, make) => make(),
  weigh: () => 1,
  waitingMax: 100_000,
  piece: 100,
};

const encoder = new TextEncoder();

/** The lines of each event by form. They are freed with the event. */
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
