import { expect, test } from 'vitest';
import { printObject } from './object-text.ts';

test('an object is printed once, and its text is remembered for a while', () => {
  let printed = 0;
  const object = { toJSON: () => `printed ${++printed}` } as never;
  expect([printObject(object), printObject(object)]).toEqual(['"printed 1"', '"printed 1"']);
  for (let n = 0; n < 128; n++) printObject({ n });
  expect(printObject(object)).toBe('"printed 2"');
});

test('a long text is not remembered', () => {
  let printed = 0;
  const object = { toJSON: () => `${++printed}${'x'.repeat(20_000)}` } as never;
  printObject(object);
  expect(printObject(object)).toMatch(/^"2x/);
});
