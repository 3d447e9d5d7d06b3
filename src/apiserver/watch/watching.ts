/**
 * Watches: the changes of a kind's objects as they happen, one JSON line each.
 *
 *     state first (no resourceVersion, or sendInitialEvents) ──> history behind the revision ──> live
 *
 * An object that comes to match the selector is ADDED, one that ceases to is DELETED, whatever
 * happened to it in the store. A watcher that does not read what it is sent is cut off with 410 when
 * its share of memory is used up: it can list again, and nobody else waits for it.
 */
import type { JsonObject } from '../lib/json.ts';
import { PodkeepError } from '../lib/errors.ts';
import type { Cancel, Clock } from '../ports/clock.ts';
import type { ObjectStore, StoreEvent } from '../ports/object-store.ts';
import type { KindDefinition } from './kind.ts';
import { withMetadata } from './metadata.ts';
import type { ListOptions } from './options.ts';
import { prefixOf } from './registry.ts';
import { selectionOf, type Selects } from './selection.ts';
import { expired } from './status.ts';
import { fromStored } from './stored-form.ts';

export interface WatchRequest {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly definition: KindDefinition;
  readonly namespace: string;
  readonly name: string | null;
  readonly options: ListOptions;
  /** Turns an object into what the client asked for: itself, its metadata, a table row. */
  readonly present: (object: JsonObject) => JsonObject;
}

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

const BOOKMARK_MS = 60_000;
const TIMEOUT_SECONDS = 1800;
/** Events that may wait for a reader who is slow. */
const WAITING_MAX = 1000;

/** Throws a StatusError if the watch cannot begin where it should. */
export function openWatch(request: WatchRequest): ReadableStream<Uint8Array> {
  const watch = new Watch(request);
  return watch.stream;
}

class Watch {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #request: WatchRequest;
  readonly #selects: Selects;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #leave: () => void = () => {};
  #cancelTimers: Cancel[] = [];
  #revision: number;

  constructor(request: WatchRequest) {
    const { definition, options, name, store } = request;
    this.#request = request;
    this.#selects = selectionOf(definition, options, name);
    this.#revision = store.revision;
    const first = this.#begin();
    this.stream = new ReadableStream(
      {
        start: (controller) => {
          this.#controller = controller;
          for (const line of first) controller.enqueue(line);
        },
        cancel: () => this.#end(),
      },
      new CountQueuingStrategy({ highWaterMark: WAITING_MAX }),
    );
    this.#setTimers();
  }

  /** What is sent before anything new happens. */
  #begin(): readonly Uint8Array[] {
    const { store, definition, namespace, options } = this.#request;
    const { resourceVersion, sendInitialEvents } = options;
    const startsWithState =
      sendInitialEvents ?? (resourceVersion === null || resourceVersion === 0);
    const lines: Uint8Array[] = [];
    const prefix = prefixOf(definition, namespace);
    const from = startsWithState ? store.revision : (resourceVersion ?? store.revision);
    if (startsWithState) {
      for (const { value: stored } of store.list(prefix).objects) {
        const value = fromStored(definition, stored);
        if (this.#selects(value)) lines.push(this.#line('ADDED', value));
      }
      if (sendInitialEvents) lines.push(this.#bookmark(store.revision, true));
    }
    this.#leave = this.#follow(prefix, from, (line) => {
      if (this.#controller) this.#send(line);
      else lines.push(line);
    });
    return lines;
  }

  #follow(prefix: string, from: number, send: (line: Uint8Array) => void): () => void {
    try {
      return this.#request.store.watch(prefix, from, (event) => {
        this.#revision = event.revision;
        const line = this.#lineOf(event);
        if (line) send(line);
      });
    } catch (error) {
      if (!(error instanceof PodkeepError) || error.code !== 'REVISION_TOO_OLD') throw error;
      throw expired(`too old resource version: ${from} (${this.#request.store.revision})`);
    }
  }

  #lineOf({ type, value: stored, before: storedBefore, revision }: StoreEvent): Uint8Array | null {
    const { definition } = this.#request;
    const value = fromStored(definition, stored);
    const before = storedBefore && fromStored(definition, storedBefore);
    const matches = type === 'put' && this.#selects(value);
    const matched = before !== null && this.#selects(before);
    if (matches) return this.#line(matched ? 'MODIFIED' : 'ADDED', value);
    if (!matched) return null;
    // What left the selection is shown as it was last seen there, with the version of the change.
    return this.#line('DELETED', withMetadata(before, { resourceVersion: String(revision) }));
  }

  #line(type: EventType, object: JsonObject): Uint8Array {
    return encodeEvent(type, this.#request.present(object));
  }

  #bookmark(revision: number, endsInitialEvents: boolean): Uint8Array {
    const { group, version, kind } = this.#request.definition;
    return encodeEvent('BOOKMARK', {
      kind,
      apiVersion: group === '' ? version : `${group}/${version}`,
      metadata: {
        resourceVersion: String(revision),
        ...(endsInitialEvents && { annotations: { 'k8s.io/initial-events-end': 'true' } }),
      },
    });
  }

  #send(line: Uint8Array): void {
    const controller = this.#controller;
    if (!controller) return;
    if ((controller.desiredSize ?? 0) <= 0) {
      const gone = expired('the watch was too slow to read; list again').toStatus();
      controller.enqueue(encodeEvent('ERROR', gone));
      this.#end();
      controller.close();
      return;
    }
    controller.enqueue(line);
  }

  #setTimers(): void {
    const { clock, options } = this.#request;
    const seconds = options.timeoutSeconds ?? TIMEOUT_SECONDS;
    const close = (): void => {
      this.#end();
      this.#controller?.close();
    };
    this.#cancelTimers.push(clock.after(seconds * 1000, close));
    if (options.allowBookmarks) this.#bookmarkLater();
  }

  #bookmarkLater(): void {
    const { clock, store } = this.#request;
    const cancel = clock.after(BOOKMARK_MS, () => {
      this.#send(this.#bookmark(Math.max(this.#revision, store.revision), false));
      this.#bookmarkLater();
    });
    this.#cancelTimers = [...this.#cancelTimers.slice(0, 1), cancel];
  }

  #end(): void {
    this.#leave();
    for (const cancel of this.#cancelTimers) cancel();
  }
}

/** One object goes to many watchers: its text is made once. */
const texts = new WeakMap<JsonObject, string>();
const encoder = new TextEncoder();

function encodeEvent(type: EventType, object: JsonObject): Uint8Array {
  let text = texts.get(object);
  if (text === undefined) {
    text = JSON.stringify(object);
    texts.set(object, text);
  }
  return encoder.encode(`{"type":"${type}","object":${text}}\n`);
}
