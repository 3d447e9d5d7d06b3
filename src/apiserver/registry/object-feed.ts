/**
 * All objects under a prefix, from the current ones to every later change, without gap or repetition: how
 * controllers follow the store.
 */
import type { ObjectStore, StoreEvent } from '../../ports/api/object-store.ts';

/** Notifies of every existing object as if it had just been put. Returns how to unsubscribe. */
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
