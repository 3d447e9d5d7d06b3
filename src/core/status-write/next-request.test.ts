import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyStrategicMergePatch } from '../../api/patch/strategic-merge-patch.ts';
import type { Pod, PodCondition, PodPhase, PodStatus } from '../../api/pod.ts';
import { structOf } from '../../api/schema/schema.ts';
import type { Json } from '../../lib/json.ts';
import { deepFreeze } from '../../../test/support/deep-freeze.ts';
import {
  condition,
  EARLIER,
  LATER,
  NOW,
  podOf,
  running,
  terminated,
} from '../../../test/support/pod-parts.ts';
import { isOwned } from '../pod-status/condition-ownership.ts';
import type { StatusRecord } from '../pod-status/status-record.ts';
import { canBeDeleted, nextRequest, type WriteRequest, type WriteView } from './next-request.ts';

function recordOf(status: PodStatus, fields: Partial<StatusRecord> = {}): StatusRecord {
  return { version: 3, name: 'web', namespace: 'default', isFinished: false, status, ...fields };
}

/** The API has a pod of this status under the UID `uid-1`. */
function ask(
  api: PodStatus | undefined,
  view: Partial<WriteView> & { record: StatusRecord },
  isAnswered = false,
): WriteRequest {
  return nextRequest(
    deepFreeze({
      apiUid: 'uid-1',
      isMirrored: false,
      known: podOf({}, api ? { status: api } : {}),
      couldHaveRunningContainers: false,
      now: NOW,
      ...view,
    }),
    isAnswered,
  );
}

function bodyOf(request: WriteRequest): Json {
  if (request.type !== 'patch') throw new Error(`not a patch: ${request.type}`);
  return request.body;
}

const live: PodStatus = { phase: 'Running', startTime: EARLIER };

describe('whether a request is needed', () => {
  const record = recordOf(live);

  test.each<readonly [string, WriteRequest['type'], Partial<WriteView>]>([
    ['SM-57: a static pod without a mirror', 'nothing', { apiUid: null, isMirrored: true }],
    ['SM-70: no object known under the name', 'missing', { known: null }],
    ['SM-71: another pod has the name', 'drop', { apiUid: 'uid-0' }],
    ['F-13: another mirror has the name', 'nothing', { apiUid: 'uid-0', isMirrored: true }],
  ])('%s: %s', (_name, type, view) => {
    expect(ask(live, { record, ...view }).type).toBe(type);
  });

  test('a status that the API has just answered is not compared, but the pod may be deleted (SM-79)', () => {
    const known = podOf(
      {},
      { metadata: { deletionTimestamp: EARLIER }, status: { phase: 'Failed' } },
    );
    const last = recordOf({ phase: 'Failed', reason: 'Evicted' }, { isFinished: true });
    expect(ask(undefined, { record: last, known }).type).toBe('patch');
    const removal = { type: 'remove', version: 3, uid: 'uid-1' };
    expect(ask(undefined, { record: last, known }, true)).toEqual(removal);
    expect(ask({ phase: 'Pending' }, { record }, true)).toEqual({ type: 'settled', version: 3 });
  });

  test('the API has the same: nothing is sent, and the version counts as acknowledged (SM-73)', () => {
    expect(ask(live, { record })).toEqual({ type: 'settled', version: 3 });
  });

  test.each<readonly [string, PodStatus, PodStatus]>([
    ['an empty list and none', { ...live, containerStatuses: [] }, live],
    [
      'an empty state and none',
      { ...live, containerStatuses: [{ name: 'c', state: {} }] },
      { ...live, containerStatuses: [{ name: 'c' }] },
    ],
    ['a time in another notation', { ...live, startTime: '2026-01-02T03:00:00.000Z' }, live],
    [
      'a null and an absent time',
      { ...live, conditions: [condition('Ready', 'True', { lastProbeTime: null })] },
      { ...live, conditions: [condition('Ready')] },
    ],
  ])('%s are the same', (_name, api, ours) => {
    expect(ask(api, { record: recordOf(ours) }).type).toBe('settled');
  });

  test.each<readonly [string, PodStatus, PodStatus]>([
    [
      'an empty waiting state and none',
      { ...live, containerStatuses: [{ name: 'c', state: { waiting: {} } }] },
      { ...live, containerStatuses: [{ name: 'c' }] },
    ],
    [
      'another order of conditions',
      { ...live, conditions: [condition('Ready'), condition('PodScheduled')] },
      { ...live, conditions: [condition('PodScheduled'), condition('Ready')] },
    ],
    [
      'a started that says no and one that says nothing',
      { ...live, containerStatuses: [{ name: 'c', started: false }] },
      { ...live, containerStatuses: [{ name: 'c' }] },
    ],
  ])('SM-73: %s are not', (_name, api, ours) => {
    expect(ask(api, { record: recordOf(ours) }).type).toBe('patch');
  });
});

describe('the patch', () => {
  test('SM-74, A-36: it carries the UID as a precondition, and only what changed', () => {
    const record = recordOf({ ...live, podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }] });
    expect(ask({ ...live, phase: 'Pending' }, { record })).toEqual({
      type: 'patch',
      version: 3,
      body: {
        metadata: { uid: 'uid-1' },
        status: { phase: 'Running', podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }] },
      },
    });
  });

  test('for a mirror pod it carries the UID of the mirror pod', () => {
    const known = podOf({}, { metadata: { uid: 'mirror-1' }, status: {} });
    const view = { record: recordOf(live), apiUid: 'mirror-1', isMirrored: true, known };
    expect(bodyOf(ask(undefined, view))).toMatchObject({ metadata: { uid: 'mirror-1' } });
  });

  test('SM-75: container statuses are replaced whole, conditions merge by type', () => {
    const api: PodStatus = {
      ...live,
      conditions: [condition('Ready', 'False'), condition('PodScheduled')],
      containerStatuses: [running('a'), running('b')],
    };
    const record = recordOf({
      ...api,
      conditions: [condition('Ready', 'True'), condition('PodScheduled')],
      containerStatuses: [running('a'), terminated('b', 0)],
    });
    expect(bodyOf(ask(api, { record }))).toEqual({
      metadata: { uid: 'uid-1' },
      status: {
        '$setElementOrder/conditions': [{ type: 'Ready' }, { type: 'PodScheduled' }],
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [running('a'), terminated('b', 0)],
      },
    });
  });

  test('a pod without any status gets a whole one', () => {
    expect(bodyOf(ask(undefined, { record: recordOf(live) }))).toEqual({
      metadata: { uid: 'uid-1' },
      status: live,
    });
  });

  test('SM-72, SM-84: while something may run, a terminal phase is held back, the rest is not', () => {
    const record = recordOf({ ...live, phase: 'Failed', reason: 'Evicted', podIP: '10.0.0.1' });
    const view = { record, couldHaveRunningContainers: true };
    expect(bodyOf(ask(live, view))).toEqual({
      metadata: { uid: 'uid-1' },
      status: { podIP: '10.0.0.1' },
    });
  });

  test('A-11: it has no claim statuses, which other components write', () => {
    const claims = [{ name: 'gpu', resourceClaimName: 'web-gpu' }];
    const api = { ...live, resourceClaimStatuses: claims };
    expect(ask(api, { record: recordOf(live) }).type).toBe('settled');
    const ours = { ...live, resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'stale' }] };
    expect(ask(api, { record: recordOf(ours) }).type).toBe('settled');
  });

  test('conditions are patched one by one, so that a foreign one added meanwhile stays', () => {
    const api = { ...live, conditions: [condition('Ready'), condition('PodScheduled')] };
    expect(bodyOf(ask(api, { record: recordOf(live) }))).toMatchObject({
      status: {
        conditions: [
          { $patch: 'delete', type: 'PodScheduled' },
          { $patch: 'delete', type: 'Ready' },
        ],
      },
    });
  });

  test('a field of the status that only a newer API knows is not deleted', () => {
    const api = { ...live, mood: { good: true }, ['__proto__x']: 1 } as PodStatus;
    expect(ask(api, { record: recordOf(live) }).type).toBe('settled');
    expect(bodyOf(ask(api, { record: recordOf({ ...live, podIP: '10.0.0.1' }) }))).toEqual({
      metadata: { uid: 'uid-1' },
      status: { podIP: '10.0.0.1' },
    });
  });
});

describe('deletion (SM-61, SM-79)', () => {
  const over: PodStatus = { phase: 'Succeeded' };
  const deleted = { deletionTimestamp: EARLIER };
  const gone = podOf({}, { metadata: deleted, status: over });
  const finished = recordOf(over, { isFinished: true });

  test('a finished pod that is being deleted is removed, under its UID', () => {
    expect(ask(over, { record: finished, known: gone })).toEqual({
      type: 'remove',
      version: 3,
      uid: 'uid-1',
    });
  });

  test('but first its last status is written', () => {
    const record = recordOf({ ...over, reason: 'Done' }, { isFinished: true });
    expect(ask(over, { record, known: gone }).type).toBe('patch');
  });

  const mirror = { 'kubernetes.io/config.mirror': 'hash' };
  test.each<readonly [string, boolean, Pod, boolean]>([
    ['deleted, over, finished', true, gone, true],
    [
      'Failed is as good as Succeeded',
      true,
      podOf({}, { metadata: deleted, status: { phase: 'Failed' } }),
      true,
    ],
    ['TestDeletePodBeforeFinished: not finished', false, gone, false],
    ['nobody asked for it', false, podOf({}, { status: over }), true],
    [
      'the API does not know that it is over',
      false,
      podOf({}, { metadata: deleted, status: live }),
      true,
    ],
    ['the API has no status at all', false, podOf({}, { metadata: deleted }), true],
    [
      'TestDoNotDeleteMirrorPods',
      false,
      podOf({}, { metadata: { ...deleted, annotations: mirror }, status: over }),
      true,
    ],
  ])('%s: %s', (_name, expected, pod, isFinished) => {
    expect(canBeDeleted(pod, recordOf(over, { isFinished }))).toBe(expected);
  });
});

describe('laws', () => {
  const types = ['Ready', 'PodScheduled', 'DisruptionTarget', 'example.com/a', 'example.com/b'];
  const conditions = fc.uniqueArray(
    fc.record({
      type: fc.constantFrom(...types),
      status: fc.constantFrom('True', 'False'),
      reason: fc.constantFrom('', 'R'),
      lastTransitionTime: fc.constantFrom(EARLIER, LATER),
    }),
    { selector: ({ type }) => type },
  );
  const status = fc.record(
    {
      phase: fc.constantFrom<PodPhase>('Pending', 'Running', 'Succeeded', 'Failed'),
      reason: fc.constantFrom('', 'R'),
      conditions,
      podIPs: fc.uniqueArray(
        fc.record({ ip: fc.constantFrom('10.0.0.1', '10.0.0.2', 'fd00::1') }),
        {
          selector: ({ ip }) => ip,
        },
      ),
      containerStatuses: fc.array(
        fc.record({ name: fc.constantFrom('a', 'b'), ready: fc.boolean() }),
        {
          maxLength: 2,
        },
      ),
      resourceClaimStatuses: fc.constantFrom([], [{ name: 'gpu' }]),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<PodStatus>;
  const view = fc.record({ api: status, ours: status, couldHaveRunningContainers: fc.boolean() });

  function patched(api: PodStatus, request: WriteRequest): PodStatus {
    const patch = bodyOf(request) as { readonly status: Json };
    const answer = applyStrategicMergePatch(
      { status: api as Json },
      { status: patch.status },
      structOf('core/v1.Pod'),
    );
    return (answer as { readonly status?: unknown }).status as PodStatus;
  }

  /** Once a DisruptionTarget is in the API, it comes before the owned conditions (SM-80). */
  function onlyOrders(request: WriteRequest): boolean {
    const { status: changes } = bodyOf(request) as { readonly status: object };
    return Object.keys(changes).join(' ') === '$setElementOrder/conditions';
  }

  test('V-8: after the request, nothing is left to write but perhaps another order of conditions', () => {
    fc.assert(
      fc.property(view, ({ api, ours, couldHaveRunningContainers }) => {
        const given = { record: recordOf(ours), couldHaveRunningContainers };
        const first = ask(api, given);
        if (first.type !== 'patch') return;
        const once = patched(api, first);
        const second = ask(once, { ...given, now: LATER });
        const isSettled = second.type !== 'patch';
        const last = isSettled ? second : ask(patched(once, second), given);
        expect(isSettled || onlyOrders(second)).toBe(true);
        expect(last.type).toBe('settled');
      }),
      { numRuns: 500 },
    );
  });

  test('SM-12: foreign conditions are unchanged, except DisruptionTarget', () => {
    const foreign = (all: readonly PodCondition[] = []): readonly PodCondition[] =>
      all.filter(({ type }) => !isOwned(type) && type !== 'DisruptionTarget');
    fc.assert(
      fc.property(view, ({ api, ours, couldHaveRunningContainers }) => {
        const request = ask(api, { record: recordOf(ours), couldHaveRunningContainers });
        if (request.type !== 'patch') return;
        const after = patched(api, request);
        expect(foreign(after.conditions)).toEqual(foreign(api.conditions));
        expect(after.resourceClaimStatuses ?? []).toEqual(api.resourceClaimStatuses ?? []);
      }),
      { numRuns: 500 },
    );
  });
});
