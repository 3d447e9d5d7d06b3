/** The driver alone: turns, limits and failures. The state machine decides what is written. */
import { describe, expect, test } from 'vitest';
import { WriterHarness } from '../../../test/status-manager/writer-harness.ts';

describe('turns', () => {
  test('are given when the caller has returned, so that changes in one tick are one write', async () => {
    const harness = new WriterHarness();
    for (let change = 0; change < 5; change++) harness.change('a');
    expect(harness.asked).toEqual([]);
    await harness.clock.pass(0);
    expect(harness.asked).toEqual(['patch a']);
    await harness.answer('a');
    expect(harness.acked).toEqual(['a v5']);
  });

  test('invariant 1: each pod has one request in flight, however often it changes', async () => {
    const harness = new WriterHarness();
    harness.change('a');
    await harness.clock.pass(0);
    for (let change = 0; change < 5; change++) {
      harness.change('a', 'urgent');
      await harness.clock.pass(0);
    }
    expect(harness.busy).toEqual(['a']);
    await harness.answer('a');
    expect(harness.asked).toEqual(['patch a', 'patch a']);
    await harness.answer('a');
    expect(harness.acked).toEqual(['a v1', 'a v6']);
    expect(harness.busy).toEqual([]);
  });

  test('invariant 1: never more requests than the window, and a free slot is used at once', async () => {
    const harness = new WriterHarness({ window: 2 });
    for (const uid of ['a', 'b', 'c', 'd']) harness.change(uid);
    await harness.clock.pass(0);
    expect(harness.busy).toEqual(['a', 'b']);
    await harness.answer('b');
    expect(harness.busy).toEqual(['a', 'c']);
    await harness.refuse('a');
    expect(harness.busy).toEqual(['c', 'd']);
  });

  test('F-5: urgent pods go first, even one that became urgent while it was queued', async () => {
    const harness = new WriterHarness({ window: 1 });
    for (const uid of ['a', 'b', 'c', 'd']) harness.change(uid);
    await harness.clock.pass(0);
    harness.change('d', 'urgent');
    harness.change('e', 'urgent');
    for (let turn = 0; turn < 5; turn++) await harness.answer(harness.busy[0] ?? '');
    expect(harness.asked.map((ask) => ask.slice(-1)).join('')).toBe('adebc');
  });

  test('only changed pods are handled', async () => {
    const harness = new WriterHarness();
    for (const uid of ['a', 'b', 'c']) harness.versions.set(uid, 1);
    harness.change('b');
    await harness.clock.pass(0);
    await harness.answer('b');
    await harness.clock.pass(600_000);
    expect(harness.looked).toEqual(['b', 'b']);
  });
});

describe('effects of the state machine', () => {
  test('F-12: a pod that the API does not have is written when the watch has shown it', async () => {
    const harness = new WriterHarness();
    harness.unseen.add('a');
    harness.change('a');
    await harness.clock.pass(0);
    harness.unseen.delete('a');
    harness.change('a', 'urgent');
    await harness.clock.pass(60_000);
    expect(harness.asked).toEqual([]);
    harness.writer.seen('a');
    await harness.clock.pass(0);
    expect(harness.asked).toEqual(['patch a']);
  });

  test('a pod without a change is not written because it was seen', async () => {
    const harness = new WriterHarness();
    harness.versions.set('a', 1);
    harness.writer.seen('a');
    await harness.clock.pass(0);
    expect(harness.asked).toEqual([]);
  });

  test('SM-59: an overwritten status counts as unwritten, and is written again', async () => {
    const harness = new WriterHarness();
    harness.change('a');
    await harness.clock.pass(0);
    await harness.answer('a');
    harness.writer.overwritten('a');
    expect(harness.writer.ackedVersion('a', 'a')).toBe(0);
    await harness.clock.pass(0);
    await harness.answer('a');
    expect(harness.writer.ackedVersion('a', 'a')).toBe(1);
    expect(harness.asked).toEqual(['patch a', 'patch a']);
  });

  test('SM-2: a version is acknowledged under one UID of the API', async () => {
    const harness = new WriterHarness();
    harness.change('a');
    await harness.clock.pass(0);
    await harness.answer('a');
    expect(harness.writer.ackedVersion('a', 'a')).toBe(1);
    expect(harness.writer.ackedVersion('a', 'another mirror')).toBe(0);
  });

  test('SM-71: a record whose name another pod has taken is dropped', async () => {
    const harness = new WriterHarness();
    harness.replaced.add('a');
    harness.change('a');
    await harness.clock.pass(0);
    expect(harness.dropped).toEqual(['a']);
    expect(harness.asked).toEqual([]);
  });

  test('every step is reported, unless it changed nothing', async () => {
    const harness = new WriterHarness();
    harness.change('a');
    harness.change('a', 'urgent');
    await harness.clock.pass(0);
    harness.change('a');
    await harness.answer('a');
    const steps = harness.steps.map(({ from, to, event }) => `${from} > ${to}: ${event.type}`);
    expect(steps).toEqual([
      'idle > queued: changed',
      'queued > busy: admitted',
      'busy > queued: settled',
      'queued > busy: admitted',
    ]);
  });
});

describe('the client limit (KL-107)', () => {
  test('a burst at once, then a fixed rate', async () => {
    const harness = new WriterHarness({ qps: 10, burst: 3 });
    for (let index = 0; index < 6; index++) harness.change(`p${index}`);
    await harness.clock.pass(0);
    expect(harness.asked).toHaveLength(3);
    await harness.clock.pass(99);
    expect(harness.asked).toHaveLength(3);
    await harness.clock.pass(1);
    expect(harness.asked).toHaveLength(4);
    await harness.clock.pass(200);
    expect(harness.asked).toHaveLength(6);
  });

  test('a pod that becomes urgent while all wait for the limit goes next', async () => {
    const harness = new WriterHarness({ qps: 1, burst: 1 });
    for (const uid of ['a', 'b', 'c']) harness.change(uid);
    await harness.clock.pass(500);
    harness.change('c', 'urgent');
    await harness.clock.pass(500);
    expect(harness.asked).toEqual(['patch a', 'patch c']);
  });

  test('waiting for it takes one timer, however many pods wait and change', async () => {
    const harness = new WriterHarness({ qps: 1, burst: 1, window: 1000 });
    for (let index = 0; index < 100; index++) harness.change(`p${index}`);
    await harness.clock.pass(0);
    await harness.answer('p0');
    for (let index = 1; index < 100; index++) harness.change(`p${index}`, 'urgent');
    await harness.clock.pass(0);
    expect(harness.clock.pending).toBe(1);
  });
});

describe('failures', () => {
  test('are retried after the delay, and not a moment sooner', async () => {
    const harness = new WriterHarness();
    harness.change('a');
    await harness.clock.pass(0);
    await harness.refuse('a');
    await harness.clock.pass(999);
    expect(harness.asked).toHaveLength(1);
    await harness.clock.pass(1);
    expect(harness.asked).toHaveLength(2);
  });

  test('the delay has up to one half of jitter, so that pods do not retry together', async () => {
    const chances = [0, 0.5, 0.999];
    const harness = new WriterHarness({ random: { next: () => chances.shift() ?? 0 } });
    for (const uid of ['a', 'b', 'c']) harness.change(uid);
    await harness.clock.pass(0);
    for (const uid of ['a', 'b', 'c']) await harness.refuse(uid);
    const after = async (ms: number): Promise<readonly string[]> => {
      harness.asked.length = 0;
      await harness.clock.pass(ms);
      return [...harness.asked];
    };
    expect(await after(1000)).toEqual(['patch a']);
    expect(await after(250)).toEqual(['patch b']);
    expect(await after(249)).toEqual([]);
    expect(await after(1)).toEqual(['patch c']);
  });

  test('one pod that fails does not delay the others', async () => {
    const harness = new WriterHarness({ window: 1 });
    harness.change('a');
    harness.change('b');
    await harness.clock.pass(0);
    await harness.refuse('a');
    await harness.answer('b');
    expect(harness.acked).toEqual(['b v1']);
  });

  test('a failed step has its error', async () => {
    const harness = new WriterHarness();
    const error = new Error('socket hang up');
    harness.change('a');
    await harness.clock.pass(0);
    await harness.refuse('a', error);
    expect(harness.steps.at(-1)).toMatchObject({ from: 'busy', to: 'waiting', error });
    expect(harness.steps.slice(0, -1).every((step) => !('error' in step))).toBe(true);
  });

  test('a request that hangs is aborted after its timeout, and retried', async () => {
    const harness = new WriterHarness();
    harness.change('a');
    await harness.clock.pass(29_999);
    expect(harness.underWay[0]?.signal.aborted).toBe(false);
    await harness.clock.pass(1);
    expect(harness.busy).toEqual([]);
    await harness.clock.pass(1000);
    expect(harness.asked).toHaveLength(2);
  });
});
