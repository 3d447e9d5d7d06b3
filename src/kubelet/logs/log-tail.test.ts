import { expect, test } from 'vitest';
import { lastBytes, lastLogLines } from './log-tail.ts';

const LOG = [
  '2026-01-02T03:04:05.000000001Z stdout F first',
  '2026-01-02T03:04:05.000000002Z stderr F ',
  '2026-01-02T03:04:05.000000003Z stdout P begun, ',
  '2026-01-02T03:04:05.000000004Z stdout F ended',
  '',
].join('\n');

test('lines lose their timestamps, and parts of one line are joined', () => {
  expect(lastLogLines(LOG, 80, 2048)).toBe('first\n\nbegun, ended\n');
});

test('only the last lines and the last bytes count (KL-45)', () => {
  expect(lastLogLines(LOG, 1, 2048)).toBe('begun, ended\n');
  expect(lastLogLines(LOG, 80, 6)).toBe('ended\n');
});

test('a character is not cut in two', () => {
  expect(lastBytes('aäb', 2)).toBe('b');
  expect(lastBytes('aäb', 3)).toBe('äb');
});

test('text that is no line of a log is skipped', () => {
  expect(lastLogLines(`half a line\n${LOG}`, 80, 2048)).toBe('first\n\nbegun, ended\n');
  expect(lastLogLines('', 80, 2048)).toBe('');
});
