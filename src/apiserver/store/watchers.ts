/**
 * Those who want to hear of changes.
 *
 * Each is told of every change once, in the order of commits: of the past while it subscribes, of the
 * rest as it happens. A listener may subscribe others, or send them away, in the middle of being told.
 * So each remembers up to which revision it was told of the past, and nothing is told twice; those who
 * left are out of the set, and a walk through a set skips what was taken out of it.
 */
import type { Log } from '../../ports/log.ts';
import type { StoreEvent } from '../../ports/object-store.ts';

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

  /** `newest` is the revision up to which `past` tells. */
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
    for (const event of past) this.#tell(watcher, event);
    this.#watchers.add(watcher);
    return () => {
      this.#watchers.delete(watcher);
    };
  }

  tell(events: readonly StoreEvent[]): void {
    for (const event of events) {
      for (const watcher of this.#watchers) {
        if (event.revision > watcher.afterRevision && event.key.startsWith(watcher.prefix)) {
          this.#tell(watcher, event);
        }
      }
    }
  }

  clear(): void {
    this.#watchers.clear();
  }

  #tell(watcher: Watcher, event: StoreEvent): void {
    try {
      watcher.listener(event);
    } catch (error) {
      const { prefix } = watcher;
      const { key, revision } = event;
      this.#log.error('a watcher of the store failed', { prefix, key, revision, error });
    }
  }
}
