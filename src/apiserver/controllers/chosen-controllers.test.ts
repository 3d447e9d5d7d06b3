import { expect, test } from 'vitest';
import { chooseControllers } from './chosen-controllers.ts';
import { CONTROLLER_NAMES } from './controllers.ts';

test('a star is all of them, and a dash leaves one out', () => {
  const all = chooseControllers('*');
  expect([...all]).toEqual(expect.arrayContaining([...CONTROLLER_NAMES]));
  const fewer = chooseControllers('*,-scheduler');
  expect([...all].filter((name) => !fewer.has(name))).toEqual(['scheduler']);
});

test('names without a star are those and no others', () => {
  expect([...chooseControllers('namespace, scheduler')]).toEqual(['namespace', 'scheduler']);
  expect([...chooseControllers('')]).toEqual([]);
});

test('a name that nobody has is refused with those that there are', () => {
  expect(() => chooseControllers('*,-nope')).toThrow(
    expect.objectContaining({
      code: 'CONTROLLER_UNKNOWN',
      hint: expect.stringContaining('garbage-collector'),
    }),
  );
});
