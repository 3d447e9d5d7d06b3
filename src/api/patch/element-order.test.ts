import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../lib/json.ts';
import { orderElements } from './element-order.ts';
import { identifyBy, type Identity } from './list-elements.ts';

const letters = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'));
const identify = identifyBy(undefined);

test('P-1: named elements keep the order in which they are named, the others that of the server', () => {
  fc.assert(
    fc.property(letters, letters, letters, (server, added, named) => {
      const items = [...new Set([...server, ...added])];
      const all = [...new Set([...named, ...added])];
      const ordered = orderElements(items, all, server, identify);
      expect(new Set(ordered)).toEqual(new Set(items));
      expect(ordered).toHaveLength(items.length);
      expect(ordered.filter(isIn(all))).toEqual(all.filter(isIn(items)));
      expect(ordered.filter((item) => !isIn(all)(item))).toEqual(
        server.filter((item) => !isIn(all)(item)),
      );
    }),
  );
});

test('P-1: a server element goes before the next named one only if it stood before it', () => {
  fc.assert(
    fc.property(letters, letters, (server, named) => {
      const items = [...new Set([...server, ...named])];
      const ordered = orderElements(items, named, server, identify);
      const place = (item: Json | undefined): number => [...server].findIndex((s) => s === item);
      const isAhead = (item: Json, index: number): boolean =>
        !isIn(named)(item) && isIn(named)(ordered[index + 1] ?? null);
      for (const [index, item] of ordered.entries()) {
        expect(!isAhead(item, index) || place(item) < place(ordered[index + 1])).toBe(true);
      }
    }),
  );
});

test('P-1: elements that were not in the original go in front', () => {
  expect(orderElements(['a', 'b', 'x'], ['x'], ['a', 'b'], identify)).toEqual(['x', 'a', 'b']);
  expect(orderElements(['a', 'b', 'x', 'y'], [], ['a', 'b'], identify)).toEqual([
    'x',
    'y',
    'a',
    'b',
  ]);
});

test('elements that share a key are put beside each other, in the order they had', () => {
  const list = [port(53, 'tcp'), port(80, 'web'), port(53, 'udp')];
  expect(orderElements(list, [], list, identifyBy('number'))).toEqual([
    port(53, 'tcp'),
    port(53, 'udp'),
    port(80, 'web'),
  ]);
});

test('each element is asked for its key a fixed number of times, however long the list is', () => {
  const list = Array.from({ length: 20_000 }, (_, index) => index);
  let asked = 0;
  const counting = (item: Json): Identity => {
    asked += 1;
    return identify(item);
  };
  orderElements(list, [...list].reverse(), list, counting);
  expect(asked).toBe(3 * list.length);
});

function port(number: number, name: string): Json {
  return { number, name };
}

function isIn(list: readonly Json[]): (item: Json) => boolean {
  return (item) => list.includes(item);
}
