import { describe, expect, test } from 'vitest';
import type { Pod } from '../../api/pod.ts';
import type { RuntimeContainer, RuntimeSandbox } from '../../api/runtime-pod.ts';
import { deepFreeze } from '../../../test/support/deep-freeze.ts';
import { container, NOW, podOf, sidecar } from '../../../test/support/pod-parts.ts';
import { exited, observed, runtimeOf, SANDBOX } from '../../../test/support/runtime-parts.ts';
import { actionsView } from '../../../test/support/views.ts';
import type { PodActions, PodActionsView } from './plan.ts';
import { podActions } from './pod-actions.ts';

/** A plan that does nothing. */
const NOTHING: PodActions = {
  killPod: false,
  createSandbox: false,
  sandboxID: SANDBOX.id,
  attempt: 0,
  ephemeralContainersToStart: [],
  initContainersToStart: [],
  containersToStart: [],
  containersToKill: [],
  containersToReset: [],
  containersToUpdate: { cpu: [], memory: [] },
  updatePodResources: false,
  updatePodLevelResources: false,
};

function plan(
  pod: Pod,
  containers: readonly RuntimeContainer[],
  sandboxes: readonly RuntimeSandbox[] = [SANDBOX],
  view: Partial<PodActionsView> = {},
): PodActions {
  return podActions(deepFreeze(actionsView(pod, runtimeOf(containers, { sandboxes }), view)));
}

const two = [container('a'), container('b')];
const dead: RuntimeSandbox = { ...SANDBOX, ready: false, attempt: 2 };

describe('a pod that is as it should be', () => {
  test('is left alone', () => {
    const records = [observed('a', 'running'), observed('b', 'running')];
    expect(plan(podOf({ containers: two }), records)).toEqual(NOTHING);
  });
});

describe('a pod without a sandbox', () => {
  test('gets one, and all its containers', () => {
    expect(plan(podOf({ containers: two }), [], [])).toEqual({
      ...NOTHING,
      killPod: true,
      createSandbox: true,
      sandboxID: '',
      containersToStart: [0, 1],
    });
  });

  test('starts with its first init container, if it has any', () => {
    const pod = podOf({ initContainers: [container('i'), sidecar('s')] });
    expect(plan(pod, [], [])).toMatchObject({ initContainersToStart: [0], containersToStart: [] });
  });

  test('starts over with its first init container, however far it was', () => {
    const pod = podOf({ initContainers: [container('i'), container('j')] });
    const records = [exited('i', 0), exited('j', 0), exited('c', 1)];
    expect(plan(pod, records, [dead])).toMatchObject({
      killPod: true,
      createSandbox: true,
      sandboxID: SANDBOX.id,
      attempt: 3,
      initContainersToStart: [0],
      containersToStart: [],
    });
  });

  test('starts no ephemeral containers before it is there', () => {
    const pod = podOf({ ephemeralContainers: [container('e')] });
    expect(plan(pod, [], []).ephemeralContainersToStart).toEqual([]);
  });
});

describe('a pod whose sandbox died', () => {
  test('that may run once only is not started again', () => {
    const pod = podOf({ restartPolicy: 'Never' });
    expect(plan(pod, [exited('c', 1)], [dead])).toEqual({
      ...NOTHING,
      killPod: true,
      createSandbox: false,
      attempt: 3,
    });
  });

  test('that may run once only tries again if it never had a container', () => {
    const pod = podOf({ restartPolicy: 'Never' });
    expect(plan(pod, [], [dead])).toMatchObject({ createSandbox: true, containersToStart: [0] });
  });

  test('that may run once only gets its first sandbox, whatever the runtime shows', () => {
    const pod = podOf({ restartPolicy: 'Never' });
    expect(plan(pod, [observed('c', 'created')], [])).toMatchObject({
      createSandbox: true,
      containersToStart: [0],
    });
  });

  test('that restarts on failure leaves out what succeeded', () => {
    const pod = podOf({ containers: two, restartPolicy: 'OnFailure' });
    const records = [exited('a', 0), exited('b', 1)];
    expect(plan(pod, records, [dead])).toMatchObject({
      createSandbox: true,
      containersToStart: [1],
    });
  });

  test('that restarts on failure is done if all succeeded, even without an exit code', () => {
    const pod = podOf({ containers: two, restartPolicy: 'OnFailure' });
    expect(plan(pod, [exited('a', 0), observed('b', 'exited')], [dead])).toMatchObject({
      killPod: true,
      createSandbox: false,
      containersToStart: [],
    });
  });

  test('E-6: the policy of each container takes precedence over the pod’s', () => {
    const containers = [
      container('a', { restartPolicy: 'OnFailure' }),
      container('b', { restartPolicy: 'Always' }),
    ];
    const records = [exited('a', 0), exited('b', 0)];
    const pod = podOf({ containers, restartPolicy: 'OnFailure' });
    expect(plan(pod, records, [dead]).containersToStart).toEqual([1]);
    const always = podOf({ containers, restartPolicy: 'Always' });
    expect(plan(always, records, [dead]).containersToStart).toEqual([1]);
  });

  test('that always restarts starts all', () => {
    const pod = podOf({ containers: two, restartPolicy: 'Always' });
    const records = [exited('a', 0), exited('b', 1)];
    expect(plan(pod, records, [dead]).containersToStart).toEqual([0, 1]);
  });
});

describe('ephemeral containers', () => {
  const pod = podOf({
    initContainers: [container('i')],
    ephemeralContainers: [container('e'), container('f')],
  });

  test('are started even before the pod is initialised', () => {
    expect(plan(pod, [observed('i', 'running')])).toMatchObject({
      ephemeralContainersToStart: [0, 1],
      containersToStart: [],
    });
  });

  test.each(['created', 'running', 'exited', 'unknown'] as const)(
    'are never started twice: %s',
    (state) => {
      const records = [observed('i', 'running'), observed('e', state)];
      expect(plan(pod, records).ephemeralContainersToStart).toEqual([1]);
    },
  );
});

test('a pod that is being deleted starts nothing, and the rest of it is stopped', () => {
  const pod = podOf({ containers: two }, { metadata: { deletionTimestamp: NOW } });
  expect(plan(pod, [exited('a', 1)])).toEqual({ ...NOTHING, killPod: true });
  expect(plan(pod, [observed('a', 'running')])).toEqual(NOTHING);
});

test('E-7: a restart of the whole pod resets its containers, and does nothing else', () => {
  const pod = podOf({ containers: two, ephemeralContainers: [container('e')] });
  const actions = plan(pod, [observed('a', 'running')], [SANDBOX], { restartAllContainers: true });
  expect(actions).toEqual({
    ...NOTHING,
    containersToReset: [{ id: 'test://a', name: 'a', kill: true }],
  });
});
