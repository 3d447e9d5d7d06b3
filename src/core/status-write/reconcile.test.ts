import { describe, expect, test } from 'vitest';
import type { Pod, PodStatus } from '../../api/pod.ts';
import { deepFreeze } from '../../../test/support/deep-freeze.ts';
import {
  condition,
  container,
  EARLIER,
  podOf,
  running,
  staticPodOf,
} from '../../../test/support/pod-parts.ts';
import type { StatusRecord } from '../pod-status/status-record.ts';
import { reconcileNeed } from './reconcile.ts';

const status: PodStatus = {
  phase: 'Running',
  startTime: EARLIER,
  conditions: [condition('Ready', 'True', { lastTransitionTime: EARLIER })],
  containerStatuses: [running('a'), running('b')],
};
const spec = { containers: [container('a'), container('b')] };

function need(api: PodStatus, ours: Partial<StatusRecord> = {}, metadata: Pod['metadata'] = {}) {
  const record = {
    version: 1,
    name: 'web',
    namespace: 'default',
    status,
    isFinished: false,
    ...ours,
  };
  return reconcileNeed(
    deepFreeze(record),
    deepFreeze(podOf(spec, { metadata, status: api })),
    undefined,
  );
}

describe('TestReconcilePodStatus (SM-62)', () => {
  test('an equal status needs nothing', () => {
    expect(need(status)).toBeNull();
  });

  test.each<readonly [string, PodStatus]>([
    ['times are finer than seconds', { ...status, startTime: '2026-01-02T03:00:00.25Z' }],
    [
      'containers stand in another order',
      { ...status, containerStatuses: [running('b'), running('a')] },
    ],
    ['conditions were dated otherwise', { ...status, conditions: [condition('Ready')] }],
    [
      'somebody added a condition of their own',
      { ...status, conditions: [condition('Ready'), condition('example.com/gate', 'False')] },
    ],
    ['somebody wrote a claim status', { ...status, resourceClaimStatuses: [{ name: 'gpu' }] }],
  ])('nor does one in which %s', (_name, api) => {
    expect(need(api)).toBeNull();
  });

  test.each<readonly [string, PodStatus]>([
    ['another phase', { ...status, phase: 'Failed' }],
    ['another Ready', { ...status, conditions: [condition('Ready', 'False')] }],
    ['no Ready', { ...status, conditions: [] }],
    ['a container less', { ...status, containerStatuses: [running('a')] }],
    ['nothing at all', {}],
  ])('%s in the API is written over', (_name, api) => {
    expect(need(api)).toBe('different');
  });

  test('a pod without a status in the API is written', () => {
    const record: StatusRecord = {
      version: 1,
      name: 'web',
      namespace: 'default',
      status,
      isFinished: false,
    };
    expect(reconcileNeed(record, podOf(spec), undefined)).toBe('different');
  });
});

describe('deletion (SM-60, SM-61)', () => {
  const over: PodStatus = { phase: 'Failed' };
  const deleted = { deletionTimestamp: EARLIER };

  test('a finished pod that is being deleted gets another turn', () => {
    expect(need(over, { status: over, isFinished: true }, deleted)).toBe('deletable');
  });

  test('even if its status differs: one turn serves both', () => {
    expect(need(over, { status: { ...over, reason: 'R' }, isFinished: true }, deleted)).toBe(
      'deletable',
    );
  });

  test('not before it is finished, is being deleted, and is terminal in the API', () => {
    expect(need(over, { status: over }, deleted)).toBeNull();
    expect(need(over, { status: over, isFinished: true })).toBeNull();
    expect(need(status, { isFinished: true }, deleted)).toBeNull();
  });
});

describe('static pods', () => {
  const record: StatusRecord = {
    version: 1,
    name: 'web',
    namespace: 'default',
    status,
    isFinished: true,
  };

  test('SM-62: the API has their mirror pod', () => {
    const pod = staticPodOf(spec, { phase: 'Pending' });
    expect(reconcileNeed(record, pod, podOf(spec, { status }))).toBeNull();
    expect(reconcileNeed(record, pod, podOf(spec, { status: { phase: 'Pending' } }))).toBe(
      'different',
    );
  });

  test('SM-57: without a mirror pod there is nothing to compare', () => {
    expect(reconcileNeed(record, staticPodOf(spec), undefined)).toBeNull();
  });

  test('SM-60: they are not deleted through the API', () => {
    const pod = staticPodOf(spec, { phase: 'Failed' });
    const deleted = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: EARLIER } };
    expect(reconcileNeed(record, deleted, podOf(spec, { status }))).toBeNull();
  });
});

test('a pod that has left the node needs nothing', () => {
  const record: StatusRecord = {
    version: 1,
    name: 'web',
    namespace: 'default',
    status,
    isFinished: true,
  };
  expect(reconcileNeed(record, undefined, undefined)).toBeNull();
});
