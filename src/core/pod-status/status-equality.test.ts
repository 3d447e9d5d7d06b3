import { describe, expect, test } from 'vitest';
import type { PodCondition, PodStatus } from '../../api/pod.ts';
import {
  condition,
  EARLIER,
  LATER,
  running,
  terminated,
  waiting,
} from '../../../test/support/pod-parts.ts';
import { isStatusEqual } from './status-equality.ts';

const status: PodStatus = {
  observedGeneration: 2,
  phase: 'Running',
  reason: 'Odd',
  message: 'odd',
  hostIP: '192.168.0.1',
  hostIPs: [{ ip: '192.168.0.1' }],
  podIP: '10.0.0.1',
  podIPs: [{ ip: '10.0.0.1' }],
  startTime: EARLIER,
  qosClass: 'Burstable',
  allocatedResources: { cpu: '1' },
  resources: { requests: { cpu: '1' } },
  conditions: [
    condition('Ready', 'False', { reason: 'R', message: 'm' }),
    condition('PodScheduled'),
  ],
  containerStatuses: [running('c', { ready: true, started: true, restartCount: 1 })],
  initContainerStatuses: [terminated('i', 0)],
  ephemeralContainerStatuses: [waiting('e')],
};

function equal(a: PodStatus, b: PodStatus): boolean {
  const answer = isStatusEqual(a, b);
  expect(isStatusEqual(b, a), 'the other way round').toBe(answer);
  return answer;
}

function withConditions(...conditions: readonly PodCondition[]): PodStatus {
  return { ...status, conditions };
}

describe('SM-25 (a): conditions', () => {
  const [ready = condition('Ready'), scheduled = condition('PodScheduled')] =
    status.conditions ?? [];

  test.each([
    ['status', { status: 'True' }],
    ['reason', { reason: 'Other' }],
    ['message', { message: 'other' }],
  ] as const)('another %s of ours is a change', (_name, change) => {
    expect(equal(status, withConditions({ ...ready, ...change }, scheduled))).toBe(false);
  });

  test.each([
    ['lastTransitionTime', { lastTransitionTime: LATER }],
    ['lastProbeTime', { lastProbeTime: LATER }],
    ['observedGeneration', { observedGeneration: 9 }],
  ] as const)('another %s is not', (_name, change) => {
    expect(equal(status, withConditions({ ...ready, ...change }, scheduled))).toBe(true);
  });

  test('A-46, E-12: a removed or new one is a change', () => {
    expect(equal(status, withConditions(ready))).toBe(false);
    expect(equal(status, withConditions(ready, scheduled, condition('PodResizePending')))).toBe(
      false,
    );
    expect(equal(status, withConditions(ready, condition('PodResizePending')))).toBe(false);
  });

  test('A-02: foreign ones do not count, nor does the order', () => {
    const foreign = condition('example.com/gate', 'False');
    expect(equal(status, withConditions(foreign, scheduled, ready))).toBe(true);
    expect(equal(withConditions(foreign), { ...withConditions(), conditions: [] })).toBe(true);
    const { conditions: _, ...none } = status;
    expect(equal(withConditions(foreign), none)).toBe(true);
  });

  test('SM-11: DisruptionTarget counts, though it is shared', () => {
    const disrupted = condition('DisruptionTarget');
    expect(equal(status, withConditions(ready, scheduled, disrupted))).toBe(false);
    expect(
      equal(
        withConditions(disrupted),
        withConditions({ ...disrupted, reason: 'TerminationByKubelet' }),
      ),
    ).toBe(false);
  });

  test('an empty reason is no reason', () => {
    expect(
      equal(
        withConditions(condition('Ready')),
        withConditions(condition('Ready', 'True', { reason: '', message: '' })),
      ),
    ).toBe(true);
  });
});

describe('SM-25 (b): everything else', () => {
  test.each<readonly [string, PodStatus]>([
    ['observedGeneration', { observedGeneration: 3 }],
    ['phase', { phase: 'Pending' }],
    ['reason', { reason: 'Other' }],
    ['message', { message: '' }],
    ['hostIP', { hostIP: '192.168.0.2' }],
    ['hostIPs', { hostIPs: [] }],
    ['podIP', { podIP: '10.0.0.2' }],
    ['podIPs', { podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }] }],
    ['startTime', { startTime: LATER }],
    ['no startTime', { startTime: null }],
    ['qosClass', { qosClass: 'Guaranteed' }],
    ['allocatedResources', { allocatedResources: { cpu: '2' } }],
    ['resources', { resources: { requests: { cpu: '2' } } }],
    ['ready', { containerStatuses: [running('c', { started: true, restartCount: 1 })] }],
    ['restartCount', { containerStatuses: [running('c', { ready: true, started: true })] }],
    ['started', { containerStatuses: [running('c', { ready: true, restartCount: 1 })] }],
    ['no containers', { containerStatuses: [] }],
    ['an exit code', { initContainerStatuses: [terminated('i', 1)] }],
    ['an ephemeral container', { ephemeralContainerStatuses: [running('e')] }],
  ])('a change of %s is seen', (_name, change) => {
    expect(equal(status, { ...status, ...change })).toBe(false);
  });

  test('a field of a newer API that podkeep never wrote is no difference', () => {
    expect(equal(status, { ...status, newField: 1 } as PodStatus)).toBe(true);
  });

  test('the order of container statuses counts: both sides are normalised before', () => {
    const [a, b] = [running('a'), running('b')];
    expect(equal({ containerStatuses: [a, b] }, { containerStatuses: [b, a] })).toBe(false);
  });

  test('nil and empty collections are the same', () => {
    expect(equal({ podIPs: [], containerStatuses: [], conditions: [] }, {})).toBe(true);
    expect(equal({ allocatedResources: {} }, {})).toBe(true);
  });

  test('amounts and instants are compared, not their spelling', () => {
    const respelled = {
      ...status,
      allocatedResources: { cpu: '1000m' },
      startTime: '2026-01-02T04:00:00+01:00',
    };
    expect(equal(status, respelled)).toBe(true);
  });

  test('E-27: claim statuses are not compared', () => {
    const claims = {
      resourceClaimStatuses: [{ name: 'gpu' }],
      extendedResourceClaimStatus: { resourceClaimName: 'x' },
      nodeAllocatableResourceClaimStatuses: [{ name: 'cpu' }],
    };
    expect(equal(status, { ...status, ...claims })).toBe(true);
  });
});

test('a copy is equal, and so is the same object', () => {
  expect(equal(status, structuredClone(status))).toBe(true);
  expect(equal(status, status)).toBe(true);
});
