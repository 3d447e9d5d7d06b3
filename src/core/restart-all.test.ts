import { describe, expect, test } from 'vitest';
import type { PodPhase, PodStatus } from '../api/pod.ts';
import type { RuntimePod } from '../api/runtime-pod.ts';
import {
  condition,
  container,
  podOf,
  restartRule,
  terminated,
} from '../../test/support/pod-parts.ts';
import { exited, observed, runtimeOf } from '../../test/support/runtime-parts.ts';
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
  test('if a container exited by a rule that asks for it, init containers too', () => {
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

  test('if the status says so already, though the one that asked is gone', () => {
    expect(isRestartingAll(pod, runtimeOf(), begun)).toBe(true);
  });

  test('if the status remembers such an exit, of one that the runtime shows as exited', () => {
    const said = { containerStatuses: [terminated('a', 42)] };
    expect(isRestartingAll(pod, runtimeOf([exited('a', 1)]), said)).toBe(true);
    const saidOfInit = { initContainerStatuses: [terminated('i', 42)] };
    expect(isRestartingAll(pod, runtimeOf([exited('i', 1)]), saidOfInit)).toBe(true);
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

  test('if the status remembers an exit of one that the runtime no longer shows', () => {
    const said = { containerStatuses: [terminated('a', 42)] };
    expect(isRestartingAll(pod, runtimeOf(), said)).toBe(false);
    expect(isRestartingAll(pod, runtimeOf([observed('a', 'running')]), said)).toBe(false);
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

  test('is true from the exit on, and says why; it carries no generation', () => {
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

  test('is false while nobody asked', () => {
    expect(conditionFor(runtimeOf([observed('a', 'running')]))).toEqual({ type, status: 'False' });
  });

  test('is false in a pod that is over, whatever else is so', () => {
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
