/** The driver alone: how a pod, a wait or the whole writer comes to an end. */
import { describe, expect, test } from 'vitest';
import { WriterStage } from '../../../test/status-manager/writer-stage.ts';

describe('forgetting (V-1)', () => {
  test('a pod that waits for its turn has none any more', async () => {
    const stage = new WriterStage();
    stage.change('a');
    stage.writer.forget('a');
    await stage.clock.pass(0);
    expect(stage.asked).toEqual([]);
  });

  test('a pod that waits after a failure does not come back, and leaves no timer', async () => {
    const stage = new WriterStage();
    stage.change('a');
    await stage.clock.pass(0);
    await stage.refuse('a');
    stage.writer.forget('a');
    expect(stage.clock.pending).toBe(0);
  });

  test('what was acknowledged is forgotten with it', async () => {
    const stage = new WriterStage();
    stage.change('a');
    await stage.clock.pass(0);
    await stage.answer('a');
    expect(stage.writer.ackedVersion('a', 'a')).toBe(1);
    stage.writer.forget('a');
    expect(stage.writer.ackedVersion('a', 'a')).toBe(0);
  });

  test('nobody knows of a pod that was never mentioned: forgetting it does nothing', () => {
    const stage = new WriterStage();
    stage.writer.forget('a');
    expect(stage.writer.ackedVersion('a', 'a')).toBe(0);
  });

  describe('F-14: while its request is under way', () => {
    async function forgottenMidway(
      options: ConstructorParameters<typeof WriterStage>[0] = {},
    ): Promise<WriterStage> {
      const stage = new WriterStage(options);
      stage.change('a');
      await stage.clock.pass(0);
      stage.writer.forget('a');
      stage.versions.delete('a');
      return stage;
    }

    test('the answer acknowledges nothing', async () => {
      const stage = await forgottenMidway();
      await stage.answer('a');
      expect(stage.acked).toEqual([]);
      expect(stage.writer.ackedVersion('a', 'a')).toBe(0);
    });

    test('one that comes back under its UID waits until that is over, then writes', async () => {
      const stage = await forgottenMidway();
      stage.change('a');
      stage.writer.overwritten('a');
      stage.writer.seen('a');
      await stage.clock.pass(0);
      expect(stage.asked).toHaveLength(1);
      await stage.answer('a');
      expect(stage.asked).toHaveLength(2);
      await stage.answer('a');
      expect(stage.acked).toEqual(['a v1']);
    });

    test.each([
      [['normal', 'urgent'], 'ab'],
      [['urgent', 'normal'], 'ab'],
      [['normal', 'normal'], 'ba'],
    ] as const)('mentioned %j, it takes its place among the others: %s', async (lanes, order) => {
      const stage = await forgottenMidway({ window: 1 });
      stage.change('b');
      for (const lane of lanes) stage.change('a', lane);
      stage.asked.length = 0;
      await stage.answer('a');
      await stage.answer(stage.busy[0] ?? '');
      expect(stage.asked.map((ask) => ask.slice(-1)).join('')).toBe(order);
    });

    test('seen before it came back is no reason to write', async () => {
      const stage = await forgottenMidway();
      stage.writer.seen('a');
      await stage.answer('a');
      expect(stage.asked).toHaveLength(1);
    });

    test('so also if the old request failed: the delay was for the old one', async () => {
      const stage = await forgottenMidway();
      stage.change('a', 'urgent');
      await stage.refuse('a');
      expect(stage.asked).toHaveLength(2);
    });

    test('forgotten once more, it does not come back', async () => {
      const stage = await forgottenMidway();
      stage.change('a');
      stage.writer.forget('a');
      await stage.answer('a');
      expect(stage.asked).toHaveLength(1);
    });
  });
});

describe('idle', () => {
  test('is at once when there is nothing to do', async () => {
    await expect(new WriterStage().writer.idle()).resolves.toBeUndefined();
  });

  test('is when nobody waits for a turn and no request is under way', async () => {
    const stage = new WriterStage({ window: 1 });
    let isIdle = false;
    stage.change('a');
    stage.change('b');
    void stage.writer.idle().then(() => (isIdle = true));
    await stage.clock.pass(0);
    await stage.answer('a');
    expect(isIdle).toBe(false);
    await stage.answer('b');
    expect(isIdle).toBe(true);
  });

  test('does not wait for the limit if the last one that waited for it is forgotten', async () => {
    const stage = new WriterStage({ qps: 0.001, burst: 1 });
    for (const uid of ['a', 'b']) stage.change(uid);
    await stage.clock.pass(0);
    await stage.answer('a');
    const idle = stage.writer.idle();
    stage.writer.forget('b');
    await expect(idle).resolves.toBeUndefined();
  });

  test('does not wait for pods that will try again later', async () => {
    const stage = new WriterStage();
    stage.change('a');
    await stage.clock.pass(0);
    const idle = stage.writer.idle();
    await stage.refuse('a');
    await expect(idle).resolves.toBeUndefined();
  });
});

describe('stopping', () => {
  test('cuts what is under way, gives no more turns and leaves no timers', async () => {
    const stage = new WriterStage({ window: 2, qps: 10, burst: 2 });
    for (const uid of ['a', 'b', 'c', 'd']) stage.change(uid);
    await stage.clock.pass(0);
    await stage.refuse('a');
    await stage.clock.pass(100);
    const signals = stage.underWay.map(({ signal }) => signal);
    await stage.writer.stop();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(stage.clock.pending).toBe(0);
    const asked = stage.asked.length;
    stage.change('e', 'urgent');
    await stage.clock.pass(60_000);
    expect(stage.asked).toHaveLength(asked);
  });

  test('while all wait for the limit, no timer is left either', async () => {
    const stage = new WriterStage({ qps: 1, burst: 1 });
    for (const uid of ['a', 'b']) stage.change(uid);
    await stage.clock.pass(0);
    await stage.answer('a');
    await stage.writer.stop();
    expect(stage.clock.pending).toBe(0);
  });

  test('before turns were given, none is', async () => {
    const stage = new WriterStage();
    stage.change('a');
    await stage.writer.stop();
    await stage.clock.pass(1000);
    expect(stage.asked).toEqual([]);
  });

  test('twice is stopping once', async () => {
    const stage = new WriterStage();
    await Promise.all([stage.writer.stop(), stage.writer.stop()]);
    expect(stage.clock.pending).toBe(0);
  });
});

describe('a pod whose object cannot be read', () => {
  test('is parked alone, and says so once', async () => {
    const stage = new WriterStage({ window: 1 });
    stage.broken.add('a');
    for (const uid of ['a', 'b']) stage.change(uid);
    await stage.clock.pass(0);
    expect(stage.parked).toEqual(['a']);
    expect(stage.busy).toEqual(['b']);
    await stage.answer('b');
    stage.change('a', 'urgent');
    await stage.clock.pass(60_000);
    expect(stage.parked).toEqual(['a']);
    expect(stage.acked).toEqual(['b v1']);
  });

  test('has another chance when its record has gone and come back', async () => {
    const stage = new WriterStage();
    stage.broken.add('a');
    stage.change('a');
    await stage.clock.pass(0);
    stage.writer.forget('a');
    stage.broken.delete('a');
    stage.change('a');
    await stage.clock.pass(0);
    expect(stage.asked).toEqual(['patch a']);
  });
});
