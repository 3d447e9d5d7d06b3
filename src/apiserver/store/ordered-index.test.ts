import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OrderedIndex, type Keyed } from './ordered-index.ts';

function keysFrom(index: OrderedIndex<Keyed>, start: string, limit = Infinity): readonly string[] {
  const keys: string[] = [];
  index.scan(start, ({ key }) => keys.push(key) < limit);
  return keys;
}

function indexOf(keys: Iterable<string>): OrderedIndex<Keyed> {
  const index = new OrderedIndex<Keyed>();
  for (const key of keys) index.insert({ key });
  return index;
}

describe('items in the order of their keys', () => {
  test('an empty index has nothing to visit', () => {
    const index = indexOf([]);
    expect(keysFrom(index, '')).toEqual([]);
    expect(index.get('a')).toBeUndefined();
    index.delete('a');
    expect(index.size).toBe(0);
  });

  test('a scan begins at the key or behind its place, and ends when the callback returns false', () => {
    const index = indexOf(['d', 'a', 'c']);
    expect(keysFrom(index, 'a')).toEqual(['a', 'c', 'd']);
    expect(keysFrom(index, 'b')).toEqual(['c', 'd']);
    expect(keysFrom(index, 'd')).toEqual(['d']);
    expect(keysFrom(index, 'e')).toEqual([]);
    expect(keysFrom(index, '', 2)).toEqual(['a', 'c']);
  });

  test('inserted items are found again', () => {
    const index = new OrderedIndex<Keyed>();
    const item = { key: '__proto__' };
    index.insert(item);
    expect(index.get('__proto__')).toBe(item);
    expect(index.get('constructor')).toBeUndefined();
  });

  const numbers = Array.from({ length: 5000 }, (_, n) => String(n).padStart(4, '0'));

  test.each([
    ['ascending', numbers],
    ['descending', numbers.toReversed()],
    ['scattered', numbers.map((_, n) => numbers[(n * 2017) % 5000] ?? '')],
  ])('thousands of %s keys are all found, from any place', (_, keys) => {
    const index = indexOf(keys);
    expect(keysFrom(index, '')).toEqual(numbers);
    for (const start of [1, 511, 512, 513, 2500, 4999]) {
      expect(keysFrom(index, numbers[start] ?? '')).toEqual(numbers.slice(start));
    }
    for (const key of keys.slice(10)) index.delete(key);
    expect(keysFrom(index, '')).toEqual(keys.slice(0, 10).toSorted());
  });

  test('after any history it equals a sorted array', () => {
    const key = fc.string({
      unit: fc.constantFrom('a', 'b', '/', '\u{1f600}', '\ue000'),
      maxLength: 4,
    });
    const step = fc.record({ key, goes: fc.boolean(), start: key });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const index = new OrderedIndex<Keyed>();
        const model = new Set<string>();
        for (const { key, goes, start } of steps) {
          if (goes) {
            index.delete(key);
            model.delete(key);
          } else if (!model.has(key)) {
            index.insert({ key });
            model.add(key);
          }
          const expected = [...model].toSorted().filter((each) => each >= start);
          expect(keysFrom(index, start)).toEqual(expected);
          expect(index.size).toBe(model.size);
        }
      }),
    );
  });
});
