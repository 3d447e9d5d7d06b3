import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../lib/json.ts';
import { printObject } from './object-text.ts';

/** Prints differently each time. */
function restless(): { readonly object: JsonObject; readonly part: Json } {
  let printed = 0;
  const part = { toJSON: () => ++printed } as unknown as Json;
  return { object: { part }, part };
}

test('an object is printed once, and its text is cached for a while', () => {
  const { object } = restless();
  expect([printObject(object), printObject(object)]).toEqual(['{"part":1}', '{"part":1}']);
  for (let n = 0; n < 256; n++) printObject({ n });
  expect(printObject(object)).toBe('{"part":2}');
});

test('an unchanged spec is printed once for many versions of its object', () => {
  const { object: spec } = restless();
  const texts = ['1', '2'].map((version) => printObject({ kind: 'Pod', spec, version }));
  expect(texts).toEqual([
    '{"kind":"Pod","spec":{"part":1},"version":"1"}',
    '{"kind":"Pod","spec":{"part":1},"version":"2"}',
  ]);
});

test('a long text is not cached', () => {
  const { part } = restless();
  const object = { part, text: 'x'.repeat(20_000) };
  printObject(object);
  expect(printObject(object)).toMatch(/^\{"part":2,/);
});

test('the text equals JSON.stringify', () => {
  const anything = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>;
  const withSpec = fc.tuple(anything, anything).map(([spec, rest]) => ({ ...rest, spec }));
  fc.assert(
    fc.property(fc.oneof(anything, withSpec), (object) => {
      expect(printObject(object)).toBe(JSON.stringify(object));
    }),
  );
});
