import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../platform/system-clock.ts';
import { compilePattern, PatternBudget } from './pattern.ts';
import { estimateProgram } from './pattern-size.ts';

describe('patterns that are too large are refused quickly', () => {
  test.each([
    ['repeats of a long text', `(${'a'.repeat(500)}){1000}`],
    ['repeats of repeats', `(((a{10}){10}b{10}){10}){3}${'(c{30}){30}'.repeat(30)}`],
    ['many classes', '[a-z]?'.repeat(20_000)],
    ['much text', 'a'.repeat(20_000)],
  ])('%s', (_name, pattern) => {
    const startedMs = systemClock.monotonic();
    expect(compilePattern(pattern)).toMatchObject({
      fault: expect.stringContaining('expression too large') as unknown,
    });
    expect(systemClock.monotonic() - startedMs).toBeLessThan(500);
  });
});

test.each([
  String.raw`^(\d+|\*)(/\d+)?(\s+(\d+|\*)(/\d+)?){4}$`,
  String.raw`^(([0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}|(\d{1,3}\.){3}\d{1,3})$`,
  '^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$',
  '[]^a{3}]{2,5}x{,3}',
])('%s is compiled, and is about as large as estimated', (pattern) => {
  const compiled = compilePattern(pattern);
  if ('fault' in compiled) throw new Error(compiled.fault);
  const estimate = estimateProgram(pattern);
  expect(estimate).toBeGreaterThan(compiled.size / 4);
  expect(estimate).toBeLessThan(compiled.size * 4);
});

test('any text can be estimated', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(estimateProgram(text)).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('the cost of patterns is bounded for one object', () => {
  const compiled = compilePattern('([ab]?){400}[ab]{400}$');
  if ('fault' in compiled) throw new Error(compiled.fault);
  const budget = new PatternBudget();
  const text = 'a'.repeat(1000);
  const spent = Array.from({ length: 20 }, () => budget.spend(text, compiled));
  expect([spent[0], spent.at(-1)]).toEqual([true, false]);
});
