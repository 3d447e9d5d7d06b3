import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../lib/json.ts';
import { nameOf } from '../../../objects/metadata.ts';
import { planClaim, type ClaimSurroundings } from './claim-plan.ts';

const UID = '01234567-89ab-4cde-8f01-23456789abcd';
const DONE = { 'pv.kubernetes.io/bind-completed': 'yes' };
const SELECTED = { 'volume.kubernetes.io/selected-node': 'a' };

interface ClaimShape {
  readonly annotations?: JsonObject;
  readonly spec?: JsonObject;
}

function claimOf({ annotations = {}, spec = {} }: ClaimShape = {}): JsonObject {
  return {
    metadata: { name: 'data', namespace: 'default', uid: UID, annotations },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
    status: { phase: 'Pending' },
  };
}

interface VolumeShape {
  readonly size?: string;
  readonly phase?: string;
  readonly labels?: JsonObject;
  readonly metadata?: JsonObject;
  readonly spec?: JsonObject;
}

function volumeOf(name: string, shape: VolumeShape = {}): JsonObject {
  const { size = '1Gi', phase = 'Available', labels = {}, metadata = {}, spec = {} } = shape;
  return {
    metadata: { name, labels, ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: size }, ...spec },
    status: { phase },
  };
}

const refersTo = (name: string, uid = ''): JsonObject => ({
  claimRef: { namespace: 'default', name, ...(uid !== '' && { uid }) },
});

function around(
  volumes: readonly JsonObject[] = [],
  more: Partial<ClaimSurroundings> = {},
): ClaimSurroundings {
  const nameIs = (name: string) => (volume: JsonObject) => nameOf(volume) === name;
  return {
    volume: (name) => volumes.find(nameIs(name)),
    volumes: () => volumes,
    storageClass: (name) =>
      name === 'waits'
        ? { volumeBindingMode: 'WaitForFirstConsumer' }
        : { volumeBindingMode: 'Immediate' },
    defaultClass: () => undefined,
    unscheduledPods: () => [],
    ...more,
  };
}

/** As `bind NAME`, `pending REASON: MESSAGE`, `lost REASON: MESSAGE` or just the type. */
function decide(claim: JsonObject, surroundings: ClaimSurroundings): string {
  const plan = planClaim(claim, surroundings);
  switch (plan.type) {
    case 'bind':
      return `bind ${nameOf(plan.volume)}`;
    case 'assignClass':
      return `assign ${plan.name}`;
    case 'provision':
      return 'provision';
    case 'pending':
    case 'lost':
      return plan.event ? `${plan.type} ${plan.event.reason}: ${plan.event.message}` : plan.type;
  }
}

describe('a claim that is not bound', () => {
  test.each<[why: string, claim: ClaimShape, volumes: readonly JsonObject[], chosen: string]>([
    [
      'the smallest one that is large enough',
      {},
      [
        volumeOf('small', { size: '1Mi' }),
        volumeOf('large', { size: '9Gi' }),
        volumeOf('right', { size: '2Gi' }),
      ],
      'bind right',
    ],
    [
      'the one with the fewest access modes, although it is larger',
      {},
      [
        volumeOf('shared', { spec: { accessModes: ['ReadWriteOnce', 'ReadWriteMany'] } }),
        volumeOf('single', { size: '5Gi' }),
      ],
      'bind single',
    ],
    [
      'the one that is reserved for it, although another is smaller',
      {},
      [volumeOf('small'), volumeOf('mine', { size: '5Gi', spec: refersTo('data') })],
      'bind mine',
    ],
    [
      'no volume of another claim, of an earlier one of its name, or that is not available',
      {},
      [
        volumeOf('other', { spec: refersTo('other') }),
        volumeOf('earlier', { spec: refersTo('data', 'another-uid') }),
        volumeOf('new', { phase: 'Pending' }),
        volumeOf('released', { phase: 'Released' }),
        volumeOf('leaving', { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } }),
      ],
      'pending FailedBinding: no persistent volumes available for this claim and no storage class is set',
    ],
    [
      'no volume of another class, mode or attributes',
      {},
      [
        volumeOf('class', { spec: { storageClassName: 'fast' } }),
        volumeOf('mode', { spec: { volumeMode: 'Block' } }),
        volumeOf('attributes', { spec: { volumeAttributesClassName: 'gold' } }),
        volumeOf('access', { spec: { accessModes: ['ReadOnlyMany'] } }),
      ],
      'pending FailedBinding: no persistent volumes available for this claim and no storage class is set',
    ],
    [
      'only one that its selector matches',
      { spec: { selector: { matchLabels: { disk: 'fast' } } } },
      [volumeOf('slow'), volumeOf('fast', { size: '9Gi', labels: { disk: 'fast' } })],
      'bind fast',
    ],
    [
      'no free one if its class waits for a pod: the scheduler chooses',
      { spec: { storageClassName: 'waits' } },
      [volumeOf('free', { spec: { storageClassName: 'waits' } })],
      'pending WaitForFirstConsumer: waiting for first consumer to be created before binding',
    ],
    [
      'the one that the scheduler has reserved',
      { spec: { storageClassName: 'waits' } },
      [volumeOf('chosen', { spec: { storageClassName: 'waits', ...refersTo('data', UID) } })],
      'bind chosen',
    ],
  ])('gets %s', (_, claim, volumes, chosen) => {
    expect(decide(claimOf(claim), around(volumes))).toBe(chosen);
  });

  test('is provisioned if it has a class, and, where the class waits, a node', () => {
    const immediate = claimOf({ spec: { storageClassName: 'fast' } });
    expect(decide(immediate, around())).toBe('provision');
    const selected = claimOf({ annotations: SELECTED, spec: { storageClassName: 'waits' } });
    expect(decide(selected, around())).toBe('provision');
  });

  test('names the pods that it waits for', () => {
    const waiting = claimOf({ spec: { storageClassName: 'waits' } });
    const pods = (...names: string[]) => around([], { unscheduledPods: () => names });
    expect(decide(waiting, pods('p'))).toBe(
      'pending WaitForPodScheduled: waiting for pod p to be scheduled',
    );
    expect(decide(waiting, pods('p', 'q'))).toBe(
      'pending WaitForPodScheduled: waiting for pods p,q to be scheduled',
    );
  });

  test('gets the default class unless it names one, or none', () => {
    const withDefault = around([], { defaultClass: () => 'standard' });
    expect(decide(claimOf(), withDefault)).toBe('assign standard');
    const withoutClass = claimOf({ spec: { storageClassName: '' } });
    expect(decide(withoutClass, withDefault)).toMatch(/^pending FailedBinding/);
    const annotations = { 'volume.beta.kubernetes.io/storage-class': 'old' };
    expect(decide(claimOf({ annotations }), withDefault)).toBe('provision');
  });
});

describe('a claim that names a volume', () => {
  const named = claimOf({ spec: { volumeName: 'v' } });

  test.each<[volume: VolumeShape | null, outcome: string]>([
    [null, 'pending'],
    [{}, 'bind v'],
    [{ size: '2Gi', phase: 'Pending' }, 'bind v'],
    [{ spec: refersTo('data') }, 'bind v'],
    [{ spec: refersTo('data', UID) }, 'bind v'],
    [
      { spec: refersTo('other') },
      'pending FailedBinding: volume "v" already bound to a different claim.',
    ],
    ...(
      [
        [{ size: '1Mi' }, 'requested PV is too small'],
        [{ spec: { storageClassName: 'x' } }, 'storageClassName does not match'],
        [{ spec: { volumeMode: 'Block' } }, 'incompatible volumeMode'],
        [{ spec: { accessModes: ['ReadOnlyMany'] } }, 'incompatible accessMode'],
        [
          { spec: { volumeAttributesClassName: 'gold' } },
          'volumeAttributesClassName does not match',
        ],
        [
          { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } },
          'the volume is marked for deletion "v"',
        ],
      ] as const
    ).map(([shape, why]): [VolumeShape, string] => [
      shape,
      `pending VolumeMismatch: Cannot bind to requested volume "v": ${why}`,
    ]),
  ])('with %j: %s', (shape, outcome) => {
    expect(decide(named, around(shape ? [volumeOf('v', shape)] : []))).toBe(outcome);
  });
});

describe('a claim that was bound', () => {
  const bound = claimOf({ annotations: DONE, spec: { volumeName: 'v' } });

  test('is bound again, which repairs what is missing', () => {
    expect(decide(bound, around([volumeOf('v')]))).toBe('bind v');
    expect(decide(bound, around([volumeOf('v', { spec: refersTo('data', UID) })]))).toBe('bind v');
  });

  test('is lost without its volume, and never gets another one', () => {
    const free = volumeOf('free');
    expect(decide(bound, around([free]))).toBe(
      'lost ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    );
    expect(decide(claimOf({ annotations: DONE }), around([free]))).toBe(
      'lost ClaimLost: Bound claim has lost reference to PersistentVolume. Data on the volume is lost!',
    );
    expect(decide(bound, around([volumeOf('v', { spec: refersTo('other', 'uid') })]))).toBe(
      'lost ClaimMisbound: Two claims are bound to the same volume, this one is bound incorrectly',
    );
  });
});
