import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mapShared, sortShared, withFields } from './share.ts';

function changeOdd(n: number, index: number): number {
  return n % 2 === 0 ? n : n * 10 + index;
}

function byLetter(a: string, b: string): number {
  return a.charCodeAt(0) - b.charCodeAt(0);
}

function byNumber(a: number, b: number): number {
  return a - b;
}

describe('mapShared', () => {
  test('a list in which nothing changes comes back itself', () => {
    const list = [{ n: 1 }, { n: 2 }];
    expect(mapShared(list, (item) => item)).toBe(list);
    const none: readonly number[] = [];
    expect(mapShared(none, (item) => item + 1)).toBe(none);
  });

  test('changed elements are replaced, and the others are shared', () => {
    const list = [{ n: 1 }, { n: 2 }, { n: 3 }];
    const [a, b, c] = list;
    const mapped = mapShared(list, (item) => (item === b ? { n: 20 } : item));
    expect(mapped).toEqual([{ n: 1 }, { n: 20 }, { n: 3 }]);
    expect(mapped[0]).toBe(a);
    expect(mapped[2]).toBe(c);
    expect(list).toEqual([a, b, c]);
  });

  test('each element is mapped once, with its index', () => {
    const seen: (readonly [string, number])[] = [];
    mapShared(['a', 'b', 'c'], (item, index) => {
      seen.push([item, index]);
      return index === 1 ? 'B' : item;
    });
    expect(seen).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 2],
    ]);
  });

  test('it returns what map returns', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9)), (list) => {
        expect(mapShared(list, changeOdd)).toEqual(list.map(changeOdd));
      }),
    );
  });
});

describe('withFields', () => {
  test('an object that has those values already comes back itself', () => {
    const inner = { deep: true };
    const object = { a: 1, inner };
    expect(withFields(object, { a: 1, inner })).toBe(object);
    expect(withFields(object, {})).toBe(object);
  });

  test('another value makes a new object and leaves the old one alone', () => {
    const object: { a: number; b?: string } = Object.freeze({ a: 1 });
    expect(withFields(object, { a: 2, b: 'x' })).toEqual({ a: 2, b: 'x' });
    expect(object).toEqual({ a: 1 });
  });

  test('an equal value that is another object is a change', () => {
    const object = { list: [1] };
    const list = [1];
    expect(withFields(object, { list }).list).toBe(list);
  });

  test('other fields are shared', () => {
    const inner = { deep: true };
    expect(withFields({ a: 1, inner }, { a: 2 }).inner).toBe(inner);
  });

  test('__proto__ is a field like any other', () => {
    const object = JSON.parse('{"__proto__": 1, "a": 1}') as Record<string, unknown>;
    const changed = withFields(object, { a: 2 });
    expect(Object.entries(changed)).toEqual([
      ['__proto__', 1],
      ['a', 2],
    ]);
    expect(Object.getPrototypeOf(changed)).toBe(Object.prototype);
  });
});

describe('sortShared', () => {
  test('a list that is in order comes back itself', () => {
    for (const list of [[], ['a'], ['a', 'b', 'b', 'c']]) {
      expect(sortShared(list, byLetter)).toBe(list);
    }
  });

  test('a list that is not is copied, and itself left as it was', () => {
    const list = Object.freeze(['b', 'a', 'c']);
    expect(sortShared(list, byLetter)).toEqual(['a', 'b', 'c']);
    expect(list).toEqual(['b', 'a', 'c']);
  });

  test('equal elements keep the order they came in', () => {
    expect(sortShared(['b1', 'a1', 'b2', 'a2'], byLetter)).toEqual(['a1', 'a2', 'b1', 'b2']);
  });

  test('it sorts like sort, and sorting again changes nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 })), (list) => {
        const sorted = sortShared(list, byNumber);
        expect(sorted).toEqual(list.toSorted(byNumber));
        expect(sortShared(sorted, byNumber)).toBe(sorted);
      }),
    );
  });
});
