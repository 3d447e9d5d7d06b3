import { expect, test } from 'vitest';
import {
  EXPECTED,
  EXPECTED_COUNTS,
  expectedOn,
  mistakesOf,
  surprisesOf,
  type ExpectedFailure,
} from './expected-failures.ts';
import { linesOf } from './report.ts';
import type { TestResult } from './test-result.ts';

const LIST: readonly ExpectedFailure[] = [
  { test: '[sig-network] a', cause: 'service-proxy', on: ['up', 'kubelet'] },
  { test: '[sig-apps] b', cause: 'controller', on: ['up'] },
];
const COUNTS = { up: 2, 'up-managed': 0, kubelet: 1, 'kubelet-real': 0 };
const KNOWN = new Set(['[sig-network] a', '[sig-apps] b', '[sig-apps] c']);

function result(test: string, message?: string): TestResult {
  const outcome =
    message === undefined
      ? ({ passed: true } as const)
      : ({ passed: false, state: 'failed', message } as const);
  return { test, id: '001', seconds: 1, outcome };
}

test('the list in the repository has the counts that it states', () => {
  expect(mistakesOf(EXPECTED, EXPECTED_COUNTS, new Set(EXPECTED.map(({ test }) => test)))).toEqual(
    [],
  );
});

test('a list without mistakes has none', () => {
  expect(mistakesOf(LIST, COUNTS, KNOWN)).toEqual([]);
});

test('unknown tests, unknown causes, wrong counts and repetitions are mistakes', () => {
  expect(mistakesOf(LIST, COUNTS, new Set(['[sig-apps] b']))).toEqual(['no test: [sig-network] a']);
  const odd = [{ ...LIST[0], cause: 'weather' }, LIST[1]] as unknown as typeof LIST;
  expect(mistakesOf(odd, COUNTS, KNOWN)).toEqual(['no cause weather: [sig-network] a']);
  expect(mistakesOf(LIST, { ...COUNTS, up: 3 }, KNOWN)).toEqual(['up: 2 are listed, not 3']);
  const twice = [...LIST, ...LIST.slice(1)];
  expect(mistakesOf(twice, COUNTS, KNOWN)).toEqual(['up: a test is listed twice']);
});

test('an unexpected failure and an unexpected pass are surprises', () => {
  const results = [
    result('[sig-network] a'),
    result('[sig-apps] b', 'x'),
    result('[sig-apps] c', 'y'),
  ];
  const surprises = surprisesOf(results, expectedOn('up', LIST));
  expect(surprises.failed.map(({ test }) => test)).toEqual(['[sig-apps] c']);
  expect(surprises.passed.map(({ test }) => test)).toEqual(['[sig-network] a']);
});

test('each set-up has its own expectations', () => {
  expect([...expectedOn('kubelet', LIST)]).toEqual([['[sig-network] a', 'service-proxy']]);
});

test('the report ends with the counts, after a table and the failures', () => {
  const results = [
    result('[sig-network] a'),
    result('[sig-apps] b', 'x'),
    result('[sig-apps] c', 'y\nz'),
  ];
  const expected = expectedOn('up', LIST);
  const surprises = surprisesOf(results, expected);
  expect(linesOf({ results, expected, surprises, output: '/results' })).toEqual([
    '',
    'sig          passed  failed',
    'sig-apps          0       2',
    'sig-network       1       0',
    '',
    'FAILED [sig-apps] b',
    '  failed, expected: podkeep alone has no such controller; logs/001.log',
    '  | x',
    '',
    'FAILED [sig-apps] c',
    '  failed, unexpected; logs/001.log',
    '  | y',
    '  | z',
    '',
    'unexpected failure: [sig-apps] c',
    'unexpected pass: [sig-network] a',
    'JUnit files and logs: /results',
    '1 passed, 2 failed',
  ]);
});

test('a long message is shortened in the middle', () => {
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`);
  const results = [result('[sig-apps] c', lines.join('\n'))];
  const surprises = surprisesOf(results, new Map());
  const printed = linesOf({ results, expected: new Map(), surprises, output: '/results' });
  expect(printed).toContain('  | line 7');
  expect(printed).toContain('  | …');
  expect(printed).not.toContain('  | line 8');
  expect(printed).toContain('  | line 39');
});
