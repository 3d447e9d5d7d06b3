import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as yaml from 'yaml';
import { systemClock } from '../../platform/system-clock.ts';
import { yamlToJson } from './yaml-json.ts';
import { readYamlAsJson } from './yaml-worker.ts';

const LIMITS = { levels: 500, chars: 3 * 1024 * 1024 };
const read = (text: string): unknown => JSON.parse(yamlToJson(yaml, text, LIMITS));

function faultOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return undefined;
}

test('values are read as YAML 1.1 reads them, and times stay texts', () => {
  expect(read('a: on\nb: 010\nc: 2030-01-02\nd: {<<: {x: 1}, z: [~]}')).toEqual({
    a: true,
    b: 8,
    c: '2030-01-02',
    d: { x: 1, z: [null] },
  });
});

describe('duplicate keys', () => {
  const key = fc.constantFrom('a', 'b', '1', '"a"', 'x'.repeat(70));
  const block = fc
    .array(fc.tuple(key, fc.constantFrom('1', '{a: 1, a: 2}', '[{b: 1}]')), { minLength: 1 })
    .map((pairs) => pairs.map(([name, value]) => `${name}: ${value}`).join('\n'));
  const flow = fc
    .array(key, { minLength: 1 })
    .map((keys) => `{${keys.map((name) => `${name}: 1`).join(', ')}}`);

  test('are refused in the words of the yaml package, whatever the map', () => {
    fc.assert(
      fc.property(fc.oneof(block, flow), (text) => {
        const theirs = faultOf(() => yaml.parse(text, { version: '1.1' }));
        expect(faultOf(() => read(text))).toBe(theirs);
      }),
      { seed: 7 },
    );
  });

  test('are found among 20,000 on a worker thread, without blocking the main thread', async () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `key-${index}: v`);
    let turns = 0;
    const done = new AbortController();
    const counting = (async () => {
      for (; !done.signal.aborted; turns += 1) await systemClock.turn?.();
    })();
    const refused = readYamlAsJson([...keys, 'key-0: again'].join('\n'));
    await expect(refused).rejects.toThrow('Map keys must be unique at line 20001, column 1');
    done.abort();
    await counting;
    expect(turns).toBeGreaterThan(5);
    const value: unknown = JSON.parse(await readYamlAsJson(keys.join('\n')));
    expect(value).toMatchObject({ 'key-19999': 'v' });
  }, 60_000);
});

describe('depth is counted', () => {
  const refused = 'the object is nested too deeply: this server takes at most 500 levels';

  test.each([
    ['lists', (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`],
    ['block lists', (levels: number) => `${'- '.repeat(levels)}a`],
    ['maps', (levels: number) => `${'{a: '.repeat(levels)}1${'}'.repeat(levels)}`],
  ])('in %s', (_name, nested) => {
    expect(faultOf(() => read(nested(400)))).toBeUndefined();
    expect(faultOf(() => read(nested(5000)))).toBe(refused);
  });

  test('of text that is far too deep, too, on the worker thread', async () => {
    await expect(readYamlAsJson('- '.repeat(50_000))).rejects.toThrow(refused);
  });
});

describe('aliases', () => {
  test('that multiply are refused', () => {
    const bomb = `a: &a [${'x,'.repeat(10)}]\nb: &b [${'*a,'.repeat(50)}]\nc: [${'*b,'.repeat(50)}]`;
    expect(faultOf(() => read(bomb))).toContain('Excessive alias count');
  });

  test('that expand kilobytes to megabytes are refused', () => {
    const long = `a: &a "${'x'.repeat(100_000)}"\nb: [${'*a,'.repeat(40)}]`;
    expect(faultOf(() => read(long))).toContain('too large');
    expect(faultOf(() => read(`a: &a x\nb: [${'*a,'.repeat(40)}]`))).toBeUndefined();
  });
});
