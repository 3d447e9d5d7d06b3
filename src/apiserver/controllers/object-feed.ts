/**
 * All objects under a prefix, from what is there now to everything that changes later, without a
 * gap and without a repetition: the one way in which controllers learn of the world.
 */
import type { ObjectStore, StoreEvent } from '../../ports/object-store.ts';

/** Tells of everything that is there as if it had just been put. Returns how to leave. */
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
