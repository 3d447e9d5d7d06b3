import { expect, test } from 'vitest';
import { signalNumber } from './signals.ts';

test.each([
  ['SIGTERM', 15],
  ['TERM', 15],
  ['sigusr1', 10],
  ['9', 9],
  ['SIGRTMIN', 34],
  ['SIGRTMIN+3', 37],
  ['RTMAX-1', 63],
])('%s is %i', (name, number) => {
  expect(signalNumber(name)).toBe(number);
});

test('an unknown signal is SIGTERM', () => {
  for (const name of ['', 'SIGNONSENSE', '0', '65', 'RTMAX+1', '__proto__']) {
    expect(signalNumber(name)).toBe(15);
  }
});
