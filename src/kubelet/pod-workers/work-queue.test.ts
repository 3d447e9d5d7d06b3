import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { WorkQueue } from './work-queue.ts';

function queue() {
  const clock = new VirtualClock();
  const woken: string[] = [];
  return { clock, woken, queue: new WorkQueue(clock, (uid) => woken.push(uid)) };
}

describe('PW-56: when pods are synced again', () => {
  test('a pod is woken once, and not a moment too soon', async () => {
    const { clock, woken, queue: work } = queue();
    work.enqueue('u1', 10_000);
    await clock.pass(9_999);
    expect(woken).toEqual([]);
    await clock.pass(1);
    await clock.pass(100_000);
    expect(woken).toEqual(['u1']);
  });

  test('setting the time again replaces it, even by a later one', async () => {
    const { clock, woken, queue: work } = queue();
    work.enqueue('u1', 1_000);
    work.enqueue('u1', 60_000);
    await clock.pass(59_999);
    expect(woken).toEqual([]);
    work.enqueue('u1', 0);
    await clock.pass(0);
    expect(woken).toEqual(['u1']);
    expect(clock.pending).toBe(0);
  });

  test('a pod that is dropped is not woken', async () => {
    const { clock, woken, queue: work } = queue();
    work.enqueue('u1', 1);
    work.enqueue('u2', 2);
    work.drop('u1');
    work.drop('unknown');
    await clock.pass(10);
    expect(woken).toEqual(['u2']);
  });

  test('nothing is left after all are dropped', () => {
    const { clock, queue: work } = queue();
    for (const uid of ['u1', '__proto__', 'constructor']) work.enqueue(uid, 1_000);
    expect(clock.pending).toBe(3);
    work.clear();
    expect(clock.pending).toBe(0);
  });

  test('whatever is set, each pod is woken at the time that was set last', async () => {
    const settings = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat({ max: 100 })));
    const property = fc.asyncProperty(settings, async (set) => {
      const { clock, queue: work } = queue();
      const woken = new Map<string, number>();
      const heard = new WorkQueue(clock, (uid) => woken.set(uid, clock.monotonic()));
      for (const [uid, delayMs] of set) heard.enqueue(uid, delayMs);
      work.clear();
      await clock.pass(100);
      expect(woken).toEqual(new Map(set));
    });
    await fc.assert(property, { numRuns: 50 });
  });
});
