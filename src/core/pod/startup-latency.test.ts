import { describe, expect, test } from 'vitest';
import type { Pod } from '../../api/pod.ts';
import { observeStartup, type Pull } from './startup-latency.ts';

const CREATED_MS = Date.UTC(2030, 0, 1);
const at = (seconds: number): string => new Date(CREATED_MS + seconds * 1000).toISOString();

function podWith(status: object, spec: object = {}): Pod {
  return {
    metadata: { name: 'web', uid: 'u', creationTimestamp: at(0) },
    spec: { containers: [], ...spec },
    status,
  };
}

const RUNNING = {
  startTime: at(1),
  containerStatuses: [{ name: 'main', state: { running: { startedAt: at(9) } } }],
};

function latencyOf(pod: Pod, pulls: readonly Pull[] = []) {
  return observeStartup('tracked', pod, pulls, CREATED_MS + 10_000).latency;
}

test('a pod is tracked if it was first seen without a startTime (SM-130)', () => {
  const stateOf = (status: object) => observeStartup(undefined, podWith(status), [], 0).state;
  expect(stateOf({})).toBe('tracked');
  expect(stateOf({ startTime: at(1) })).toBe('excluded');
  expect(stateOf({ phase: 'Succeeded' })).toBe('excluded');
  const scheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' };
  expect(stateOf({ conditions: [scheduled] })).toBe('excluded');
});

test('it is measured once, when all containers run (SM-131, SM-132)', () => {
  const waiting = { name: 'other', state: { waiting: {} } };
  const starting = { ...RUNNING, containerStatuses: [...RUNNING.containerStatuses, waiting] };
  expect(observeStartup('tracked', podWith(starting), [], 0)).toEqual({ state: 'tracked' });
  expect(observeStartup('tracked', podWith({}), [], 0)).toEqual({ state: 'tracked' });
  expect(latencyOf(podWith(RUNNING))).toEqual({
    totalSeconds: 10,
    sliSeconds: 10,
    hostNetwork: false,
  });
  expect(observeStartup('measured', podWith(RUNNING), [], 0)).toEqual({ state: 'measured' });
});

describe('the SLI (E-30)', () => {
  const pull = (began: number, ended: number): Pull => ({ beganAtMs: began, endedAtMs: ended });

  test('leaves out the time of pulls, overlapping ones once', () => {
    const pulls = [pull(5000, 6000), pull(0, 2000), pull(1000, 3000), pull(1500, 1600)];
    expect(latencyOf(podWith(RUNNING), pulls)?.sliSeconds).toBe(6);
  });

  test('leaves out the run time of init containers', () => {
    const terminated = { startedAt: at(2), finishedAt: at(6) };
    const initContainerStatuses = [{ name: 'first', state: { terminated } }];
    const latency = latencyOf(podWith({ ...RUNNING, initContainerStatuses }));
    expect(latency).toMatchObject({ totalSeconds: 10, sliSeconds: 6 });
  });

  test.each([
    ['emptyDir', 10],
    ['hostPath', null],
    ['persistentVolumeClaim', null],
  ])('of a pod with the volume %s is %j', (source, sliSeconds) => {
    const volumes = [{ name: 'data', [source]: {} }];
    expect(latencyOf(podWith(RUNNING, { volumes }))?.sliSeconds).toBe(sliSeconds);
  });
});
