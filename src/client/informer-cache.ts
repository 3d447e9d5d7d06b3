/** The cache of an informer: objects by key. Each change returns the deltas for handlers. */
import { isJsonObject, type JsonObject } from '../lib/json.ts';

export type Delta =
  | { readonly type: 'added'; readonly object: JsonObject }
  | { readonly type: 'updated'; readonly before: JsonObject; readonly object: JsonObject }
  | { readonly type: 'deleted'; readonly object: JsonObject };

export class InformerCache {
  #objects = new Map<string, JsonObject>();

  get(key: string): JsonObject | undefined {
    return this.#objects.get(key);
  }

  list(): readonly JsonObject[] {
    return [...this.#objects.values()];
  }

  put(object: JsonObject): readonly Delta[] {
    const key = keyOf(object);
    const before = this.#objects.get(key);
    this.#objects.set(key, object);
    return compare(before, object);
  }

  /** `object`: the last version of the deleted object. */
  remove(object: JsonObject): readonly Delta[] {
    return this.#objects.delete(keyOf(object)) ? [{ type: 'deleted', object }] : [];
  }

  /** Deltas of deleted objects come first, so that a name is free before a new object takes it. */
  replace(objects: readonly JsonObject[]): readonly Delta[] {
    const old = this.#objects;
    const next = new Map(objects.map((object) => [keyOf(object), object]));
    this.#objects = next;
    const gone = [...old].filter(([key]) => !next.has(key));
    return [
      ...gone.map(([, object]): Delta => ({ type: 'deleted', object })),
      ...[...next].flatMap(([key, object]) => compare(old.get(key), object)),
    ];
  }
}

export function keyOf(object: JsonObject): string {
  const { namespace, name } = metadataOf(object);
  const isNamespaced = typeof namespace === 'string' && namespace !== '';
  const own = typeof name === 'string' ? name : '';
  return isNamespaced ? `${namespace}/${own}` : own;
}

export function versionOf(object: JsonObject): string {
  const { resourceVersion } = metadataOf(object);
  return typeof resourceVersion === 'string' ? resourceVersion : '';
}

export function metadataOf(object: JsonObject): JsonObject {
  const { metadata } = object;
  return isJsonObject(metadata) ? metadata : {};
}

function compare(before: JsonObject | undefined, object: JsonObject): readonly Delta[] {
  if (!before) return [{ type: 'added', object }];
  if (metadataOf(before)['uid'] !== metadataOf(object)['uid']) {
    return [
      { type: 'deleted', object: before },
      { type: 'added', object },
    ];
  }
  const isSame = versionOf(object) !== '' && versionOf(before) === versionOf(object);
  return isSame ? [] : [{ type: 'updated', before, object }];
}
