import { describe, expect, test } from 'vitest';
import { VirtualClock } from './virtual-clock.ts';

describe('a clock that stands still until a test moves it', () => {
  test('timers fire in order of time, then in the order in which they were set', async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    for (const [name, delayMs] of [
      ['c', 20],
      ['a', 10],
      ['b', 10],
      ['z', -3],
    ] as const) {
      clock.after(delayMs, () => fired.push(`${name} at ${clock.monotonic()}`));
    }
    expect(fired).toEqual([]);
    await clock.pass(15);
    expect(fired).toEqual(['z at 0', 'a at 10', 'b at 10']);
    expect(clock.monotonic()).toBe(15);
    await clock.pass(5);
    expect(fired.at(-1)).toBe('c at 20');
    expect(clock.pending).toBe(0);
  });

  test('a timer may set and stop others', async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    const cancel = clock.after(30, () => fired.push('stopped'));
    clock.after(10, () => {
      cancel();
      clock.after(5, () => fired.push(`nested at ${clock.monotonic()}`));
    });
    await clock.pass(100);
    cancel();
    expect(fired).toEqual(['nested at 15']);
  });

  test('the work that a timer starts settles before the next one fires', async () => {
    const clock = new VirtualClock();
    const seen: number[] = [];
    const slow = async (): Promise<void> => {
      await Promise.resolve();
      await Promise.resolve();
      seen.push(clock.monotonic());
    };
    clock.after(1, () => void slow());
    clock.after(2, () => void slow());
    await clock.pass(10);
    expect(seen).toEqual([1, 2]);
  });

  test('wall time moves with it', async () => {
    const clock = new VirtualClock();
    const before = clock.now();
    await clock.pass(1_234);
    expect(clock.now() - before).toBe(1_234);
  });
});
