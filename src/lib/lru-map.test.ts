import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { LruMap } from './lru-map.ts';

test('a full map forgets the least recently used key', () => {
  const map = new LruMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.get('a');
  map.set('c', 3);
  expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([1, undefined, 3]);
});

test('writing a key again renews it and evicts nothing', () => {
  const map = new LruMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 4);
  expect(map.size).toBe(2);
  map.set('c', 3);
  expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([4, undefined, 3]);
});

test('it holds the most recently used keys, after any history', () => {
  const key = fc.integer({ min: 0, max: 9 });
  const act = fc.record({ key, writes: fc.boolean() });
  fc.assert(
    fc.property(fc.array(act), fc.integer({ min: 1, max: 5 }), (acts, sizeMax) => {
      const map = new LruMap<number, number>(sizeMax);
      let model: number[] = [];
      acts.forEach(({ key, writes }, index) => {
        const isKnown = model.includes(key);
        if (writes) map.set(key, index);
        expect(map.get(key) !== undefined).toBe(isKnown || writes);
        if (writes || isKnown) model = [...model.filter((each) => each !== key), key];
        model = model.slice(-sizeMax);
        expect(map.size).toBe(model.length);
      });
    }),
  );
});
