import { expect, test } from 'vitest';
import { SendWindows } from './send-windows.ts';

const KIB = 1024;

test('nothing limits us as long as the other side has no windows', () => {
  const windows = new SendWindows();
  windows.open(1);
  expect(windows.take(1, 500 * KIB)).toBe(500 * KIB);
  expect(windows.areKept).toBe(false);
});

test('bytes sent before count when windows begin to apply', () => {
  const windows = new SendWindows();
  windows.open(1);
  windows.take(1, 60 * KIB);
  windows.setInitial(null);
  expect(windows.take(1, 32 * KIB)).toBe(4 * KIB);
  expect(windows.take(1, 1)).toBe(0);
  windows.grow(1, 10 * KIB);
  expect(windows.take(1, 1)).toBe(0); // the connection's is still empty
  windows.grow(0, 6 * KIB);
  expect(windows.take(1, 32 * KIB)).toBe(6 * KIB);
});

test('a new initial size reaches the streams that are open, and may make theirs negative', () => {
  const windows = new SendWindows();
  windows.setInitial(null);
  windows.open(1);
  windows.take(1, 32 * KIB);
  windows.setInitial(16 * KIB);
  expect(windows.take(1, 1)).toBe(0);
  windows.grow(1, 20 * KIB);
  expect(windows.take(1, 32 * KIB)).toBe(4 * KIB);
});

test('a waiter is called once, by a larger window or by the end of a stream', () => {
  const windows = new SendWindows();
  const woken: string[] = [];
  windows.open(1);
  windows.wait(() => woken.push('by space'));
  windows.grow(1, 1);
  windows.wait(() => woken.push('by the end'));
  windows.close(1);
  windows.grow(0, 1);
  expect(woken).toEqual(['by space', 'by the end']);
});

test('a window that would exceed the maximum is refused', () => {
  const windows = new SendWindows();
  windows.open(1);
  expect(windows.grow(1, 0x7fff_ffff)).toBe(false);
  expect(windows.grow(99, 0x7fff_ffff)).toBe(true);
});
