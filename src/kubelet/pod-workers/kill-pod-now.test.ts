import { describe, expect, test } from 'vitest';
import { only, PodWorkersHarness } from '../../../test/support/pod-workers-harness.ts';
import { pod } from '../../../test/support/pods.ts';
import { promisesSettled } from '../../../test/support/virtual-clock.ts';
import { PodkeepError } from '../../lib/errors.ts';

/** The state of the kill: going on, done, or failed with this error. */
function watch(killing: Promise<void>) {
  const seen: { state: 'going on' | 'done' | 'failed'; error?: unknown } = { state: 'going on' };
  killing.then(
    () => {
      seen.state = 'done';
    },
    (error: unknown) => {
      seen.state = 'failed';
      seen.error = error;
    },
  );
  return seen;
}

async function runningPod(graceSeconds?: number) {
  const harness = new PodWorkersHarness();
  const web = harness.create(pod('web', graceSeconds === undefined ? {} : { graceSeconds }));
  await promisesSettled();
  harness.podSync.end('web');
  await promisesSettled();
  harness.takeAcknowledged();
  return { harness, web };
}

describe('PW-60: killing a pod and waiting for it', () => {
  test('it is done when the containers have stopped, before the pod is finished', async () => {
    const { harness, web } = await runningPod(30);
    const seen = watch(harness.workers.killPodNow(web, { evict: true }));
    await promisesSettled();
    expect(harness.podSync.inFlight('web')?.sync).toBe('syncTerminatingPod');
    expect(seen.state).toBe('going on');
    harness.podSync.end('web');
    await promisesSettled();
    expect(seen.state).toBe('done');
    expect(harness.workers.shouldPodBeFinished('web')).toBe(false);
    await harness.clock.pass(60_000);
    expect(only(harness.takeAcknowledged(), 'event')).toEqual([]);
  });

  test.each([
    ['half as much again as the spec gives', 30, undefined, 45],
    ['half as much again as the caller gives, in whole seconds', 30, 13, 19],
    ['ten seconds at least', 2, undefined, 10],
    ['ten seconds if nobody set a time', undefined, undefined, 10],
    ['ten seconds for a kill without mercy', 30, 0, 10],
  ])('it waits no longer than %s', async (_, spec, graceSeconds, seconds) => {
    const { harness, web } = await runningPod(spec);
    const seen = watch(harness.workers.killPodNow(web, { graceSeconds }));
    await harness.clock.pass(seconds * 1000 - 1);
    expect(seen.state).toBe('going on');
    await harness.clock.pass(1);
    expect(seen.state).toBe('failed');
  });

  test('a timeout is an event for the users, and an error with a hint', async () => {
    const { harness, web } = await runningPod(4);
    const seen = watch(harness.workers.killPodNow(web));
    await harness.clock.pass(10_000);
    expect(seen.error).toBeInstanceOf(PodkeepError);
    expect(seen.error).toMatchObject({
      code: 'KILL_TIMED_OUT',
      message: 'timeout waiting to kill pod',
      hint: expect.stringContaining('default/web did not stop within 10 s') as string,
    });
    expect(only(harness.takeAcknowledged(), 'event')).toMatchObject([
      {
        text: 'web Warning ExceededGracePeriod: Container runtime did not kill the pod within specified grace period.',
      },
    ]);
  });

  test('a finished pod is killed at once (V-2)', async () => {
    const { harness, web } = await runningPod();
    void harness.workers.killPodNow(web);
    for (const _ of ['stop', 'release']) {
      await promisesSettled();
      harness.podSync.end('web');
    }
    await promisesSettled();
    const seen = watch(harness.workers.killPodNow(web));
    await promisesSettled();
    expect(seen.state).toBe('done');
    expect(harness.clock.pending).toBe(0);
  });

  test('the status override of the caller reaches the status of the pod (A-57)', async () => {
    const { harness, web } = await runningPod();
    const overrideStatus = () => ({ reason: 'Evicted' });
    void harness.workers.killPodNow(web, { overrideStatus });
    await promisesSettled();
    expect(harness.podSync.inFlight('web')?.statusReason).toBe('Evicted');
  });
});
