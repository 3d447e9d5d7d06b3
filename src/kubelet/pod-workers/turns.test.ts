import { describe, expect, test } from 'vitest';
import { only, PodWorkersHarness } from '../../../test/support/pod-workers-harness.ts';
import { pod } from '../../../test/support/pods.ts';
import { promisesSettled } from '../../../test/support/virtual-clock.ts';
import type { PodCache } from '../../ports/pod/pod-cache.ts';

const EMPTY = { sandboxes: [], containers: [], ips: [] };

/** The work started since the last call, as `uid sync`. */
async function started(harness: PodWorkersHarness): Promise<readonly string[]> {
  await promisesSettled();
  return only(harness.takeAcknowledged(), 'started').map(({ call }) => `${call.uid} ${call.sync}`);
}

describe('the runtime pod that a turn starts with', () => {
  /** A pod cache that answers when the test lets it. */
  function slowCache() {
    const asked: { sinceMs: number; answer: () => void; fail: (error: Error) => void }[] = [];
    const podCache: PodCache = {
      peek: () => EMPTY,
      newerThan: (_, sinceMs) =>
        new Promise((resolve, fail) => {
          asked.push({ sinceMs, answer: () => resolve(EMPTY), fail });
        }),
    };
    return { asked, podCache };
  }

  test('is newer than the end of the turn before, even if that failed (PW-42)', async () => {
    const { asked, podCache } = slowCache();
    const harness = new PodWorkersHarness({ podCache });
    const web = harness.create(pod('web'));
    expect(asked[0]?.sinceMs).toBe(Number.NEGATIVE_INFINITY);
    expect(await started(harness)).toEqual([]);
    asked[0]?.answer();
    expect(await started(harness)).toEqual(['web syncPod']);
    await harness.clock.pass(5_000);
    harness.podSync.fail('web', new Error('no luck'));
    await promisesSettled();
    await harness.clock.pass(1_000);
    harness.workers.updatePod({ updateType: 'update', pod: web });
    expect(asked[1]?.sinceMs).toBe(5_000);
  });

  test('a runtime that cannot be read is an event and a failure (PW-42)', async () => {
    const { asked, podCache } = slowCache();
    const harness = new PodWorkersHarness({ podCache });
    const web = harness.create(pod('web'));
    asked[0]?.fail(new Error('no runtime'));
    await promisesSettled();
    const request = harness.takeAcknowledged();
    expect(only(request, 'event').map(({ text }) => text)).toEqual([
      'web Warning FailedSync: error determining status: no runtime',
    ]);
    expect(only(request, 'wake')).toMatchObject([{ delayMs: 10_000 }]);
    harness.workers.updatePod({ updateType: 'update', pod: web });
    expect(asked[1]?.sinceMs, 'nothing was done, so any view will do').toBe(-Infinity);
  });

  test('work that is overtaken while it waits for the pod cache never starts', async () => {
    const { asked, podCache } = slowCache();
    const harness = new PodWorkersHarness({ podCache });
    const web = harness.create(pod('web'));
    harness.workers.updatePod({ updateType: 'kill', pod: web });
    asked[0]?.answer();
    await promisesSettled();
    asked[1]?.answer();
    expect(await started(harness)).toEqual(['web syncTerminatingPod']);
    expect(only(harness.takeAcknowledged(), 'event')).toEqual([]);
  });

  test('a pod without a spec is stopped without asking the pod cache (PW-42)', async () => {
    const { asked, podCache } = slowCache();
    const harness = new PodWorkersHarness({ podCache });
    const runningPod = { uid: 'ghost', name: 'ghost', namespace: 'default' };
    harness.workers.updatePod({ updateType: 'kill', runningPod });
    expect(await started(harness)).toEqual(['ghost syncTerminatingRuntimePod']);
    expect(asked).toEqual([]);
  });

  test('`afterSync` runs after the end of the sync was noted (PW-43)', async () => {
    const { asked, podCache } = slowCache();
    const harness = new PodWorkersHarness({ podCache });
    harness.create(pod('web'));
    asked[0]?.answer();
    await harness.clock.pass(3_000);
    const afterSync = (): void => {
      harness.workers.updatePod({ updateType: 'update', pod: pod('web') });
    };
    harness.podSync.end('web', { terminal: false, afterSync });
    await promisesSettled();
    expect(asked[1]?.sinceMs).toBe(3_000);
  });
});
