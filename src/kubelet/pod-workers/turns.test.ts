import { describe, expect, test } from 'vitest';
import { only, PodWorkersStage } from '../../../test/support/pod-workers-stage.ts';
import { pod } from '../../../test/support/pods.ts';
import { promisesSettled } from '../../../test/support/virtual-clock.ts';
import type { PodCache } from '../../ports/pod-cache.ts';

const EMPTY = { sandboxes: [], containers: [], ips: [] };

/** What was started since the last time, as `uid sync`. */
async function started(stage: PodWorkersStage): Promise<readonly string[]> {
  await promisesSettled();
  return only(stage.takeTold(), 'started').map(({ call }) => `${call.uid} ${call.sync}`);
}

describe('the view of the runtime that a turn begins with', () => {
  /** A cache whose views arrive when the test says so. */
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

  test('a turn begins with a view from after the turn before, also if that failed (PW-42)', async () => {
    const { asked, podCache } = slowCache();
    const stage = new PodWorkersStage({ podCache });
    const web = stage.create(pod('web'));
    expect(asked[0]?.sinceMs).toBe(Number.NEGATIVE_INFINITY);
    expect(await started(stage)).toEqual([]);
    asked[0]?.answer();
    expect(await started(stage)).toEqual(['web syncPod']);
    await stage.clock.pass(5_000);
    stage.podSync.fail('web', new Error('no luck'));
    await promisesSettled();
    await stage.clock.pass(1_000);
    stage.workers.updatePod({ updateType: 'update', pod: web });
    expect(asked[1]?.sinceMs).toBe(5_000);
  });

  test('a runtime that cannot be read is an event and a failure (PW-42)', async () => {
    const { asked, podCache } = slowCache();
    const stage = new PodWorkersStage({ podCache });
    const web = stage.create(pod('web'));
    asked[0]?.fail(new Error('no runtime'));
    await promisesSettled();
    const told = stage.takeTold();
    expect(only(told, 'event').map(({ text }) => text)).toEqual([
      'web Warning FailedSync: error determining status: no runtime',
    ]);
    expect(only(told, 'wake')).toMatchObject([{ delayMs: 10_000 }]);
    stage.workers.updatePod({ updateType: 'update', pod: web });
    expect(asked[1]?.sinceMs, 'nothing was done, so any view will do').toBe(-Infinity);
  });

  test('work that is overtaken while it looks never begins', async () => {
    const { asked, podCache } = slowCache();
    const stage = new PodWorkersStage({ podCache });
    const web = stage.create(pod('web'));
    stage.workers.updatePod({ updateType: 'kill', pod: web });
    asked[0]?.answer();
    await promisesSettled();
    asked[1]?.answer();
    expect(await started(stage)).toEqual(['web syncTerminatingPod']);
    expect(only(stage.takeTold(), 'event')).toEqual([]);
  });

  test('a pod without a spec is stopped without a look (PW-42)', async () => {
    const { asked, podCache } = slowCache();
    const stage = new PodWorkersStage({ podCache });
    const runningPod = { uid: 'ghost', name: 'ghost', namespace: 'default' };
    stage.workers.updatePod({ updateType: 'kill', runningPod });
    expect(await started(stage)).toEqual(['ghost syncTerminatingRuntimePod']);
    expect(asked).toEqual([]);
  });

  test('what a sync leaves for later runs after its end was noted (PW-43)', async () => {
    const { asked, podCache } = slowCache();
    const stage = new PodWorkersStage({ podCache });
    stage.create(pod('web'));
    asked[0]?.answer();
    await stage.clock.pass(3_000);
    const afterSync = (): void => {
      stage.workers.updatePod({ updateType: 'update', pod: pod('web') });
    };
    stage.podSync.end('web', { terminal: false, afterSync });
    await promisesSettled();
    expect(asked[1]?.sinceMs).toBe(3_000);
  });
});
