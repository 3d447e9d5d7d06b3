/** Events of a watch as lines of JSON. One event goes to many watchers: its line is made once. */
import type { JsonObject } from '../../lib/json.ts';
import type { StoreEvent } from '../../ports/object-store.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

const encoder = new TextEncoder();

export function encodeEvent(type: EventType, object: JsonObject): Uint8Array {
  return encoder.encode(`{"type":"${type}","object":${JSON.stringify(object)}}\n`);
}

/** The lines of each event by the form in which they go out. An event forgotten takes its lines along. */
const lines = new WeakMap<StoreEvent, Map<string, Uint8Array>>();

/** `form` tells apart what different watchers make of one event. */
export function sharedLine(event: StoreEvent, form: string, make: () => Uint8Array): Uint8Array {
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
