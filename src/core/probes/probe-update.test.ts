import { describe, expect, test } from 'vitest';
import type { ContainerStatus, Pod, PodStatus } from '../../api/pod.ts';
import { findCondition } from '../../api/condition.ts';
import { deepFreeze } from '../../../test/support/deep-freeze.ts';
import {
  condition,
  container,
  podOf,
  running,
  sidecar,
  terminated,
} from '../../../test/support/pod-parts.ts';
import { probeView } from '../../../test/support/views.ts';
import type { ProbeView } from '../pod-status/probe-status.ts';
import { withNewestProbes, withReadiness, withStartup } from './probe-update.ts';

const pod = deepFreeze(podOf({ containers: [container('a'), container('b')] }));

function live(name: string, fields: Partial<ContainerStatus> = {}): ContainerStatus {
  return running(name, { containerID: `test://${name}`, ready: false, ...fields });
}

function statusOf(...containerStatuses: readonly ContainerStatus[]): PodStatus {
  return deepFreeze({ phase: 'Running', containerStatuses });
}

function conditionsOf(status: PodStatus | null): readonly string[] {
  return (status?.conditions ?? []).map(({ type, status: value }) => `${type}=${value}`);
}

describe('readiness', () => {
  test('SM-17: the container changes, and Ready and ContainersReady with it', () => {
    const before = statusOf(live('a', { ready: true }), live('b'));
    const after = withReadiness(pod, before, 'test://b', true);
    expect(after?.containerStatuses?.map(({ ready }) => ready)).toEqual([true, true]);
    expect(conditionsOf(after)).toEqual(['Ready=True', 'ContainersReady=True']);
    expect(after?.containerStatuses?.[0], 'the other is shared').toBe(
      before.containerStatuses?.[0],
    );
  });

  test('A-04: one container that is not ready makes the pod not ready', () => {
    const after = withReadiness(pod, statusOf(live('a'), live('b')), 'test://a', true);
    expect(conditionsOf(after)).toEqual(['Ready=False', 'ContainersReady=False']);
    expect(findCondition(after?.conditions, 'Ready')).toMatchObject({
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [b]',
    });
  });

  test('SM-17: conditions are replaced in place, others stay', () => {
    const before: PodStatus = deepFreeze({
      ...statusOf(live('a', { ready: true }), live('b', { ready: true })),
      conditions: [
        condition('ContainersReady', 'True'),
        condition('example.com/gate', 'Unknown'),
        condition('Ready', 'True'),
        condition('PodScheduled', 'True'),
      ],
    });
    expect(conditionsOf(withReadiness(pod, before, 'test://a', false))).toEqual([
      'ContainersReady=False',
      'example.com/gate=Unknown',
      'Ready=False',
      'PodScheduled=True',
    ]);
  });

  test.each([true, false])('SM-16, A-43: %s when it is so already is no change', (ready) => {
    const before = statusOf(live('a', { ready }), live('b'));
    expect(withReadiness(pod, before, 'test://a', ready)).toBeNull();
  });

  test('SM-16: a container without `ready` is not ready', () => {
    const { ready: _, ...silent } = live('a');
    expect(withReadiness(pod, statusOf(silent), 'test://a', false)).toBeNull();
  });

  test('SM-16: an ID that is not in the status is not found', () => {
    expect(withReadiness(pod, statusOf(live('a')), 'test://z', true)).toBeNull();
    expect(withReadiness(pod, statusOf(), 'test://a', true)).toBeNull();
    expect(withReadiness(pod, {}, 'test://a', true)).toBeNull();
  });

  test('SM-19: the whole ID counts, with the name of the runtime', () => {
    expect(withReadiness(pod, statusOf(live('a')), 'a', true)).toBeNull();
    expect(withReadiness(pod, statusOf(live('a')), 'other://a', true)).toBeNull();
  });

  test('SM-19: regular containers come before init containers, ephemeral ones never', () => {
    const before: PodStatus = deepFreeze({
      phase: 'Running',
      containerStatuses: [live('a')],
      initContainerStatuses: [live('i', { containerID: 'test://a' }), live('side')],
      ephemeralContainerStatuses: [live('debug')],
    });
    const both = withReadiness(pod, before, 'test://a', true);
    expect(both?.containerStatuses?.[0]?.ready).toBe(true);
    expect(both?.initContainerStatuses).toBe(before.initContainerStatuses);
    expect(withReadiness(pod, before, 'test://side', true)?.initContainerStatuses?.[1]?.ready).toBe(
      true,
    );
    expect(withReadiness(pod, before, 'test://debug', true)).toBeNull();
  });

  test('A-44: a sidecar that is not ready counts', () => {
    const withSidecar = podOf({ initContainers: [sidecar('side')], containers: [container('a')] });
    const before: PodStatus = {
      phase: 'Running',
      initContainerStatuses: [live('side', { ready: true })],
      containerStatuses: [live('a', { ready: true })],
    };
    expect(conditionsOf(withReadiness(withSidecar, before, 'test://side', false))).toEqual([
      'Ready=False',
      'ContainersReady=False',
    ]);
  });

  test('SM-114: readiness gates are looked up in the existing conditions', () => {
    const gated = podOf({
      containers: [container('a')],
      readinessGates: [{ conditionType: 'example.com/gate' }],
    });
    const before = statusOf(live('a'));
    const closed = withReadiness(gated, before, 'test://a', true);
    expect(conditionsOf(closed)).toEqual(['Ready=False', 'ContainersReady=True']);
    const conditions = [condition('example.com/gate', 'True')];
    const open = withReadiness(gated, { ...before, conditions }, 'test://a', true);
    expect(conditionsOf(open)).toEqual([
      'example.com/gate=True',
      'Ready=True',
      'ContainersReady=True',
    ]);
  });
});

describe('startup (SM-18)', () => {
  test.each<readonly [boolean | null | undefined, boolean, boolean]>([
    [undefined, false, true],
    [null, false, true],
    [undefined, true, true],
    [false, false, false],
    [true, true, false],
    [true, false, true],
    [false, true, true],
  ])('%s becomes %s: changed is %s', (before, started, isNew) => {
    const { started: _, ...silent } = live('a');
    const status = statusOf(before === undefined ? silent : { ...silent, started: before });
    const after = withStartup(status, 'test://a', started);
    expect(after?.containerStatuses?.[0]?.started).toBe(isNew ? started : undefined);
  });

  test('conditions are left alone', () => {
    const conditions = [condition('Ready', 'False')];
    const before = deepFreeze({ ...statusOf(live('a')), conditions });
    expect(withStartup(before, 'test://a', true)?.conditions).toBe(conditions);
  });

  test('a container that is not there is not found', () => {
    expect(withStartup(statusOf(live('a')), 'test://z', true)).toBeNull();
  });
});

describe('a status that took a while to compute (F-3)', () => {
  const both = ['a', 'b'];
  function handOver(status: PodStatus, probes: Partial<ProbeView>, of: Pod = pod): PodStatus {
    return withNewestProbes(of, status, probeView(probes));
  }
  const probed = { readinessProbed: new Set(both) };
  const success = new Map(both.map((name) => [`test://${name}`, 'success'] as const));
  const ready = statusOf(
    live('a', { ready: true, started: true }),
    live('b', { ready: true, started: true }),
  );

  test('a probe that failed meanwhile wins, and the pod is not ready', () => {
    const readiness = new Map([...success, ['test://b', 'failure'] as const]);
    const after = handOver(ready, { ...probed, readiness });
    expect(after.containerStatuses?.map((each) => each.ready)).toEqual([true, false]);
    expect(conditionsOf(after)).toEqual(['Ready=False', 'ContainersReady=False']);
  });

  test('a probe that succeeded meanwhile wins, and the pod is ready', () => {
    const unready = statusOf(
      live('a', { ready: true, started: true }),
      live('b', { started: true }),
    );
    const after = handOver(unready, { ...probed, readiness: success });
    expect(conditionsOf(after)).toEqual(['Ready=True', 'ContainersReady=True']);
  });

  test('a startup probe that succeeded meanwhile counts', () => {
    const starting = statusOf(live('a', { started: false }));
    const startup = new Map([['test://a', 'success'] as const]);
    const after = handOver(starting, { startup, startupProbed: new Set(['a']) });
    expect(after.containerStatuses?.[0]).toMatchObject({ started: true, ready: true });
  });

  test('a result for the previous container does not count', () => {
    const readiness = new Map([...success, ['test://old-b', 'failure'] as const]);
    expect(handOver(ready, { ...probed, readiness })).toBe(ready);
  });

  test('without new results it is the same object', () => {
    expect(handOver(ready, { ...probed, readiness: success })).toBe(ready);
    const rejected = deepFreeze<PodStatus>({ phase: 'Failed', reason: 'OutOfcpu' });
    expect(handOver(rejected, {})).toBe(rejected);
  });

  test('applying it twice is applying it once', () => {
    const readiness = new Map([['test://a', 'failure'] as const]);
    const status = statusOf(live('a', { ready: true, started: true }), terminated('b', 0));
    const once = deepFreeze(handOver(status, { ...probed, readiness }));
    expect(handOver(once, { ...probed, readiness })).toBe(once);
  });
});
