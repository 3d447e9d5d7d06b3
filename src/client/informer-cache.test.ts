import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../lib/json.ts';
import { InformerCache, keyOf, type Delta } from './informer-cache.ts';

function object(name: string, uid: string, resourceVersion: string): JsonObject {
  return { metadata: { namespace: 'n', name, uid, resourceVersion } };
}

describe('the cache of an informer', () => {
  test('keys objects by namespace and name, or by name alone', () => {
    expect(keyOf({ metadata: { namespace: 'a', name: 'b' } })).toBe('a/b');
    expect(keyOf({ metadata: { name: 'node' } })).toBe('node');
  });

  test('takes an object with another UID for another object', () => {
    const cache = new InformerCache();
    const [old, young] = [object('a', '1', '1'), object('a', '2', '2')];
    cache.put(old);
    expect(cache.put(young)).toEqual([
      { type: 'deleted', object: old },
      { type: 'added', object: young },
    ]);
  });

  test('reports no change for a version that it has already', () => {
    const cache = new InformerCache();
    cache.put(object('a', '1', '1'));
    expect(cache.put(object('a', '1', '1'))).toEqual([]);
    expect(cache.replace([object('a', '1', '1')])).toEqual([]);
  });

  test('reports no change when an object is deleted that it never had', () => {
    expect(new InformerCache().remove(object('a', '1', '1'))).toEqual([]);
  });

  const objects = fc.uniqueArray(
    fc.record({ name: fc.constantFrom('a', 'b', 'c'), uid: fc.nat(2), version: fc.nat(3) }),
    { selector: ({ name }) => name },
  );

  test('can be rebuilt from the changes it reported, names being free before they are taken', () => {
    fc.assert(
      fc.property(fc.array(objects), (lists) => {
        const cache = new InformerCache();
        const rebuilt = new Map<string, JsonObject>();
        for (const list of lists) {
          const next = list.map(({ name, uid, version }) => object(name, `${uid}`, `${version}`));
          for (const delta of cache.replace(next)) apply(rebuilt, delta);
          const byKey = [...cache.list()].map((one): [string, JsonObject] => [keyOf(one), one]);
          expect(new Map(rebuilt)).toEqual(new Map(byKey));
        }
      }),
    );
  });

  function apply(rebuilt: Map<string, JsonObject>, delta: Delta): void {
    const key = keyOf(delta.object);
    expect(rebuilt.has(key)).toBe(delta.type !== 'added');
    if (delta.type === 'deleted') rebuilt.delete(key);
    else rebuilt.set(key, delta.object);
  }
});
