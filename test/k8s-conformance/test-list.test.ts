import { expect, test } from 'vitest';
import { readOptions } from './options.ts';
import { chooseTests, SAMPLE, namesIn } from './test-list.ts';

const ALL = namesIn(SAMPLE);

test('the sample has about sixty tests of every kind, each once', () => {
  expect(ALL.length).toBeGreaterThan(55);
  expect(ALL.length).toBeLessThan(70);
  expect(new Set(ALL).size).toBe(ALL.length);
  for (const name of ALL) expect(name).toMatch(/^\[sig-[a-z-]+\] .*\[Conformance\]/);
  for (const sig of ['api-machinery', 'apps', 'node', 'network', 'storage', 'auth', 'cli']) {
    expect(ALL.some((name) => name.startsWith(`[sig-${sig}]`))).toBe(true);
  }
});

test('a focus chooses by name, and without one all are chosen', () => {
  const all = ['[sig-node] a [Conformance]', '[sig-apps] b [Conformance]'];
  expect(chooseTests(all, readOptions([]))).toEqual(all);
  expect(chooseTests(all, readOptions(['--focus', 'sig-apps']))).toEqual(all.slice(1));
  expect(() => chooseTests(all, readOptions(['--focus', 'nothing']))).toThrow('no test was chosen');
});

test('a list may name conformance tests only', () => {
  expect(() => chooseTests(['[sig-node] a'], readOptions(['--sample']))).toThrow(
    'no conformance test',
  );
  expect(chooseTests(ALL, readOptions(['--sample']))).toEqual(ALL);
});
