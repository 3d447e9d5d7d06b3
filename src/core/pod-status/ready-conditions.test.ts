import { describe, expect, test } from 'vitest';
import type { ContainerStatus, PodCondition, PodPhase, PodSpec } from '../../api/pod.ts';
import {
  condition,
  container,
  podOf,
  running,
  sidecar,
  terminated,
  waiting,
} from '../../../test/support/pod-parts.ts';
import {
  containersReadyCondition,
  needsReadinessReconcile,
  readyCondition,
  terminalReadiness,
} from './ready-conditions.ts';

const ready = (name: string) => running(name, { ready: true });

function containersReady(
  spec: Partial<PodSpec>,
  containerStatuses: readonly ContainerStatus[] | null | undefined,
  phase?: PodPhase,
): PodCondition {
  return containersReadyCondition(podOf(spec), { containerStatuses, phase });
}

function unready(message: string): PodCondition {
  return { type: 'ContainersReady', status: 'False', reason: 'ContainersNotReady', message };
}

describe('SM-110: no list is not an empty list', () => {
  test.each([[null], [undefined]])('%s: nothing is known', (none) => {
    const unknown = {
      type: 'ContainersReady',
      status: 'False',
      reason: 'UnknownContainerStatuses',
    };
    expect(containersReady({}, none)).toEqual(unknown);
    expect(containersReady({}, none, 'Succeeded')).toEqual(unknown);
    expect(containersReady({}, none, 'Failed')).toEqual(unknown);
  });

  test('in an empty one each container is missing', () => {
    expect(containersReady({}, [])).toEqual(unready('containers with unknown status: [c]'));
  });

  test('and in a pod without containers none is', () => {
    expect(containersReady({ containers: [] }, [])).toEqual(condition('ContainersReady', 'True'));
  });
});

describe('SM-111, SM-113: sidecars and regular containers count, in the order of the spec', () => {
  const spec = {
    initContainers: [container('i'), sidecar('s'), sidecar('t')],
    containers: [container('b'), container('a')],
  };

  test('all ready is ready, without a reason', () => {
    const statuses = ['a', 'b', 's', 't'].map(ready);
    expect(containersReady(spec, statuses)).toEqual(condition('ContainersReady', 'True'));
  });

  test('unknown ones are named before unready ones', () => {
    const statuses = [running('s'), ready('b')];
    expect(containersReady(spec, statuses)).toEqual(
      unready('containers with unknown status: [t a], containers with unready status: [s]'),
    );
  });

  test('unready ones alone', () => {
    const statuses = [ready('s'), running('t', { ready: false }), waiting('a'), waiting('b')];
    expect(containersReady(spec, statuses)).toEqual(
      unready('containers with unready status: [t b a]'),
    );
  });

  test('init containers that end do not count', () => {
    const statuses = [terminated('i', 1), ...['a', 'b', 's', 't'].map(ready)];
    expect(containersReady(spec, statuses).status).toBe('True');
  });
});

describe('SM-112: a pod that is over', () => {
  test('is completed if it succeeded and all are known', () => {
    expect(containersReady({}, [terminated('c', 0)], 'Succeeded')).toEqual({
      type: 'ContainersReady',
      status: 'False',
      reason: 'PodCompleted',
    });
  });

  test('is not called completed while one is unknown', () => {
    expect(containersReady({}, [], 'Succeeded')).toEqual(
      unready('containers with unknown status: [c]'),
    );
  });

  test('has failed if it failed, even with unknown ones', () => {
    const failed = { type: 'ContainersReady', status: 'False', reason: 'PodFailed' };
    expect(containersReady({}, [], 'Failed')).toEqual(failed);
    expect(containersReady({}, [ready('c')], 'Failed')).toEqual(failed);
  });

  test('SM-121: has the reason in both conditions', () => {
    const pod = podOf({}, { metadata: { generation: 4 } });
    expect(terminalReadiness(pod, 'Ready', 'Failed')).toEqual({
      type: 'Ready',
      observedGeneration: 4,
      status: 'False',
      reason: 'PodFailed',
    });
    expect(terminalReadiness(pod, 'ContainersReady', 'Succeeded').reason).toBe('PodCompleted');
  });
});

describe('SM-114: Ready', () => {
  const gates = (...types: readonly string[]) => ({
    readinessGates: types.map((conditionType) => ({ conditionType })),
  });

  function readyOf(spec: Partial<PodSpec>, conditions?: readonly PodCondition[], isReady = true) {
    const containerStatuses = [running('c', { ready: isReady })];
    return readyCondition(podOf(spec), { containerStatuses, phase: 'Running' }, conditions);
  }

  test('without gates it follows ContainersReady', () => {
    expect(readyOf({})).toEqual(condition('Ready', 'True'));
    expect(readyOf({}, [], false)).toEqual({
      ...unready('containers with unready status: [c]'),
      type: 'Ready',
    });
  });

  test('a gate that is true lets it pass', () => {
    expect(readyOf(gates('example.com/a'), [condition('example.com/a')]).status).toBe('True');
  });

  test('a gate that is missing does not, and the message says which', () => {
    const expected = {
      type: 'Ready',
      status: 'False',
      reason: 'ReadinessGatesNotReady',
      message: 'corresponding condition of pod readiness gate "example.com/a" does not exist.',
    };
    expect(readyOf(gates('example.com/a'), [])).toEqual(expected);
    expect(readyOf(gates('example.com/a'), undefined)).toEqual(expected);
  });

  test.each(['False', 'Unknown'] as const)('a gate that is %s does not', (status) => {
    expect(readyOf(gates('g'), [condition('g', status)]).message).toBe(
      `the status of pod readiness gate "g" is not "True", but ${status}`,
    );
  });

  test('several are reported in the order of the spec', () => {
    const conditions = [condition('c', 'False'), condition('b')];
    expect(readyOf(gates('a', 'b', 'c'), conditions).message).toBe(
      'corresponding condition of pod readiness gate "a" does not exist., ' +
        'the status of pod readiness gate "c" is not "True", but False',
    );
  });

  test('containers take precedence over gates', () => {
    expect(readyOf(gates('a'), [], false).reason).toBe('ContainersNotReady');
  });

  test('a pod that is over is not ready, whatever its gates say', () => {
    const view = { containerStatuses: [ready('c')], phase: 'Failed' as const };
    expect(readyCondition(podOf(gates('g')), view, [condition('g')]).reason).toBe('PodFailed');
  });
});

describe('SM-122: Ready must be computed again', () => {
  const GATE = 'example.com/gate';

  function pod(
    conditions: readonly PodCondition[],
    spec: Partial<PodSpec> = {},
    initContainerStatuses?: readonly ContainerStatus[],
  ) {
    return podOf(
      { readinessGates: [{ conditionType: GATE }], ...spec },
      {
        status: {
          phase: 'Running',
          conditions,
          containerStatuses: [ready('c')],
          ...(initContainerStatuses && { initContainerStatuses }),
        },
      },
    );
  }

  test('if the gate changed since', () => {
    expect(needsReadinessReconcile(pod([condition('Ready', 'True')]))).toBe(true);
    expect(needsReadinessReconcile(pod([condition('Ready', 'False'), condition(GATE)]))).toBe(true);
  });

  test('if only the message differs', () => {
    const message = `the status of pod readiness gate "${GATE}" is not "True", but Unknown`;
    const stale = condition('Ready', 'False', { reason: 'ReadinessGatesNotReady', message });
    expect(needsReadinessReconcile(pod([stale, condition(GATE, 'False')]))).toBe(true);
    expect(needsReadinessReconcile(pod([stale, condition(GATE, 'Unknown')]))).toBe(false);
  });

  test('not if only the reason differs', () => {
    const current = condition('Ready', 'True', { reason: 'Odd', message: '' });
    expect(needsReadinessReconcile(pod([current, condition(GATE)]))).toBe(false);
  });

  test('not without gates, and not before there is a Ready', () => {
    expect(
      needsReadinessReconcile(pod([condition('Ready', 'False')], { readinessGates: [] })),
    ).toBe(false);
    expect(needsReadinessReconcile(pod([condition(GATE)]))).toBe(false);
    expect(needsReadinessReconcile(podOf({ readinessGates: [{ conditionType: GATE }] }))).toBe(
      false,
    );
  });

  test('not endlessly in a pod with sidecars: they count too', () => {
    const spec = { initContainers: [sidecar('s')] };
    const conditions = [condition('Ready', 'True'), condition(GATE)];
    expect(needsReadinessReconcile(pod(conditions, spec, [ready('s')]))).toBe(false);
    expect(needsReadinessReconcile(pod(conditions, spec, [running('s')]))).toBe(true);
  });
});
