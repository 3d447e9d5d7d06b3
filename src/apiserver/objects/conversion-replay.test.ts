import { expect, test } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import { recall, replayed, runIfConverted } from './conversion-replay.ts';
import { internalFailure } from './status.ts';

const later = (name: string) => async (): Promise<JsonObject> => ({ name });

test('a function that needs no conversion runs once, and at once', () => {
  let runs = 0;
  expect(replayed(() => (runs += 1))).toBe(1);
  expect(runs).toBe(1);
});

test('a function runs again with every conversion that it needs', async () => {
  const calls: string[] = [];
  let runs = 0;
  const result = replayed(() => {
    runs += 1;
    return ['a', 'b', 'a'].map((key) =>
      recall(key, async () => {
        calls.push(key);
        return { key };
      }),
    );
  });
  expect(await result).toEqual([{ key: 'a' }, { key: 'b' }, { key: 'a' }]);
  expect([runs, calls]).toEqual([3, ['a', 'b']]);
});

test('a conversion that failed fails in the function itself, which may catch it', async () => {
  const failing = async (): Promise<JsonObject> => {
    throw internalFailure('broken');
  };
  const run = (): string => {
    try {
      return JSON.stringify(recall('a', failing));
    } catch (error) {
      if (error instanceof Error && error.message === 'broken') return 'caught';
      throw error;
    }
  };
  expect(await replayed(run)).toBe('caught');
  await expect(replayed(() => recall('a', failing))).rejects.toThrow('broken');
});

test('the conversions of two functions that wait at the same time stay apart', async () => {
  const first = replayed(() => recall('same key', later('first')));
  const second = replayed(() => recall('same key', later('second')));
  expect(await Promise.all([first, second])).toEqual([{ name: 'first' }, { name: 'second' }]);
});

test('a function that always needs another conversion ends', async () => {
  let key = 0;
  const endless = replayed(() => recall(String((key += 1)), later('x')));
  await expect(endless).rejects.toThrow('more than 50 conversions');
});

test('where nothing can wait, a conversion that is not known has no result', () => {
  expect(runIfConverted(() => recall('a', later('x')))).toBeUndefined();
  expect(runIfConverted(() => 'known')).toBe('known');
});
