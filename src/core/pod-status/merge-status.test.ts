import { describe, expect, test } from 'vitest';
import type { PodCondition, PodStatus } from '../../api/pod.ts';
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
import { mergeStatus, type StatusMerge } from './merge-status.ts';

function merge(old: PodStatus, status: PodStatus, rest: Partial<StatusMerge> = {}): PodStatus {
  return mergeStatus(
    deepFreeze({
      pod: podOf({}, { metadata: { generation: 4 } }),
      old,
      status,
      couldHaveRunningContainers: false,
      now: NOW,
      ...rest,
    }),
  );
}

const couldRun = { couldHaveRunningContainers: true };
const foreign = condition('example.com/gate', 'True', { lastTransitionTime: EARLIER });
const oldReady = condition('Ready', 'True', { lastTransitionTime: EARLIER });
const disrupted = (message: string, time = EARLIER) =>
  condition('DisruptionTarget', 'True', { message, lastTransitionTime: time });

function typesOf({ conditions = [] }: PodStatus): readonly string[] {
  return conditions.map(({ type }) => type);
}

describe('SM-80: conditions', () => {
  test('foreign ones stay as the API has them, in order and in front', () => {
    const other = condition('example.com/other', 'Unknown');
    const old = { conditions: [oldReady, foreign, other] };
    const merged = merge(old, {
      conditions: [condition('Initialized'), condition('Ready', 'False')],
    });
    expect(typesOf(merged)).toEqual([
      'example.com/gate',
      'example.com/other',
      'Initialized',
      'Ready',
    ]);
    expect(merged.conditions?.[0]).toBe(foreign);
    expect(merged.conditions?.[1]).toBe(other);
  });

  test('owned ones come from podkeep, whole', () => {
    const ours = condition('Ready', 'False', {
      reason: 'ContainersNotReady',
      lastProbeTime: LATER,
    });
    const merged = merge({ conditions: [oldReady] }, { conditions: [ours] });
    expect(merged.conditions).toEqual([ours]);
  });

  test('owned ones that podkeep no longer reports disappear', () => {
    const old = { conditions: [condition('PodResizePending'), foreign] };
    expect(merge(old, {}).conditions).toEqual([foreign]);
    expect(merge({ conditions: [oldReady] }, {})).not.toHaveProperty('conditions');
  });

  test('podkeep’s copies of foreign ones are not sent', () => {
    const mine = condition('example.com/gate', 'False');
    expect(merge({ conditions: [foreign] }, { conditions: [mine] }).conditions).toEqual([foreign]);
    expect(merge({}, { conditions: [mine, oldReady] }).conditions).toEqual([oldReady]);
  });
});

describe('SM-81, SM-82, SM-84: the phase that is sent, and DisruptionTarget with it', () => {
  const api = disrupted('from the API');
  const ours = disrupted('from us');

  test.each([
    ['nothing can run', false, 'Running', 'Failed', 'Failed', 'from us'],
    ['something could run', true, 'Running', 'Failed', 'Running', 'from the API'],
    ['nothing ends', false, 'Running', 'Running', 'Running', 'from the API'],
    ['it was over before', false, 'Failed', 'Failed', 'Failed', 'from the API'],
    ['it was over before, something could run', true, 'Failed', 'Failed', 'Failed', 'from the API'],
  ] as const)('%s', (_name, couldHaveRunningContainers, was, is, sent, message) => {
    const merged = merge(
      { phase: was, reason: 'OldReason', message: 'old message', conditions: [api] },
      { phase: is, reason: 'NewReason', message: 'new message', conditions: [ours] },
      { couldHaveRunningContainers },
    );
    expect(merged.phase).toBe(sent);
    const spoken = sent === is ? ['NewReason', 'new message'] : ['OldReason', 'old message'];
    expect([merged.reason, merged.message]).toEqual(spoken);
    expect(merged.conditions).toHaveLength(1);
    expect(merged.conditions?.[0]).toMatchObject({ type: 'DisruptionTarget', message });
  });
});

describe('SM-82, A-12: DisruptionTarget', () => {
  const failing = { phase: 'Failed' } as const;

  test('is added when the pod ends, with that transition time: the API gets it only now', () => {
    const status = { ...failing, conditions: [disrupted('evicted', EARLIER)] };
    expect(merge({ phase: 'Running' }, status).conditions).toEqual([disrupted('evicted', NOW)]);
  });

  test('keeps the API’s time if its status is the same', () => {
    const old = { phase: 'Running', conditions: [disrupted('api', EARLIER)] } as const;
    const status = { ...failing, conditions: [disrupted('ours', LATER)] };
    expect(merge(old, status).conditions).toEqual([disrupted('ours', EARLIER)]);
  });

  test('gets a new transition time if the API has another status', () => {
    const no = condition('DisruptionTarget', 'False', { lastTransitionTime: EARLIER });
    const status = { ...failing, conditions: [disrupted('ours', LATER)] };
    expect(merge({ phase: 'Running', conditions: [no] }, status).conditions).toEqual([
      disrupted('ours', NOW),
    ]);
  });

  test('stays in the API’s position, or in podkeep’s', () => {
    const ready = condition('Ready', 'False');
    const status = { ...failing, conditions: [ready, disrupted('x'), condition('PodScheduled')] };
    expect(typesOf(merge({ phase: 'Running' }, status))).toEqual([
      'Ready',
      'DisruptionTarget',
      'PodScheduled',
    ]);
    const old = { phase: 'Running', conditions: [disrupted('api'), foreign] } as const;
    expect(typesOf(merge(old, status))).toEqual([
      'DisruptionTarget',
      'example.com/gate',
      'Ready',
      'PodScheduled',
    ]);
  });

  test('is not sent while containers could run, nor of a pod that is not terminal', () => {
    const status = { ...failing, conditions: [disrupted('x')] };
    expect(typesOf(merge({ phase: 'Running' }, status, couldRun))).toEqual([]);
    expect(typesOf(merge({ phase: 'Running' }, { ...status, phase: 'Running' }))).toEqual([]);
  });

  test('is not sent after the end: the API’s stays, or there is none', () => {
    const status = { ...failing, conditions: [disrupted('late')] };
    expect(typesOf(merge({ phase: 'Succeeded' }, status))).toEqual([]);
  });
});

describe('SM-84: a pod of which something could run is not over yet', () => {
  test('so its phase, reason and message stay, and the rest is sent', () => {
    const containerStatuses = [terminated('c', 1)];
    const unready = condition('Ready', 'False', { reason: 'PodFailed' });
    const old = { phase: 'Running', conditions: [oldReady] } as const;
    const status = {
      phase: 'Failed',
      reason: 'Evicted',
      message: 'low on memory',
      containerStatuses,
      conditions: [unready],
      podIP: '10.0.0.1',
    } as const;
    const merged = merge(old, status, couldRun);
    expect(merged).toEqual({
      phase: 'Running',
      containerStatuses,
      conditions: [unready],
      podIP: '10.0.0.1',
    });
  });

  test('a pod that the API has no phase for keeps none', () => {
    expect(merge({}, { phase: 'Failed', reason: 'Evicted' }, couldRun)).toEqual({});
  });

  test('the phase of a pod that is not terminal is sent', () => {
    const status = { phase: 'Running', reason: 'New' } as const;
    expect(merge({ phase: 'Pending', reason: 'Old' }, status, couldRun)).toEqual(status);
  });
});

describe('SM-85: a terminal status is never Ready', () => {
  const no = (type: string, reason: string, time: string): PodCondition => ({
    type,
    observedGeneration: 4,
    status: 'False',
    reason,
    lastTransitionTime: time,
  });

  test.each([
    ['Failed', 'PodFailed'],
    ['Succeeded', 'PodCompleted'],
  ] as const)('%s: both are False for reason %s, dated now', (phase, reason) => {
    const conditions = [
      condition('Ready', 'True', { lastTransitionTime: EARLIER, lastProbeTime: EARLIER }),
      condition('PodScheduled'),
      condition('ContainersReady', 'True', { lastTransitionTime: EARLIER, message: 'x' }),
    ];
    expect(merge({ phase: 'Running' }, { phase, conditions }).conditions).toEqual([
      no('Ready', reason, NOW),
      condition('PodScheduled'),
      no('ContainersReady', reason, NOW),
    ]);
  });

  test('nothing else in the status changes', () => {
    const status = {
      phase: 'Failed',
      reason: 'Evicted',
      podIP: '10.0.0.1',
      containerStatuses: [terminated('c', 1)],
      conditions: [oldReady],
    } as const;
    const { conditions, ...rest } = merge({ phase: 'Running' }, status);
    const { conditions: _, ...others } = status;
    expect(rest).toEqual(others);
    expect(conditions).toHaveLength(2);
  });

  test('if only one is true, both are replaced; one that is missing is added', () => {
    const conditions = [condition('ContainersReady', 'True', { lastTransitionTime: EARLIER })];
    expect(merge({ phase: 'Running' }, { phase: 'Failed', conditions }).conditions).toEqual([
      no('ContainersReady', 'PodFailed', NOW),
      no('Ready', 'PodFailed', NOW),
    ]);
  });

  test('one that was False already keeps its time', () => {
    const conditions = [
      condition('Ready', 'False', { lastTransitionTime: EARLIER, reason: 'ContainersNotReady' }),
      condition('ContainersReady', 'True', { lastTransitionTime: EARLIER }),
    ];
    expect(merge({ phase: 'Running' }, { phase: 'Failed', conditions }).conditions).toEqual([
      no('Ready', 'PodFailed', EARLIER),
      no('ContainersReady', 'PodFailed', NOW),
    ]);
  });

  test('V-8: the API’s time is kept if the API has it False already', () => {
    const api = (type: string) => condition(type, 'False', { lastTransitionTime: EARLIER });
    const ours = (type: string) => condition(type, 'True', { lastTransitionTime: LATER });
    const merged = merge(
      { phase: 'Failed', conditions: [api('Ready'), api('ContainersReady')] },
      { phase: 'Failed', conditions: [ours('Ready'), ours('ContainersReady')] },
    );
    expect(merged.conditions?.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([
      EARLIER,
      EARLIER,
    ]);
  });

  test('if neither is true they are left alone, and none is added (KL-62)', () => {
    const conditions = [condition('Ready', 'Unknown', { reason: 'Odd' })];
    expect(merge({ phase: 'Running' }, { phase: 'Failed', conditions }).conditions).toEqual(
      conditions,
    );
    expect(merge({ phase: 'Pending' }, { phase: 'Failed' })).toEqual({ phase: 'Failed' });
  });

  test('while the terminal phase is held back, podkeep’s Ready is sent', () => {
    const conditions = [oldReady];
    const status = { phase: 'Failed', conditions } as const;
    expect(merge({ phase: 'Running' }, status, couldRun).conditions).toEqual(conditions);
  });
});

describe('SM-83, A-11: claim statuses are foreign', () => {
  test('they are taken from the API, and podkeep’s are not sent', () => {
    const claims = {
      resourceClaimStatuses: [{ name: 'gpu' }],
      extendedResourceClaimStatus: { resourceClaimName: 'x' },
      nodeAllocatableResourceClaimStatuses: [{ name: 'cpu' }],
    };
    const merged = merge(claims, { phase: 'Running' });
    expect(merged).toEqual({ phase: 'Running', ...claims });
    expect(merged.resourceClaimStatuses).toBe(claims.resourceClaimStatuses);
    expect(merge({}, claims)).toEqual({});
  });
});

describe('SM-86: the merged status', () => {
  test('shares what did not change', () => {
    const status = { phase: 'Running', containerStatuses: [running('c')], podIPs: [] } as const;
    const merged = merge({}, status);
    expect(merged.containerStatuses).toBe(status.containerStatuses);
    expect(merged.podIPs).toBe(status.podIPs);
  });

  test('keeps the fields it does not know, __proto__ among them', () => {
    const odd = JSON.parse('{"__proto__": 1, "newField": {"a": 1}}') as PodStatus;
    expect(Object.entries(merge({}, odd))).toEqual([
      ['__proto__', 1],
      ['newField', { a: 1 }],
    ]);
  });

  test('has no field that is there but undefined', () => {
    expect(Object.keys(merge({ phase: 'Running' }, { phase: 'Running' }))).toEqual(['phase']);
  });
});
