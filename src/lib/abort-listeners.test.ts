import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { offAbort, onAbort } from './abort-listeners.ts';

test('a signal has one listener, however many wait for it, and none at the end', () => {
  const { signal } = new AbortController();
  const listeners = Array.from({ length: 500 }, () => () => {});
  for (const listener of listeners) onAbort(signal, listener);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  for (const listener of listeners) offAbort(signal, listener);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('all are called once, in order, and those that left are not', () => {
  const abort = new AbortController();
  const called: string[] = [];
  const late = (): void => void called.push('late');
  const gone = (): void => void called.push('gone');
  onAbort(abort.signal, () => {
    called.push('first');
    offAbort(abort.signal, gone);
  });
  onAbort(abort.signal, gone);
  onAbort(abort.signal, () => void called.push('second'));
  abort.abort();
  onAbort(abort.signal, late);
  abort.abort();
  expect(called).toEqual(['first', 'second']);
});
