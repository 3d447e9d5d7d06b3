import { lstatSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MachineTops } from './machine-tops.ts';

test('what is at the top of the root is told as it is, the first time and the next', () => {
  const tops = new MachineTops();
  const later = lstatSync('/').ctimeMs + 1e12;
  const first = tops.list(later);
  expect(first.map(({ name }) => name)).toEqual(readdirSync('/'));
  const again = tops.list(later);
  expect(again).toEqual(first);
  expect(again[0]).toBe(first[0]);
  const links = first.filter(({ stats }) => stats.isSymbolicLink());
  expect(links.every(({ link }) => link !== undefined)).toBe(true);
});

test('what has just changed is read again', () => {
  const tops = new MachineTops();
  const [first] = tops.list(0);
  const [again] = tops.list(0);
  expect(again).toEqual(first);
  expect(again).not.toBe(first);
});
