import { expect, test } from 'vitest';
import type { PodStatus } from '../../api/pod.ts';
import type { RuntimeContainer } from '../../api/runtime-pod.ts';
import { livePod } from '../../../test/kubelet/runs/live-pod.ts';
import { findLateRuns } from './ended-containers.ts';

const POD = livePod('job', { restartPolicy: 'OnFailure' });

function run(id: string, state: RuntimeContainer['state'], restartCount: number): RuntimeContainer {
  const made = { image: 'busy:1', imageRef: 'x', createdAt: '2026-01-02T03:04:05Z' };
  return { id, name: 'main', state, restartCount, ...made };
}

function runtimeWith(...containers: readonly RuntimeContainer[]) {
  return { sandboxes: [], containers, ips: [] };
}

function lastReported(exitCode: number, containerID?: string): PodStatus {
  const terminated = { exitCode, ...(containerID && { containerID }) };
  return { containerStatuses: [{ name: 'main', state: { terminated } }] };
}

test('a run after the last one is late: it is hidden, and stopped if it runs', () => {
  const [old, late] = [run('x://0', 'exited', 0), run('x://1', 'running', 1)];
  const found = findLateRuns(POD, runtimeWith(late, old), lastReported(0, 'x://0'));
  expect(found.runtimePod.containers).toEqual([old]);
  expect(found.running).toEqual([late]);
  expect(found.ended).toEqual(new Set(['main']));
});

test('how a late run ended is ignored', () => {
  const [old, late] = [run('x://0', 'exited', 0), run('x://1', 'exited', 1)];
  const found = findLateRuns(POD, runtimeWith(late, old), lastReported(0, 'x://0'));
  expect(found.runtimePod.containers).toEqual([old]);
  expect(found.running).toEqual([]);
});

test('if the last run is gone, all that are left are late', () => {
  const found = findLateRuns(POD, runtimeWith(run('x://1', 'exited', 1)), lastReported(0, 'x://0'));
  expect(found.runtimePod.containers).toEqual([]);
});

test('a container that may start again has no late runs', () => {
  const runtimePod = runtimeWith(run('x://1', 'running', 1), run('x://0', 'exited', 0));
  const found = findLateRuns(POD, runtimePod, lastReported(1, 'x://0'));
  expect(found.runtimePod).toBe(runtimePod);
  expect(found.ended.size).toBe(0);
});

test('if the last run is unknown, only one that runs is late', () => {
  const [old, late] = [run('x://0', 'exited', 0), run('x://1', 'running', 1)];
  const found = findLateRuns(POD, runtimeWith(late, old), lastReported(0));
  expect(found.runtimePod.containers).toEqual([old]);
});

test('a pod that may restart all of its containers is left alone (E-7)', () => {
  const container = {
    name: 'main',
    restartPolicy: 'Never' as const,
    restartPolicyRules: [
      {
        action: 'RestartAllContainers' as const,
        exitCodes: { operator: 'In' as const, values: [42] },
      },
    ],
  };
  const pod = livePod('job', { containers: [container] });
  const runtimePod = runtimeWith(run('x://1', 'running', 1));
  expect(findLateRuns(pod, runtimePod, lastReported(0, 'x://0')).running).toEqual([]);
});
