/**
 * Caches the list of pods in a namespace until one of its pods changes: one change may trigger syncs of a
 * thousand Services or autoscalers.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { pods } from '../../../kinds/core/pods.ts';
import { metadataOf, textOf } from '../../../objects/metadata.ts';
import { prefixOf } from '../../../registry/registry.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';

export class NamespacePods {
  readonly #store: ServerParts['store'];
  readonly #listed = new Map<string, readonly JsonObject[]>();
  readonly #leave: () => void;

  constructor({ store }: Pick<ServerParts, 'store'>) {
    this.#store = store;
    this.#leave = store.watch(prefixOf(pods, ''), store.revision, ({ value }) => {
      this.#listed.delete(textOf(metadataOf(value)['namespace']));
    });
  }

  stop(): void {
    this.#leave();
    this.#listed.clear();
  }

  in(namespace: string): readonly JsonObject[] {
    const known = this.#listed.get(namespace);
    if (known) return known;
    const all = this.#store.list(prefixOf(pods, namespace)).objects.map(({ value }) => value);
    // An empty list is not cached, because nothing would remove it when the namespace is deleted.
    if (all.length > 0) this.#listed.set(namespace, all);
    return all;
  }
}
