/** The driver alone: the end of a pod, of a wait, or of the whole writer. */
import { describe, expect, test } from 'vitest';
import { WriterHarness } from '../../../test/status-manager/writer-harness.ts';

describe('forgetting (V-1)', () => {
  test('a queued pod loses its turn', async () => {
    const harness = new WriterHarness();
    harness.change('a');
    harness.writer.forget('a');
    await harness.clock.pass(0);
    expect(harness.asked).toEqual([]);
  });

  test('a pod that waits after a failure does not come back, and leaves no timer', async () => {
    const harness = new WriterHarness();
    harness.change('a');
    await harness.clock.pass(0);
    await harness.refuse('a');
    harness.writer.forget('a');
    expect(harness.clock.pending).toBe(0);
  });

  test('its acknowledged version is forgotten with it', async () => {
    const harness = new WriterHarness();
    harness.change('a');
    await harness.clock.pass(0);
    await harness.answer('a');
    expect(harness.writer.ackedVersion('a', 'a')).toBe(1);
    harness.writer.forget('a');
    expect(harness.writer.ackedVersion('a', 'a')).toBe(0);
  });

  test('forgetting an unknown pod does nothing', () => {
    const harness = new WriterHarness();
    harness.writer.forget('a');
    expect(harness.writer.ackedVersion('a', 'a')).toBe(0);
  });

  describe('F-14: during its request', () => {
    async function forgottenMidway(
      options: ConstructorParameters<typeof WriterHarness>[0] = {},
    ): Promise<WriterHarness> {
      const harness = new WriterHarness(options);
      harness.change('a');
      await harness.clock.pass(0);
      harness.writer.forget('a');
      harness.versions.delete('a');
      return harness;
    }

    test('the answer acknowledges nothing', async () => {
      const harness = await forgottenMidway();
      await harness.answer('a');
      expect(harness.acked).toEqual([]);
      expect(harness.writer.ackedVersion('a', 'a')).toBe(0);
    });

    test('a pod that comes back under its UID waits until that is over, then writes', async () => {
      const harness = await forgottenMidway();
      harness.change('a');
      harness.writer.overwritten('a');
      harness.writer.seen('a');
      await harness.clock.pass(0);
      expect(harness.asked).toHaveLength(1);
      await harness.answer('a');
      expect(harness.asked).toHaveLength(2);
      await harness.answer('a');
      expect(harness.acked).toEqual(['a v1']);
    });

    test.each([
      [['normal', 'urgent'], 'ab'],
      [['urgent', 'normal'], 'ab'],
      [['normal', 'normal'], 'ba'],
    ] as const)('changed %j, it is queued among the others: %s', async (lanes, order) => {
      const harness = await forgottenMidway({ window: 1 });
      harness.change('b');
      for (const lane of lanes) harness.change('a', lane);
      harness.asked.length = 0;
      await harness.answer('a');
      await harness.answer(harness.busy[0] ?? '');
      expect(harness.asked.map((ask) => ask.slice(-1)).join('')).toBe(order);
    });

    test('seen before it came back is no reason to write', async () => {
      const harness = await forgottenMidway();
      harness.writer.seen('a');
      await harness.answer('a');
      expect(harness.asked).toHaveLength(1);
    });

    test('even if the old request failed: the delay was for the old one', async () => {
      const harness = await forgottenMidway();
      harness.change('a', 'urgent');
      await harness.refuse('a');
      expect(harness.asked).toHaveLength(2);
    });

    test('forgotten once more, it does not come back', async () => {
      const harness = await forgottenMidway();
      harness.change('a');
      harness.writer.forget('a');
      await harness.answer('a');
      expect(harness.asked).toHaveLength(1);
    });
  });
});

describe('idle', () => {
  test('is immediate when there is nothing to do', async () => {
    await expect(new WriterHarness().writer.idle()).resolves.toBeUndefined();
  });

  test('is when no pod is queued and no request is in flight', async () => {
    const harness = new WriterHarness({ window: 1 });
    let isIdle = false;
    harness.change('a');
    harness.change('b');
    void harness.writer.idle().then(() => (isIdle = true));
    await harness.clock.pass(0);
    await harness.answer('a');
    expect(isIdle).toBe(false);
    await harness.answer('b');
    expect(isIdle).toBe(true);
  });

  test('does not wait for the limit if the last pod that waited for it is forgotten', async () => {
    const harness = new WriterHarness({ qps: 0.001, burst: 1 });
    for (const uid of ['a', 'b']) harness.change(uid);
    await harness.clock.pass(0);
    await harness.answer('a');
    const idle = harness.writer.idle();
    harness.writer.forget('b');
    await expect(idle).resolves.toBeUndefined();
  });

  test('does not wait for pods that will try again later', async () => {
    const harness = new WriterHarness();
    harness.change('a');
    await harness.clock.pass(0);
    const idle = harness.writer.idle();
    await harness.refuse('a');
    await expect(idle).resolves.toBeUndefined();
  });
});

describe('stopping', () => {
  test('aborts requests in flight, gives no more turns and leaves no timers', async () => {
    const harness = new WriterHarness({ window: 2, qps: 10, burst: 2 });
    for (const uid of ['a', 'b', 'c', 'd']) harness.change(uid);
    await harness.clock.pass(0);
    await harness.refuse('a');
    await harness.clock.pass(100);
    const signals = harness.underWay.map(({ signal }) => signal);
    await harness.writer.stop();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(harness.clock.pending).toBe(0);
    const asked = harness.asked.length;
    harness.change('e', 'urgent');
    await harness.clock.pass(60_000);
    expect(harness.asked).toHaveLength(asked);
  });

  test('while all wait for the limit, no timer is left either', async () => {
    const harness = new WriterHarness({ qps: 1, burst: 1 });
    for (const uid of ['a', 'b']) harness.change(uid);
    await harness.clock.pass(0);
    await harness.answer('a');
    await harness.writer.stop();
    expect(harness.clock.pending).toBe(0);
  });

  test('before the first turn, no turn is given', async () => {
    const harness = new WriterHarness();
    harness.change('a');
    await harness.writer.stop();
    await harness.clock.pass(1000);
    expect(harness.asked).toEqual([]);
  });

  test('twice has the effect of once', async () => {
    const harness = new WriterHarness();
    await Promise.all([harness.writer.stop(), harness.writer.stop()]);
    expect(harness.clock.pending).toBe(0);
  });
});

describe('a pod whose object cannot be read', () => {
  test('is parked alone, and is reported once', async () => {
    const harness = new WriterHarness({ window: 1 });
    harness.broken.add('a');
    for (const uid of ['a', 'b']) harness.change(uid);
    await harness.clock.pass(0);
    expect(harness.parked).toEqual(['a']);
    expect(harness.busy).toEqual(['b']);
    await harness.answer('b');
    harness.change('a', 'urgent');
    await harness.clock.pass(60_000);
    expect(harness.parked).toEqual(['a']);
    expect(harness.acked).toEqual(['b v1']);
  });

  test('is tried again when its record was dropped and came back', async () => {
    const harness = new WriterHarness();
    harness.broken.add('a');
    harness.change('a');
    await harness.clock.pass(0);
    harness.writer.forget('a');
    harness.broken.delete('a');
    harness.change('a');
    await harness.clock.pass(0);
    expect(harness.asked).toEqual(['patch a']);
  });
});
