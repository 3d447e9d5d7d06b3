import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findCondition } from '../../api/condition.ts';
import type { Pod, PodStatus } from '../../api/pod.ts';
import { deepFreeze } from '../../../test/support/deep-freeze.ts';
import {
  condition,
  container,
  EARLIER,
  ended,
  LATER,
  NOW,
  podOf,
  running,
  staticPodOf,
  terminated,
  waiting,
} from '../../../test/support/pod-parts.ts';
import {
  updateRecord,
  type StatusRecord,
  type StatusUpdate,
  type UpdateResult,
} from './status-record.ts';

function update(status: PodStatus, fields: Partial<StatusUpdate> = {}): UpdateResult {
  return updateRecord(
    deepFreeze({
      pod: podOf(),
      mirrorPod: undefined,
      record: undefined,
      isForced: false,
      isFinished: false,
      now: NOW,
      ...fields,
      status,
    }),
  );
}

/** The record after the update, whether it is a new one or not. */
function store(status: PodStatus, fields: Partial<StatusUpdate> = {}): StatusRecord {
  const result = update(status, fields);
  if (result.kind === 'refused') throw new Error(result.problem);
  return result.record;
}

const pending: PodStatus = { phase: 'Pending' };
const live: PodStatus = { phase: 'Running' };

describe('versions (SM-1, SM-26, SM-27)', () => {
  test('the first one is 1, and it names the pod', () => {
    expect(store(pending)).toMatchObject({ version: 1, name: 'web', namespace: 'default' });
  });

  test('TestChangedStatus: each change adds one', () => {
    const first = store(pending);
    const second = store(live, { record: first });
    expect(second.version).toBe(2);
    expect(store({ phase: 'Failed' }, { record: second }).version).toBe(3);
  });

  test('TestUnchangedStatus: the same status again is dropped, and the record is the same object', () => {
    const record = store(live);
    const result = update({ ...live, conditions: [] }, { record, now: LATER });
    expect(result).toEqual({ kind: 'unchanged', record, ended: [] });
    expect(result.kind === 'unchanged' && result.record).toBe(record);
  });

  test('the first status is stored even if the API has the same', () => {
    const pod = podOf({}, { status: { phase: 'Running', startTime: EARLIER } });
    expect(update(live, { pod }).kind).toBe('stored');
  });

  test('SM-15: forced, it is stored even if it is unchanged', () => {
    const record = store(live);
    expect(update(live, { record, isForced: true })).toMatchObject({
      kind: 'stored',
      record: { version: 2 },
    });
  });

  test('SM-12: a foreign condition is no change', () => {
    const record = store({ ...live, conditions: [condition('example.com/a', 'True')] });
    const status = { ...live, conditions: [condition('example.com/a', 'False')] };
    expect(update(status, { record }).kind).toBe('unchanged');
  });
});

describe('which status is the previous one (SM-20)', () => {
  const ofPod: PodStatus = { startTime: '2026-01-01T00:00:01Z' };
  const ofMirror: PodStatus = { startTime: '2026-01-01T00:00:02Z' };
  const pod = podOf({}, { status: ofPod });

  test('the stored one', () => {
    const record = store({ startTime: '2026-01-01T00:00:03Z' });
    const mirrorPod = podOf({}, { status: ofMirror });
    expect(store(live, { pod, mirrorPod, record }).status.startTime).toBe('2026-01-01T00:00:03Z');
  });

  test("else the mirror pod's", () => {
    const mirrorPod = podOf({}, { status: ofMirror });
    expect(store(live, { pod, mirrorPod }).status.startTime).toBe(ofMirror.startTime);
  });

  test('even if the mirror pod has none yet', () => {
    expect(store(live, { pod, mirrorPod: podOf() }).status.startTime).toBe(NOW);
  });

  test("else the pod's own", () => {
    expect(store(live, { pod }).status.startTime).toBe(ofPod.startTime);
  });
});

describe('finished (SM-21)', () => {
  const over = { ...store({ phase: 'Failed' }), isFinished: true };

  test('it stays so', () => {
    const record = store({ phase: 'Failed', reason: 'Evicted' }, { record: over });
    expect(record).toMatchObject({ version: 2, isFinished: true });
  });

  test('but a static pod may start again under the same UID', () => {
    const record = store(live, { record: over, pod: staticPodOf() });
    expect(record.isFinished).toBe(false);
  });

  test('SM-45: the final status finishes it', () => {
    const record = store(live, { record: store(live), isForced: true, isFinished: true });
    expect(record).toMatchObject({ version: 2, isFinished: true });
  });
});

describe('invalid transitions (SM-22)', () => {
  const pod = podOf({ restartPolicy: 'Never' });

  test('a terminated container that runs again is refused, forced or not', () => {
    const record = store({ containerStatuses: [terminated('c', 0)] }, { pod });
    const status = { containerStatuses: [running('c')] };
    for (const isForced of [false, true]) {
      expect(update(status, { pod, record, isForced })).toEqual({
        kind: 'refused',
        problem: 'terminated container c attempted illegal transition to non-terminated state',
      });
    }
  });

  test('the check is against the API’s status when nothing is stored', () => {
    const seen: Pod = { ...pod, status: { containerStatuses: [terminated('c', 0)] } };
    expect(update({ containerStatuses: [running('c')] }, { pod: seen }).kind).toBe('refused');
  });
});

describe('transition times (SM-23)', () => {
  const DATED = [
    'ContainersReady',
    'Ready',
    'Initialized',
    'PodReadyToStartContainers',
    'PodScheduled',
    'DisruptionTarget',
    'AllContainersRestarting',
  ];

  function timeOf(type: string, record: StatusRecord): string | null | undefined {
    return findCondition(record.status.conditions, type)?.lastTransitionTime;
  }

  test.each(DATED)(
    'TestNewStatusSetsReadyTransitionTime: a new %s gets the current time',
    (type) => {
      const status = { conditions: [condition(type, 'True', { lastTransitionTime: EARLIER })] };
      expect(timeOf(type, store(status))).toBe(NOW);
    },
  );

  test.each(DATED)(
    'TestChangedStatusUpdatesLastTransitionTime: %s moves with its status',
    (type) => {
      const record = store({ conditions: [condition(type, 'True')] });
      const status = { conditions: [condition(type, 'False')] };
      expect(timeOf(type, store(status, { record, now: LATER }))).toBe(LATER);
    },
  );

  test.each(DATED)('%s keeps its time when only reason and message change', (type) => {
    const record = store({ conditions: [condition(type, 'True')] });
    const status = { conditions: [condition(type, 'True', { reason: 'Other', message: 'other' })] };
    const next = store(status, { record, now: LATER });
    expect(next.version).toBe(2);
    expect(timeOf(type, next)).toBe(NOW);
  });

  test.each(['PodResizePending', 'PodResizeInProgress', 'example.com/gate'])(
    'SM-99: %s brings its own time',
    (type) => {
      const status = { conditions: [condition(type, 'True', { lastTransitionTime: EARLIER })] };
      expect(timeOf(type, store(status))).toBe(EARLIER);
    },
  );

  test('a condition that is not there is not added (A-42)', () => {
    const record = store({ conditions: [condition('Ready')] });
    expect(store({ phase: 'Running', conditions: [] }, { record }).status.conditions).toEqual([]);
  });
});

describe('start time and generation (SM-24)', () => {
  test('TestNewStatus: without any it is now', () => {
    expect(store(live).status.startTime).toBe(NOW);
  });

  test('the one that was computed counts, if there was none before', () => {
    expect(store({ ...live, startTime: EARLIER }).status.startTime).toBe(EARLIER);
  });

  test('TestNewStatusPreservesPodStartTime: in whole seconds', () => {
    const pod = podOf({}, { status: { startTime: '2026-01-02T03:00:00.75Z' } });
    expect(store(live, { pod }).status.startTime).toBe(EARLIER);
  });

  test('TestChangedStatusKeepsStartTime', () => {
    const record = store(pending);
    const next = store({ ...live, startTime: LATER }, { record, now: LATER });
    expect(next.status.startTime).toBe(NOW);
  });

  test.each([
    [undefined, undefined, undefined],
    [undefined, 2, 2],
    [2, undefined, 2],
    [3, 2, 3],
    [2, 3, 3],
  ] as const)('observed generation %s, then %s: %s', (before, after, expected) => {
    const given = (observedGeneration: number | undefined): PodStatus => ({
      ...live,
      ...(observedGeneration !== undefined && { observedGeneration }),
    });
    const record = store({ ...given(before), phase: 'Pending' });
    expect(store(given(after), { record }).status.observedGeneration).toBe(expected);
  });
});

test('SM-25, SM-39: it is stored in normal form', () => {
  const pod = podOf({ containers: [container('b'), container('a')] });
  const { status } = store(
    {
      containerStatuses: [
        running('b', { state: { running: { startedAt: '2026-01-02T03:00:00.5Z' } } }),
        running('a'),
      ],
    },
    { pod },
  );
  expect(status.containerStatuses).toEqual([running('a'), running('b')]);
});

describe('containers that ended (SM-29, TestContainerTerminationMetric)', () => {
  const pod = podOf({
    initContainers: [container('i')],
    containers: [container('c'), container('d')],
  });

  test('each is counted once, with its kind, exit code and reason', () => {
    const before = store(
      {
        initContainerStatuses: [running('i')],
        containerStatuses: [running('c'), waiting('d')],
        ephemeralContainerStatuses: [running('e')],
      },
      { pod },
    );
    const status: PodStatus = {
      initContainerStatuses: [terminated('i', 0, { state: ended(0, 'Completed') })],
      containerStatuses: [terminated('c', 1, { state: ended(1, 'Error') }), waiting('d')],
      ephemeralContainerStatuses: [terminated('e', 2)],
    };
    const first = update(status, { pod, record: before });
    expect(first).toMatchObject({
      kind: 'stored',
      ended: [
        { containerType: 'init_container', exitCode: 0, reason: 'Completed' },
        { containerType: 'container', exitCode: 1, reason: 'Error' },
        { containerType: 'ephemeral_container', exitCode: 2, reason: '' },
      ],
    });
    const record = first.kind === 'stored' ? first.record : undefined;
    expect(update(status, { pod, record, isForced: true })).toMatchObject({ ended: [] });
  });

  test('one that is first seen terminated counts too', () => {
    expect(update({ containerStatuses: [terminated('c', 0)] }, { pod })).toMatchObject({
      ended: [{ containerType: 'container', exitCode: 0 }],
    });
  });

  test('one that the API had as terminated before a restart of podkeep does not', () => {
    const status = { containerStatuses: [terminated('c', 0)] };
    expect(update(status, { pod: { ...pod, status } })).toMatchObject({ ended: [] });
  });

  test('a refused status counts nothing', () => {
    const never = podOf({ ...pod.spec, restartPolicy: 'Never' });
    const record = store({ containerStatuses: [terminated('c', 0), running('d')] }, { pod: never });
    const status = { containerStatuses: [running('c'), terminated('d', 0)] };
    expect(Object.keys(update(status, { pod: never, record }))).toEqual(['kind', 'problem']);
  });
});

describe('whether a pod is new (SM-90)', () => {
  test('the first status of a pod that is not being deleted', () => {
    expect(update(live)).toMatchObject({ isAdded: true });
  });

  test('not if it is being deleted, nor the second time', () => {
    const pod = podOf({}, { metadata: { deletionTimestamp: NOW } });
    expect(update(live, { pod })).toMatchObject({ isAdded: false });
    expect(update(live, { record: store(pending) })).toMatchObject({ isAdded: false });
  });
});

test('through any history versions grow by one, the start time stays, generations never fall', () => {
  const status = fc.record(
    {
      phase: fc.constantFrom('Pending', 'Running', 'Failed'),
      observedGeneration: fc.integer({ min: 0, max: 5 }),
      startTime: fc.constantFrom(EARLIER, LATER),
      reason: fc.constantFrom('A', 'B'),
    },
    { requiredKeys: [] },
  );
  const step = fc.record({ status, isForced: fc.boolean(), isFinished: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      let record: StatusRecord | undefined;
      for (const each of steps) {
        const before = record;
        const result = update(each.status, { ...each, record });
        if (result.kind !== 'stored') continue;
        ({ record } = result);
        expect(record.version).toBe((before?.version ?? 0) + 1);
        expect(record.isFinished).toBe(each.isFinished || (before?.isFinished ?? false));
        const { startTime } = record.status;
        expect(startTime).toBe(before ? before.status.startTime : startTime);
        expect(record.status.observedGeneration ?? 0).toBeGreaterThanOrEqual(
          before?.status.observedGeneration ?? 0,
        );
      }
    }),
  );
});
