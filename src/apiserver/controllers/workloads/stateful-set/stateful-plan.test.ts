import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../lib/json.ts';
import { nameOf } from '../../../objects/metadata.ts';
import { planStatefulSet, type StatefulStep } from './stateful-plan.ts';

const NOW = Date.UTC(2030, 0, 1);
const revisionNamed = (name: string): JsonObject => ({ metadata: { name }, data: {} });

/** Letters of a pod: r ready, p pending, n not ready, f failed, s succeeded, t terminating; capital: old revision. */
function podsOf(text: string): readonly JsonObject[] {
  return text
    .split('')
    .flatMap((letter, ordinal) => (letter === '-' ? [] : [podOf(letter, ordinal)]));
}

const PHASES: Readonly<Record<string, string>> = {
  p: 'Pending',
  f: 'Failed',
  s: 'Succeeded',
};

function podOf(letter: string, ordinal: number): JsonObject {
  const kind = letter.toLowerCase();
  const name = `web-${ordinal}`;
  const isReady = kind === 'r' || kind === 't';
  const lastTransitionTime = new Date(NOW - 10_000).toISOString();
  return {
    metadata: {
      name,
      uid: name,
      labels: {
        'statefulset.kubernetes.io/pod-name': name,
        'controller-revision-hash': letter === kind ? 'new' : 'old',
      },
      ...(kind === 't' && { deletionTimestamp: lastTransitionTime }),
    },
    status: {
      phase: PHASES[kind] ?? 'Running',
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime }],
    },
  };
}

function printed(step: StatefulStep): string {
  if (step.type === 'create') return `create ${step.ordinal} ${nameOf(step.revision)}`;
  return `${step.type} ${nameOf(step.pod).slice(4)}`;
}

function plan(pods: string, replicas: number, spec: JsonObject = {}): string {
  const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 0 } };
  const set = { metadata: { name: 'web', uid: 'u' }, spec: { replicas, updateStrategy, ...spec } };
  const view = {
    set,
    pods: podsOf(pods),
    current: revisionNamed('old'),
    update: revisionNamed('new'),
    claimNamed: () => undefined,
    nowMs: NOW,
  };
  return planStatefulSet(view).flat().map(printed).join(', ');
}

const PARALLEL = { podManagementPolicy: 'Parallel' };
const rolling = (rollingUpdate: JsonObject): JsonObject => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate },
});

describe('ordered', () => {
  test.each([
    ['', 3, 'create 0 new'],
    ['r', 3, 'create 1 new'],
    ['p', 3, ''],
    ['n', 3, ''],
    ['t', 3, ''],
    ['r-r', 3, 'create 1 new'],
    ['rfr', 3, 'delete 1'],
    ['srr', 3, 'delete 0'],
    ['rrrr', 2, 'delete 3'],
    ['rrrt', 2, ''],
    ['rnrr', 2, ''],
    // Of pods that are scaled away, only the lowest that is not available may go before the others are.
    ['rrnr', 2, 'delete 3'],
    ['rrrn', 2, 'delete 3'],
    ['rrnn', 2, ''],
    ['RRR', 3, 'delete 2'],
    ['RRt', 3, ''],
    ['RRn', 3, ''],
    ['RRr', 3, 'delete 1'],
    ['RNr', 3, ''],
    ['RRRR', 3, 'delete 3'],
    ['rrr', 3, ''],
    ['rrr', 0, 'delete 2'],
  ])('%s of %i', (pods, replicas, expected) => {
    expect(plan(pods, replicas)).toBe(expected);
  });
});

describe('parallel', () => {
  test.each([
    ['', 3, 'create 0 new, create 1 new, create 2 new'],
    ['n-f', 4, 'delete 2, create 1 new, create 3 new'],
    ['rrtnr', 2, 'delete 4, delete 3'],
    ['RRR', 3, 'delete 2'],
    ['RNr', 3, 'delete 1'],
    ['RR-', 3, 'create 2 new'],
  ])('%s of %i', (pods, replicas, expected) => {
    expect(plan(pods, replicas, PARALLEL).split(', ').toSorted()).toEqual(
      expected.split(', ').toSorted(),
    );
  });

  test('creates at most 500 pods at a time, however many are wanted', () => {
    expect(plan('r', 2_000_000_000, PARALLEL).split(', ')).toHaveLength(500);
  });
});

describe('an update', () => {
  test.each([
    ['partition', 'RRR', { partition: 2 }, 'delete 2'],
    ['partition', 'RRr', { partition: 2 }, ''],
    ['partition', 'R-r', { partition: 2 }, 'create 1 old'],
    ['partition', 'RR-', { partition: 2 }, 'create 2 new'],
    ['two at a time', 'RRR', { maxUnavailable: 2 }, 'delete 2, delete 1'],
    ['one of two is taken', 'RRn', { maxUnavailable: 2, partition: 0 }, ''],
    ['half, rounded down', 'RRR', { maxUnavailable: '50%' }, 'delete 2'],
    ['at least one', 'RRR', { maxUnavailable: '1%' }, 'delete 2'],
    ['two above the partition', 'RRR', { maxUnavailable: 3, partition: 1 }, 'delete 2, delete 1'],
  ])('%s: %s with %o', (_what, pods, rollingUpdate, expected) => {
    expect(plan(pods, 3, rolling(rollingUpdate))).toBe(expected);
  });

  test('in parallel counts every pod that is not available against maxUnavailable', () => {
    expect(plan('RRn', 3, { ...PARALLEL, ...rolling({ maxUnavailable: 2 }) })).toBe('delete 1');
    expect(plan('NNR', 3, { ...PARALLEL, ...rolling({ maxUnavailable: 2 }) })).toBe('');
  });

  test('without parameters: a missing pod is current as long as enough are', () => {
    const bare = { updateStrategy: { type: 'RollingUpdate' } };
    expect(plan('-RR', 3, bare)).toBe('create 0 old');
    expect(plan('RR-', 3, bare)).toBe('create 2 new');
  });

  test('with OnDelete deletes nothing, and creates from the new revision', () => {
    const onDelete = { updateStrategy: { type: 'OnDelete' } };
    expect(plan('RRR', 3, onDelete)).toBe('');
    expect(plan('-RR', 3, onDelete)).toBe('create 0 new');
  });

  test('waits for minReadySeconds', () => {
    expect(plan('RRr', 3, { minReadySeconds: 11 })).toBe('');
    expect(plan('RRr', 3, { minReadySeconds: 10 })).toBe('delete 1');
  });
});

describe('members', () => {
  test('ordinals start where the set says; others are scaled away', () => {
    expect(plan('rrr', 2, { ordinals: { start: 1 } })).toBe('delete 0');
    expect(plan('-rr', 2, { ordinals: { start: 2 } })).toBe('create 3 new');
  });

  test('a set that is being deleted does nothing', () => {
    const set = {
      metadata: { name: 'web', deletionTimestamp: 'now' },
      spec: { replicas: 3, updateStrategy: { type: 'RollingUpdate' } },
    };
    const [current, update] = [revisionNamed('old'), revisionNamed('new')];
    const view = { set, pods: [], current, update, claimNamed: () => undefined, nowMs: NOW };
    expect(planStatefulSet(view)).toEqual([]);
  });
});
