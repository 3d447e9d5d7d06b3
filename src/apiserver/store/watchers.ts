/**
 * Notifies the subscribers of the store.
 *
 * Each subscriber is notified of every change once, in the order of commits: of past changes while it
 * subscribes, and of later ones as they happen. A listener may add or remove subscribers while it is called.
 * So each subscriber stores up to which revision it got past changes, and gets none twice; a removed
 * subscriber is deleted from the set, so that the running iteration skips it.
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

  /** `newest`: the last revision of `past`. */
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
      this.#log.error('Store watcher failed', { prefix, key, revision, error });
    }
  }
}
