/** The driver alone: turns, limits and failures. What is written, the machine decides. */
import { describe, expect, test } from 'vitest';
import { WriterStage } from '../../../test/status-manager/writer-stage.ts';

describe('turns', () => {
  test('are given when the caller is done, so that what happens in one go is one write', async () => {
    const stage = new WriterStage();
    for (let change = 0; change < 5; change++) stage.change('a');
    expect(stage.asked).toEqual([]);
    await stage.clock.pass(0);
    expect(stage.asked).toEqual(['patch a']);
    await stage.answer('a');
    expect(stage.acked).toEqual(['a v5']);
  });

  test('invariant 1: each pod has one request under way, however often it changes', async () => {
    const stage = new WriterStage();
    stage.change('a');
    await stage.clock.pass(0);
    for (let change = 0; change < 5; change++) {
      stage.change('a', 'urgent');
      await stage.clock.pass(0);
    }
    expect(stage.busy).toEqual(['a']);
    await stage.answer('a');
    expect(stage.asked).toEqual(['patch a', 'patch a']);
    await stage.answer('a');
    expect(stage.acked).toEqual(['a v1', 'a v6']);
    expect(stage.busy).toEqual([]);
  });

  test('invariant 1: never more than the window, and a place is taken when it is free', async () => {
    const stage = new WriterStage({ window: 2 });
    for (const uid of ['a', 'b', 'c', 'd']) stage.change(uid);
    await stage.clock.pass(0);
    expect(stage.busy).toEqual(['a', 'b']);
    await stage.answer('b');
    expect(stage.busy).toEqual(['a', 'c']);
    await stage.refuse('a');
    expect(stage.busy).toEqual(['c', 'd']);
  });

  test('F-5: the urgent go first, also one that became urgent while it waited', async () => {
    const stage = new WriterStage({ window: 1 });
    for (const uid of ['a', 'b', 'c', 'd']) stage.change(uid);
    await stage.clock.pass(0);
    stage.change('d', 'urgent');
    stage.change('e', 'urgent');
    for (let turn = 0; turn < 5; turn++) await stage.answer(stage.busy[0] ?? '');
    expect(stage.asked.map((ask) => ask.slice(-1)).join('')).toBe('adebc');
  });

  test('nobody is looked at who was not mentioned', async () => {
    const stage = new WriterStage();
    for (const uid of ['a', 'b', 'c']) stage.versions.set(uid, 1);
    stage.change('b');
    await stage.clock.pass(0);
    await stage.answer('b');
    await stage.clock.pass(600_000);
    expect(stage.looked).toEqual(['b', 'b']);
  });
});

describe('what the machine wants', () => {
  test('F-12: a pod that the API does not have is asked for when the watch has shown it', async () => {
    const stage = new WriterStage();
    stage.unseen.add('a');
    stage.change('a');
    await stage.clock.pass(0);
    stage.unseen.delete('a');
    stage.change('a', 'urgent');
    await stage.clock.pass(60_000);
    expect(stage.asked).toEqual([]);
    stage.writer.seen('a');
    await stage.clock.pass(0);
    expect(stage.asked).toEqual(['patch a']);
  });

  test('a pod that nobody mentioned is not written because it was seen', async () => {
    const stage = new WriterStage();
    stage.versions.set('a', 1);
    stage.writer.seen('a');
    await stage.clock.pass(0);
    expect(stage.asked).toEqual([]);
  });

  test('SM-59: what was written over counts as unwritten, and is written again', async () => {
    const stage = new WriterStage();
    stage.change('a');
    await stage.clock.pass(0);
    await stage.answer('a');
    stage.writer.overwritten('a');
    expect(stage.writer.ackedVersion('a', 'a')).toBe(0);
    await stage.clock.pass(0);
    await stage.answer('a');
    expect(stage.writer.ackedVersion('a', 'a')).toBe(1);
    expect(stage.asked).toEqual(['patch a', 'patch a']);
  });

  test('SM-2: a version is acknowledged under one UID of the API', async () => {
    const stage = new WriterStage();
    stage.change('a');
    await stage.clock.pass(0);
    await stage.answer('a');
    expect(stage.writer.ackedVersion('a', 'a')).toBe(1);
    expect(stage.writer.ackedVersion('a', 'another mirror')).toBe(0);
  });

  test('SM-71: a record whose name another pod has is dropped', async () => {
    const stage = new WriterStage();
    stage.replaced.add('a');
    stage.change('a');
    await stage.clock.pass(0);
    expect(stage.dropped).toEqual(['a']);
    expect(stage.asked).toEqual([]);
  });

  test('every step is told, and what changed nothing is not', async () => {
    const stage = new WriterStage();
    stage.change('a');
    stage.change('a', 'urgent');
    await stage.clock.pass(0);
    stage.change('a');
    await stage.answer('a');
    const steps = stage.steps.map(({ from, to, event }) => `${from} > ${to}: ${event.type}`);
    expect(steps).toEqual([
      'idle > queued: changed',
      'queued > busy: admitted',
      'busy > queued: settled',
      'queued > busy: admitted',
    ]);
  });
});

describe('the client limit (KL-107)', () => {
  test('a burst at once, then so many a second', async () => {
    const stage = new WriterStage({ qps: 10, burst: 3 });
    for (let index = 0; index < 6; index++) stage.change(`p${index}`);
    await stage.clock.pass(0);
    expect(stage.asked).toHaveLength(3);
    await stage.clock.pass(99);
    expect(stage.asked).toHaveLength(3);
    await stage.clock.pass(1);
    expect(stage.asked).toHaveLength(4);
    await stage.clock.pass(200);
    expect(stage.asked).toHaveLength(6);
  });

  test('who becomes urgent while all wait for the limit goes next', async () => {
    const stage = new WriterStage({ qps: 1, burst: 1 });
    for (const uid of ['a', 'b', 'c']) stage.change(uid);
    await stage.clock.pass(500);
    stage.change('c', 'urgent');
    await stage.clock.pass(500);
    expect(stage.asked).toEqual(['patch a', 'patch c']);
  });

  test('waiting for it takes one timer, however many wait and change', async () => {
    const stage = new WriterStage({ qps: 1, burst: 1, window: 1000 });
    for (let index = 0; index < 100; index++) stage.change(`p${index}`);
    await stage.clock.pass(0);
    await stage.answer('p0');
    for (let index = 1; index < 100; index++) stage.change(`p${index}`, 'urgent');
    await stage.clock.pass(0);
    expect(stage.clock.pending).toBe(1);
  });
});

describe('failures', () => {
  test('are tried again after the delay, and not a moment sooner', async () => {
    const stage = new WriterStage();
    stage.change('a');
    await stage.clock.pass(0);
    await stage.refuse('a');
    await stage.clock.pass(999);
    expect(stage.asked).toHaveLength(1);
    await stage.clock.pass(1);
    expect(stage.asked).toHaveLength(2);
  });

  test('the delay is spread by up to one half, so that pods do not come back together', async () => {
    const chances = [0, 0.5, 0.999];
    const stage = new WriterStage({ random: { next: () => chances.shift() ?? 0 } });
    for (const uid of ['a', 'b', 'c']) stage.change(uid);
    await stage.clock.pass(0);
    for (const uid of ['a', 'b', 'c']) await stage.refuse(uid);
    const after = async (ms: number): Promise<readonly string[]> => {
      stage.asked.length = 0;
      await stage.clock.pass(ms);
      return [...stage.asked];
    };
    expect(await after(1000)).toEqual(['patch a']);
    expect(await after(250)).toEqual(['patch b']);
    expect(await after(249)).toEqual([]);
    expect(await after(1)).toEqual(['patch c']);
  });

  test('one pod that fails holds up nobody else', async () => {
    const stage = new WriterStage({ window: 1 });
    stage.change('a');
    stage.change('b');
    await stage.clock.pass(0);
    await stage.refuse('a');
    await stage.answer('b');
    expect(stage.acked).toEqual(['b v1']);
  });

  test('a step that failed says why', async () => {
    const stage = new WriterStage();
    const error = new Error('socket hang up');
    stage.change('a');
    await stage.clock.pass(0);
    await stage.refuse('a', error);
    expect(stage.steps.at(-1)).toMatchObject({ from: 'busy', to: 'waiting', error });
    expect(stage.steps.slice(0, -1).every((step) => !('error' in step))).toBe(true);
  });

  test('a request that hangs is cut after its time, and tried again', async () => {
    const stage = new WriterStage();
    stage.change('a');
    await stage.clock.pass(29_999);
    expect(stage.underWay[0]?.signal.aborted).toBe(false);
    await stage.clock.pass(1);
    expect(stage.busy).toEqual([]);
    await stage.clock.pass(1000);
    expect(stage.asked).toHaveLength(2);
  });
});
