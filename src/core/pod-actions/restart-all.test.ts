import { describe, expect, test } from 'vitest';
import type { PodPhase, PodStatus } from '../../api/pod.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import {
  condition,
  container,
  podOf,
  restartRule,
  terminated,
} from '../../../test/support/pod-parts.ts';
import { exited, observed, runtimeOf } from '../../../test/support/runtime-parts.ts';
import { allContainersRestartingCondition, isRestartingAll } from './restart-all.ts';

const rules = {
  restartPolicy: 'Never',
  restartPolicyRules: [restartRule('RestartAllContainers', 'In', 42)],
} as const;
const pod = podOf({
  initContainers: [container('i', rules)],
  containers: [container('a', rules), container('b')],
});
const begun: PodStatus = { conditions: [condition('AllContainersRestarting', 'True')] };

describe('E-7: a restart of the whole pod has begun', () => {
  test('if a container exited with such a rule, init containers too', () => {
    expect(isRestartingAll(pod, runtimeOf([exited('a', 42)]), {})).toBe(true);
    expect(isRestartingAll(pod, runtimeOf([exited('i', 42)]), {})).toBe(true);
  });

  test('an exit without a code counts as 0', () => {
    const anyEnd = container('a', {
      restartPolicyRules: [restartRule('RestartAllContainers', 'In', 0)],
    });
    const ends = podOf({ containers: [anyEnd] });
    expect(isRestartingAll(ends, runtimeOf([observed('a', 'exited')]), {})).toBe(true);
  });

  test('if the condition is true already, even if the container that caused it is gone', () => {
    expect(isRestartingAll(pod, runtimeOf(), begun)).toBe(true);
  });

  test('if the status has such an exit of a container that the runtime shows as exited', () => {
    const lastReported = { containerStatuses: [terminated('a', 42)] };
    expect(isRestartingAll(pod, runtimeOf([exited('a', 1)]), lastReported)).toBe(true);
    const statusOfInit = { initContainerStatuses: [terminated('i', 42)] };
    expect(isRestartingAll(pod, runtimeOf([exited('i', 1)]), statusOfInit)).toBe(true);
  });
});

describe('E-7: it has not begun', () => {
  test.each([
    ['another exit code', runtimeOf([exited('a', 1)])],
    ['a container without such a rule', runtimeOf([exited('b', 42)])],
    ['one that runs', runtimeOf([observed('a', 'running', { exitCode: 42 })])],
    ['one that runs again', runtimeOf([observed('a', 'running', { id: 'x' }), exited('a', 42)])],
    ['nothing at all', runtimeOf()],
  ])('%s', (_name, runtime) => {
    expect(isRestartingAll(pod, runtime, {})).toBe(false);
  });

  test('if the status has an exit of a container that the runtime no longer shows', () => {
    const lastReported = { containerStatuses: [terminated('a', 42)] };
    expect(isRestartingAll(pod, runtimeOf(), lastReported)).toBe(false);
    expect(isRestartingAll(pod, runtimeOf([observed('a', 'running')]), lastReported)).toBe(false);
  });

  test('if the condition is there but not true', () => {
    const over = { conditions: [condition('AllContainersRestarting', 'False')] };
    expect(isRestartingAll(pod, runtimeOf(), over)).toBe(false);
  });
});

describe('SM-119: the condition AllContainersRestarting', () => {
  const type = 'AllContainersRestarting';

  function conditionFor(runtime: RuntimePod, old: PodStatus = {}, phase: PodPhase = 'Running') {
    const numbered = { ...pod, metadata: { ...pod.metadata, generation: 5 } };
    return allContainersRestartingCondition(numbered, runtime, old, phase);
  }

  test('is true from the exit on, with a reason, and carries no generation', () => {
    expect(conditionFor(runtimeOf([exited('a', 42)]))).toEqual({
      type,
      status: 'True',
      reason: 'RestartAllContainersStarted',
      message: 'container exited with restart policy rule',
    });
  });

  test('stays true until the last container is gone', () => {
    expect(conditionFor(runtimeOf([exited('b', 137)]), begun).status).toBe('True');
    expect(conditionFor(runtimeOf(), begun)).toEqual({ type, status: 'False' });
  });

  test('is false while no exit caused a restart', () => {
    expect(conditionFor(runtimeOf([observed('a', 'running')]))).toEqual({ type, status: 'False' });
  });

  test('is false in a pod that is over, whatever else holds', () => {
    const runtime = runtimeOf([exited('a', 42)]);
    expect(conditionFor(runtime, begun, 'Succeeded')).toEqual({
      type,
      status: 'False',
      reason: 'PodCompleted',
    });
    expect(conditionFor(runtime, begun, 'Failed')).toEqual({
      type,
      status: 'False',
      reason: 'PodFailed',
    });
  });
});
