import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeVolumeHarness, podWithVolumes } from '../../../test/support/volume-parts.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ClaimLookup } from '../../ports/api/claim-lookup.ts';
import { followClaim } from './persistent-claim.ts';
import { VolumeManager } from './volume-manager.ts';
import type { Volume } from './volume-spec.ts';

const SIGNAL = new AbortController().signal;
const CLAIM = {
  metadata: { uid: 'claim-uid' },
  spec: { volumeName: 'pv-1' },
  status: { phase: 'Bound' },
};
const VOLUME = {
  metadata: { annotations: { 'pv.beta.kubernetes.io/gid': '1234' } },
  spec: { claimRef: { uid: 'claim-uid' }, hostPath: { path: '/data', type: 'Directory' } },
};
const DATA: Volume = { name: 'data', persistentVolumeClaim: { claimName: 'mine' } };

function lookup(claim: JsonObject | null, volume: JsonObject | null): ClaimLookup {
  const get = async (object: JsonObject | null, name: string) => {
    if (object) return object;
    throw new Error(`${name} not found`);
  };
  return {
    getClaim: (_, name) => get(claim, name),
    getVolume: (name) => get(volume, name),
  };
}

function follow(claim: JsonObject | null, volume: JsonObject | null, wish: Volume = DATA) {
  return followClaim(podWithVolumes([wish]), wish, lookup(claim, volume), SIGNAL);
}

describe('a claim', () => {
  test('leads to a path of the node', async () => {
    expect(await follow(CLAIM, VOLUME)).toEqual({
      title: 'pv-1',
      source: { path: '/data', type: 'Directory' },
      isLocal: false,
      isReadOnly: false,
      group: 1234,
    });
    const local = { spec: { claimRef: { uid: 'claim-uid' }, local: { path: '/disk' } } };
    const wish = { name: 'd', persistentVolumeClaim: { claimName: 'mine', readOnly: true } };
    expect(await follow(CLAIM, local, wish)).toMatchObject({
      source: { path: '/disk', type: 'Directory' },
      isLocal: true,
      isReadOnly: true,
    });
  });

  test.each<[string, JsonObject | null, JsonObject | null, string]>([
    ['is not there', null, null, 'failed to fetch PVC from API server: mine not found'],
    ['is not bound', { ...CLAIM, status: { phase: 'Pending' } }, null, 'PVC is not bound'],
    ['names no volume', { ...CLAIM, spec: {} }, null, 'PVC has empty pvc.Spec.VolumeName'],
    [
      'is being deleted',
      { ...CLAIM, metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } },
      null,
      'PVC is being deleted',
    ],
    [
      'names a volume that is not there',
      CLAIM,
      null,
      'failed to fetch PV pv-1 from API server: pv-1 not found',
    ],
    [
      'names a volume that knows nothing of it',
      CLAIM,
      { spec: {} },
      'found PV object pv-1 but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim',
    ],
    [
      'names a volume of another',
      CLAIM,
      { spec: { claimRef: { uid: 'other' } } },
      'found PV object pv-1 but its pv.Spec.ClaimRef.UID other does not point to claim.UID claim-uid',
    ],
  ])('that %s gives no volume', async (_, claim, volume, words) => {
    await expect(follow(claim, volume)).rejects.toMatchObject({
      code: 'VOLUME_UNPROCESSED',
      message: `error processing PVC shop/mine: ${words}`,
    });
  });

  test('that is being deleted but in use still counts', async () => {
    const metadata = {
      uid: 'claim-uid',
      deletionTimestamp: '2030-01-01T00:00:00Z',
      finalizers: ['kubernetes.io/pvc-protection'],
    };
    expect(await follow({ ...CLAIM, metadata }, VOLUME)).toMatchObject({ title: 'pv-1' });
  });

  test('to a block device or to a driver is refused', async () => {
    const block = { spec: { ...VOLUME.spec, volumeMode: 'Block' } };
    await expect(follow(CLAIM, block)).rejects.toThrow(
      'volume data has volumeMode Block, but is specified in volumeMounts',
    );
    const csi = { spec: { claimRef: { uid: 'claim-uid' }, capacity: {}, csi: { driver: 'x' } } };
    await expect(follow(CLAIM, csi)).rejects.toThrow(
      'podkeep does not mount volumes of the kind csi',
    );
  });

  test('of an ephemeral volume must have been made for this pod', async () => {
    const wish = { name: 'data', ephemeral: {} };
    await expect(follow(CLAIM, VOLUME, wish)).rejects.toThrow(
      'PVC shop/web-data was not created for pod shop/web (pod is not owner)',
    );
    const ownerReferences = [{ uid: 'uid-1', controller: true }];
    const owned = { ...CLAIM, metadata: { uid: 'claim-uid', ownerReferences } };
    expect(await follow(owned, VOLUME, wish)).toMatchObject({ title: 'pv-1' });
  });
});

describe('a pod with a claim', () => {
  test('fails at once if the claim gives no volume, without an Event from here', async () => {
    const { deps, events } = makeVolumeHarness({ claims: lookup(null, null) });
    const pod = podWithVolumes([DATA, { name: 'e', emptyDir: {} }]);
    await expect(new VolumeManager(deps).waitForMounts(pod, SIGNAL)).rejects.toThrow(
      'unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]: ' +
        'error processing PVC shop/mine: failed to fetch PVC from API server: mine not found',
    );
    expect(events).toEqual([]);
  });

  test('has the folder of the volume when the claim is bound', async () => {
    const { root } = makeVolumeHarness();
    const folder = path.join(root, 'data');
    mkdirSync(folder, { recursive: true });
    const volume = { spec: { claimRef: { uid: 'claim-uid' }, local: { path: folder } } };
    const { deps } = makeVolumeHarness({ claims: lookup(CLAIM, volume) });
    const manager = new VolumeManager(deps);
    const pod = podWithVolumes([DATA]);
    await manager.waitForMounts(pod, SIGNAL);
    expect(manager.mounted('uid-1').get('data')?.hostPath).toBe(folder);
    await manager.waitForUnmount(pod, SIGNAL);
    mkdirSync(path.join(folder, 'still there'));
  });

  test('on a node without an API server fails with that reason', async () => {
    const { deps } = makeVolumeHarness();
    const waiting = new VolumeManager(deps).waitForMounts(podWithVolumes([DATA]), SIGNAL);
    await expect(waiting).rejects.toThrow('a node without an API server has no claims');
  });
});
