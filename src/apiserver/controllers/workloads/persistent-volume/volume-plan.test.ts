import { describe, expect, test } from 'vitest';
import { MemoryVolumes } from '../../../../../test/support/memory-volumes.ts';
import { LOCAL_PROVISIONER } from '../../../../api/local-provisioner.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { withDeletionFinalizer } from './provisioned-volume.ts';
import { planReclaim } from './reclaim-plan.ts';
import { planVolume } from './volume-plan.ts';

const UID = '01234567-89ab-4cde-8f01-23456789abcd';
const NAME = `pvc-${UID}`;
const FINALIZER = 'kubernetes.io/pv-controller';
const LEAVING = { deletionTimestamp: '2030-01-01T00:00:00Z' };
const LOCAL = { 'pv.kubernetes.io/provisioned-by': LOCAL_PROVISIONER };
const REFERENCE = { namespace: 'default', name: 'data', uid: UID };

function volumeOf(spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return { metadata: { name: 'v', ...metadata }, spec: { claimRef: REFERENCE, ...spec } };
}

function claimOf(volumeName: string, uid = UID): JsonObject {
  return { metadata: { name: 'data', namespace: 'default', uid }, spec: { volumeName } };
}

describe('a volume', () => {
  const DELETE = { persistentVolumeReclaimPolicy: 'Delete' };

  test.each<[why: string, volume: JsonObject, claim: JsonObject | undefined, outcome: string]>([
    ['without a claim', volumeOf({ claimRef: null }), undefined, 'Available'],
    [
      'that a user has reserved',
      volumeOf({ claimRef: { namespace: 'default', name: 'data' } }),
      claimOf(''),
      'Available',
    ],
    ['whose claim names it', volumeOf(), claimOf('v'), 'Bound'],
    ['whose claim is gone', volumeOf(), undefined, 'reclaim'],
    ['whose claim was replaced by one of its name', volumeOf(), claimOf('v', 'new'), 'reclaim'],
    ['whose claim has no volume yet', volumeOf(), claimOf(''), 'claim'],
    ['of another mode than its claim', volumeOf({ volumeMode: 'Block' }), claimOf(''), 'mismatch'],
    ['whose claim has another volume', volumeOf(), claimOf('other'), 'unbind'],
    [
      'that was provisioned for a claim that has another volume',
      volumeOf(DELETE, { annotations: LOCAL }),
      claimOf('other'),
      'reclaim',
    ],
    [
      'that was provisioned, is retained, and whose claim has another volume',
      volumeOf({ persistentVolumeReclaimPolicy: 'Retain' }, { annotations: LOCAL }),
      claimOf('other'),
      'unbind',
    ],
    [
      'without a claim that is being deleted, and has a folder',
      volumeOf({ claimRef: null }, { ...LEAVING, finalizers: [FINALIZER] }),
      undefined,
      'reclaim',
    ],
  ])('%s', (_, volume, claim, outcome) => {
    const plan = planVolume(volume, claim);
    expect(plan.type === 'phase' ? plan.phase : plan.type).toBe(outcome);
  });
});

describe('the folder of a released volume', () => {
  const local = new MemoryVolumes();
  const own = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => {
    const source = { persistentVolumeReclaimPolicy: 'Delete', local: { path: local.pathOf(NAME) } };
    return volumeOf({ ...source, ...spec }, { name: NAME, annotations: LOCAL, ...metadata });
  };

  test('is deleted if name, path and annotation are those of the provisioner', () => {
    expect(planReclaim(own(), local)).toEqual({ type: 'delete' });
  });

  test.each<[why: string, volume: JsonObject]>([
    ['its path is another one', own({ local: { path: '/etc' } })],
    ['its path leads out of the folder', own({ local: { path: `/volumes/${NAME}/../../etc` } })],
    ['its path only looks the same', own({ local: { path: `/volumes/${NAME}/` } })],
    ['it is no local volume', own({ local: null, hostPath: { path: local.pathOf(NAME) } })],
    ['its name is another one', own({}, { name: 'data' })],
    ['its name is the beginning of one', own({}, { name: 'pvc-' })],
    ['no annotation names a provisioner', own({}, { annotations: {} })],
    [
      'an in-tree provisioner has created it',
      own({}, { annotations: { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/aws-ebs' } }),
    ],
  ])('is not touched if %s', (_, volume) => {
    expect(planReclaim(volume, local)).toMatchObject({
      type: 'fail',
      reason: 'VolumeFailedDelete',
    });
  });

  test('is left to other provisioners, to administrators, and where no provisioner runs', () => {
    const others = { annotations: { 'pv.kubernetes.io/provisioned-by': 'example.com/disks' } };
    expect(planReclaim(own({}, others), local)).toEqual({ type: 'leave' });
    expect(planReclaim(own({ persistentVolumeReclaimPolicy: 'Retain' }), local)).toEqual({
      type: 'leave',
    });
    expect(planReclaim(own(), undefined)).toEqual({ type: 'leave' });
    const csi = volumeOf({ persistentVolumeReclaimPolicy: 'Delete', csi: { driver: 'd' } });
    expect(planReclaim(csi, local)).toEqual({ type: 'leave' });
  });

  test('keeps its volume by a finalizer, as long as it is to be deleted with it', () => {
    const finalizersOf = (volume: JsonObject) =>
      (withDeletionFinalizer(volume)['metadata'] as JsonObject)['finalizers'];
    expect(finalizersOf(own())).toEqual([FINALIZER]);
    const retained = { persistentVolumeReclaimPolicy: 'Retain' };
    expect(finalizersOf(own(retained, { finalizers: ['x/y', FINALIZER] }))).toEqual(['x/y']);
    expect(finalizersOf(own({}, LEAVING))).toBeUndefined();
    const right = own({}, { finalizers: [FINALIZER] });
    expect(withDeletionFinalizer(right)).toBe(right);
  });
});
