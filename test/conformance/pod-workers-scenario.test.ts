import { expect, test } from 'vitest';
import { replayPodWorkersScenario } from './pod-workers-scenario.ts';

const pod = {
  metadata: { name: 'web', namespace: 'ns', uid: 'u1' },
  spec: { containers: [{ name: 'c0' }], terminationGracePeriodSeconds: 7 },
  status: { phase: 'Pending' },
};

const UNKNOWN = { unknown: ['couldHaveRunningContainers'] };

function scenario(gracePeriod: number) {
  return {
    fn: 'podWorkersScenario',
    steps: [
      {
        op: 'update',
        updateType: 'create',
        pod,
        expect: {
          started: [{ sync: 'syncPod', uid: 'u1', updateType: 'create' }],
          trueQueries: { u1: ['couldHaveRunningContainers'], ...UNKNOWN },
        },
      },
      {
        op: 'finishSync',
        uid: 'u1',
        result: 'ok',
        expect: {
          enqueued: [{ delay: 'resync', uid: 'u1' }],
          trueQueries: { u1: ['couldHaveRunningContainers'], ...UNKNOWN },
        },
      },
      {
        op: 'update',
        updateType: 'kill',
        kill: { evict: false, statusReason: 'why', notify: 'k1' },
        pod,
        expect: {
          started: [{ sync: 'syncTerminatingPod', uid: 'u1', gracePeriod, statusReason: 'why' }],
          trueQueries: {
            u1: [
              'couldHaveRunningContainers',
              'isPodTerminationRequested',
              'shouldPodContainersBeTerminating',
            ],
            ...UNKNOWN,
          },
        },
      },
    ],
  };
}

test('a history without a difference reports none', async () => {
  expect(await replayPodWorkersScenario(scenario(7))).toEqual([]);
});

test('a difference is reported with its step and its path', async () => {
  expect(await replayPodWorkersScenario(scenario(8))).toEqual([
    { path: '.steps[2] (update).started[0].gracePeriod', expected: 8, actual: 7 },
  ]);
});

test('an unknown step is not skipped', async () => {
  const steps = [{ op: 'dance', expect: {} }];
  await expect(replayPodWorkersScenario({ fn: 'podWorkersScenario', steps })).rejects.toThrow(
    'unknown step',
  );
});
