/**
 * Implements watches: sends each change of a kind's objects as a line of JSON, or as an event object to
 * clients in this process.
 *
 *     initial state (no resourceVersion, or sendInitialEvents) ──> history after the revision ──> live
 *
 * An object that begins to match the selector is ADDED, and one that no longer matches is DELETED, whatever
 * happened to it in the store. A watcher that reads too slowly is disconnected with 410 when its buffer is
 * full: it can list again, and no other client waits for it.
 */
import type { JsonObject } from '../../lib/json.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type {
  ListPage,
  ObjectStore,
  StoredObject,
  StoreEvent,
} from '../../ports/api/object-store.ts';
import type { Pace } from '../flow/pace.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { nameOf, withMetadata } from '../objects/metadata.ts';
import type { ListOptions } from '../requests/options.ts';
import type { WatchPresenter } from '../registry/presentation.ts';
import { prefixOf } from '../registry/registry.ts';
import { selectionOf, type Selects } from '../registry/selection.ts';
import { expired } from '../objects/status.ts';
import { fromStored } from '../objects/stored-form.ts';
import { EventReader } from '../flow/event-reader.ts';
import { ConvertedEvents } from './converted-events.ts';
import { lineStream } from './line-stream.ts';
import { Outbox } from '../flow/outbox.ts';
import { EVENTS, LINES, type EventType, type Packing } from './packing.ts';

export interface WatchRequest {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly definition: KindDefinition;
  readonly namespace: string;
  readonly name: string | null;
  readonly options: ListOptions;
  readonly presenter: WatchPresenter;
  /** The objects to begin with, if the watch begins with any; absent: those of now. */
  readonly state?: ListPage;
  /** Of the first events that go out as lines. */
  readonly pace?: Pace;
  /** Called with the number of events that are sent, without bookmarks. */
  readonly onEvents?: (count: number) => void;
  /** Called once, when the watch has ended. */
  readonly onEnd?: () => void;
}

const BOOKMARK_MS = 60_000;
const TIMEOUT_SECONDS = 1800;

/**
 * The objects that a watch begins with, once a webhook has converted them. Undefined: no webhook has to, or it begins
 * with none. Rejects with a StatusError.
 */
export function convertedState({
  store,
  definition,
  namespace,
  options,
}: Pick<WatchRequest, 'store' | 'definition' | 'namespace' | 'options'>):
  | Promise<ListPage>
  | undefined {
  const { webhook } = definition.storedAs ?? {};
  if (!webhook || !startsWithState(options)) return undefined;
  const state = store.list(prefixOf(definition, namespace), { strict: true });
  return webhook.readAll(state.objects.map(({ value }) => value)).then(() => state);
}

function startsWithState({ resourceVersion, sendInitialEvents }: ListOptions): boolean {
  return sendInitialEvents ?? (resourceVersion === null || resourceVersion === 0);
}

/** Throws a StatusError if the watch cannot start at its version. */
export function watchLines(request: WatchRequest): ReadableStream<Uint8Array> {
  return lineStream(new Watch(request, LINES).outbox, request.pace);
}

/** The same for a client in this process. */
export function watchEvents(request: WatchRequest): EventReader {
  return new EventReader(new Watch(request, EVENTS).outbox);
}

class Watch<Item> {
  readonly outbox: Outbox<Item>;
  readonly #request: WatchRequest;
  readonly #packing: Packing<Item>;
  readonly #selects: Selects;
  /** Every object of the path is seen: no selector decides. */
  readonly #isWhole: boolean;
  /** Null: no webhook converts the objects. */
  readonly #converted: ConvertedEvents | null;
  #leave: () => void = () => {};
  readonly #cancelTimers: Cancel[] = [];
  #cancelBookmark: Cancel = () => {};

  constructor(request: WatchRequest, packing: Packing<Item>) {
    const { definition, options, name } = request;
    this.#request = request;
    this.#packing = packing;
    this.#selects = selectionOf(definition, options, name);
    this.#isWhole = name === null && options.labels.length === 0 && options.fields.length === 0;
    this.#converted = this.#convertedEvents();
    const { first, from } = this.#begin();
    this.outbox = new Outbox(first, packing, () => this.#end());
    this.#leave = this.#follow(from);
    this.#setTimers();
    const replaced = definition.storedAs?.whenReplaced?.(() => this.outbox.close());
    if (replaced) this.#cancelTimers.push(replaced);
  }

  #convertedEvents(): ConvertedEvents | null {
    const { webhook } = this.#request.definition.storedAs ?? {};
    if (!webhook) return null;
    return new ConvertedEvents({
      webhook,
      objectsOf: ({ type, value, before }) =>
        before !== null && before !== value && (type === 'delete' || !this.#isWhole)
          ? [value, before]
          : [value],
      send: (event) => this.#sendEvent(event),
      fail: (error) => this.outbox.close(this.#packing.pack('ERROR', error.toStatus())),
    });
  }

  /** The initial items, and the revision after which changes follow. */
  #begin(): { readonly first: Iterable<Item>; readonly from: number } {
    const { store, definition, namespace, options, state } = this.#request;
    const { resourceVersion } = options;
    if (!startsWithState(options)) return { first: [], from: resourceVersion ?? store.revision };
    const prefix = prefixOf(definition, namespace);
    const { objects, revision } = state ?? store.list(prefix, { strict: true });
    return { first: this.#first(prefix, objects, revision), from: revision };
  }

  *#first(prefix: string, objects: readonly StoredObject[], revision: number): Generator<Item> {
    const { store, presenter, options } = this.#request;
    const { shareState } = this.#packing;
    if (this.#isWhole && presenter.form !== null && shareState) {
      if (objects.length > 0) this.#request.onEvents?.(objects.length);
      const form = `${prefix} ${this.#seenAs()} ${presenter.form}`;
      yield* shareState(store, form, objects, () => this.#state(objects));
    } else {
      for (const item of this.#state(objects)) {
        this.#request.onEvents?.(1);
        yield item;
      }
    }
    if (options.sendInitialEvents) yield this.#bookmark(revision, true);
  }

  *#state(objects: readonly StoredObject[]): Generator<Item> {
    for (const { value: stored } of objects) {
      const value = fromStored(this.#request.definition, stored);
      if (this.#selects(value)) yield this.#pack('ADDED', value);
    }
  }

  #follow(from: number): () => void {
    const { store, definition, namespace, name } = this.#request;
    try {
      return store.watch(prefixOf(definition, namespace), from, (event) => {
        if (!this.#converted) this.#sendEvent(event);
        // A conversion changes no name: what has another one need not be converted.
        else if (name === null || nameOf(event.value) === name) this.#converted.put(event);
      });
    } catch (error) {
      if (!(error instanceof PodkeepError) || error.code !== 'REVISION_TOO_OLD') throw error;
      throw expired(`too old resource version: ${from} (${store.revision})`);
    }
  }

  #sendEvent(event: StoreEvent): void {
    const item = this.#itemOf(event);
    if (!item) return;
    this.#request.onEvents?.(1);
    this.#send(item);
  }

  #itemOf(event: StoreEvent): Item | null {
    const { definition, presenter } = this.#request;
    const value = fromStored(definition, event.value);
    const isPut = event.type === 'put';
    // Where no selector decides, only the object that is gone is looked at.
    const before =
      event.before && (isPut && this.#isWhole ? value : fromStored(definition, event.before));
    const matches = isPut && this.#selects(value);
    const matched = before !== null && this.#selects(before);
    if (!matches && !matched) return null;
    const type = matches ? (matched ? 'MODIFIED' : 'ADDED') : 'DELETED';
    const make = (): Item => {
      // An object that no longer matches is sent in its last matching version, with the resourceVersion of
      // the change.
      const gone = { resourceVersion: String(event.revision) };
      return this.#pack(type, matches ? value : withMetadata(before ?? value, gone));
    };
    const { form } = presenter;
    if (form === null) return make();
    return this.#packing.share(event, `${this.#seenAs()} ${form} ${type}`, make);
  }

  /** The version, and which webhook converts to it. */
  #seenAs(): string {
    const { group, version, storedAs } = this.#request.definition;
    const id = storedAs?.webhook?.id;
    return `${group}/${version}${id === undefined ? '' : ` by ${id}`}`;
  }

  #pack(type: EventType, object: JsonObject): Item {
    return this.#packing.pack(type, this.#request.presenter.present(object));
  }

  #bookmark(revision: number, endsInitialEvents: boolean): Item {
    const { group, version, kind } = this.#request.definition;
    return this.#pack('BOOKMARK', {
      kind,
      apiVersion: group === '' ? version : `${group}/${version}`,
      metadata: {
        resourceVersion: String(revision),
        ...(endsInitialEvents && { annotations: { 'k8s.io/initial-events-end': 'true' } }),
      },
    });
  }

  #send(item: Item): void {
    if (this.outbox.put(item)) return;
    const gone = expired('the watch was too slow to read; list again').toStatus();
    this.outbox.close(this.#packing.pack('ERROR', gone));
  }

  #setTimers(): void {
    const { clock, options } = this.#request;
    const seconds = options.timeoutSeconds ?? TIMEOUT_SECONDS;
    this.#cancelTimers.push(clock.after(seconds * 1000, () => this.outbox.close()));
    if (options.allowBookmarks) this.#bookmarkLater();
  }

  #bookmarkLater(): void {
    const { clock, store } = this.#request;
    const cancel = clock.after(BOOKMARK_MS, () => {
      // Events that are being converted come before it.
      if (this.#converted?.isIdle ?? true) this.#send(this.#bookmark(store.revision, false));
      this.#bookmarkLater();
    });
    this.#cancelBookmark();
    this.#cancelBookmark = cancel;
  }

  #end(): void {
    this.#leave();
    this.#converted?.stop();
    this.#request.onEnd?.();
    for (const cancel of [...this.#cancelTimers, this.#cancelBookmark]) cancel();
  }
}
