/**
 * Lets controllers follow the store: notifies of all existing objects under a prefix and then of every later
 * change, without gap or repetition.
 */
import type { ObjectStore, StoreEvent } from '../../ports/api/object-store.ts';

/** Notifies of every existing object as if it had just been put. Returns a function that unsubscribes. */
export function follow(
  store: ObjectStore,
  prefix: string,
  listener: (event: StoreEvent) => void,
): () => void {
  const { objects, revision } = store.list(prefix);
  for (const { key, value, revision: written } of objects) {
    listener({ type: 'put', key, value, before: null, revision: written });
  }
  return store.watch(prefix, revision, listener);
}
