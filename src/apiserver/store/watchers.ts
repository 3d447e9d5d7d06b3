/**
 * The subscribers to changes.
 *
 * Each is notified of every change once, in the order of commits: of past ones while it subscribes, of the
 * rest as they happen. A listener may add or remove others while it is called. So each remembers up to which
 * revision it got the past, and no change is reported twice; removed ones are out of the set, and an
 * iteration over a set skips them.
 */
import type { Log } from '../../ports/log.ts';
import type { StoreEvent } from '../../ports/api/object-store.ts';

type Listener = (event: StoreEvent) => void;

interface Watcher {
  readonly prefix: string;
  readonly listener: Listener;
  readonly afterRevision: number;
}

export class Watchers {
  readonly #watchers = new Set<Watcher>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** `newest` is the last revision of `past`. */
  add(
    prefix: string,
    span: { readonly afterRevision: number; readonly newest: number },
    past: Iterable<StoreEvent>,
    listener: Listener,
  ): () => void {
    const { afterRevision, newest } = span;
    const watcher: Watcher = {
      prefix,
      listener,
      afterRevision: Math.max(afterRevision, newest),
    };
    for (const event of past) this.#notify(watcher, event);
    this.#watchers.add(watcher);
    return () => {
      this.#watchers.delete(watcher);
    };
  }

  notify(events: readonly StoreEvent[]): void {
    for (const event of events) {
      for (const watcher of this.#watchers) {
        if (event.revision > watcher.afterRevision && event.key.startsWith(watcher.prefix)) {
          this.#notify(watcher, event);
        }
      }
    }
  }

  clear(): void {
    this.#watchers.clear();
  }

  #notify(watcher: Watcher, event: StoreEvent): void {
    try {
      watcher.listener(event);
    } catch (error) {
      const { prefix } = watcher;
      const { key, revision } = event;
      this.#log.error('store watcher failed', { prefix, key, revision, error });
    }
  }
}
