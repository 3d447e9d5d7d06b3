import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from './system-clock.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_700_000_000_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('the clock of this machine', () => {
  test('has wall time, and a monotonic time', () => {
    expect(systemClock.now()).toBe(1_700_000_000_000);
    const before = systemClock.monotonic();
    vi.advanceTimersByTime(1_500);
    expect(systemClock.now()).toBe(1_700_000_001_500);
    expect(systemClock.monotonic() - before).toBe(1_500);
  });

  test('wakes once, and never before the call has returned', () => {
    const wake = vi.fn<() => void>();
    systemClock.after(0, wake);
    systemClock.after(-5, wake);
    expect(wake).not.toHaveBeenCalled();
    vi.advanceTimersByTime(10_000);
    expect(wake).toHaveBeenCalledTimes(2);
  });

  test('a cancelled timer does not wake; cancelling it again does nothing', () => {
    const wake = vi.fn<() => void>();
    const cancel = systemClock.after(1_000, wake);
    cancel();
    cancel();
    vi.advanceTimersByTime(10_000);
    expect(wake).not.toHaveBeenCalled();
  });

  test('waits longer than a timer of Node can', () => {
    const wake = vi.fn<() => void>();
    const fortyDays = 40 * 86_400_000;
    systemClock.after(fortyDays, wake);
    vi.advanceTimersByTime(fortyDays - 1);
    expect(wake).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(wake).toHaveBeenCalledTimes(1);
  });

  test('a long wait can be cancelled in the middle', () => {
    const wake = vi.fn<() => void>();
    const cancel = systemClock.after(40 * 86_400_000, wake);
    vi.advanceTimersByTime(30 * 86_400_000);
    cancel();
    vi.advanceTimersByTime(30 * 86_400_000);
    expect(wake).not.toHaveBeenCalled();
  });
});
