/**
 * `persistentvolume-expander`: enlarges the volume of a bound claim that requests more storage than it has.
 *
 * A volume of the local provisioner is a folder, which has no size of its own: the new size is written to the
 * volume first, then to the status of the claim. Other volumes are left to the provisioner that created them.
 * Whether a claim may request more at all is decided at admission (admission/classes/claim-resize.ts).
 */
import { compareQuantities } from '../../../../api/values/quantity.ts';
import { readAmount } from '../../../../api/validation/quantities.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { persistentVolumeClaims } from '../../../kinds/storage/persistent-volume-claim.ts';
import { persistentVolumes } from '../../../kinds/storage/persistent-volume.ts';
import { structAt, textAt, valueAt } from '../../../objects/field-path.ts';
import { keyOf } from '../../../registry/registry.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import type { Controller } from '../../controller.ts';
import { uidOf } from '../../garbage/owner-reference.ts';
import { claimKey, requestedStorage, sizeOfVolume } from '../../scheduler/storage/claim-facts.ts';
import { targetTo, updateExactly } from '../shared/exact-update.ts';
import { WorkloadDriver } from '../shared/workload-driver.ts';
import { WorkloadEvents } from '../shared/workload-events.ts';
import { claimsToBeLocal } from './provisioned-volume.ts';

export interface ExpanderDeps {
  readonly parts: ServerParts;
}

const CAPACITY = 'status.capacity.storage';

export function startVolumeExpander({ parts }: ExpanderDeps): Controller {
  const events = new WorkloadEvents(parts, 'volume_expand');
  return new WorkloadDriver({
    parts,
    name: 'persistentvolume-expander',
    definition: persistentVolumeClaims,
    events,
    owned: [],
    sync: async (claim) => {
      if (needsExpansion(claim)) await expand(parts, events, claim);
      return null;
    },
  });
}

function needsExpansion(claim: JsonObject): boolean {
  if (textAt(claim, 'status.phase') !== 'Bound') return false;
  return compareQuantities(requestedStorage(claim), readAmount(valueAt(claim, CAPACITY))) > 0;
}

async function expand(parts: ServerParts, events: WorkloadEvents, claim: JsonObject) {
  const name = textAt(claim, 'spec.volumeName');
  const key = keyOf({ definition: persistentVolumes, namespace: '', name });
  const volume = parts.store.get(key)?.value;
  if (!volume || textAt(volume, 'spec.claimRef.uid') !== uidOf(claim)) return;
  if (!claimsToBeLocal(volume)) {
    const message = 'waiting for an external controller to expand this PVC';
    events.normal(claim, 'ExternalExpanding', message);
    return;
  }
  const storage = valueAt(claim, 'spec.resources.requests.storage') ?? '0';
  if (compareQuantities(sizeOfVolume(volume), requestedStorage(claim)) < 0) {
    const spec = { ...structAt(volume, 'spec'), capacity: { storage } };
    const change = (old: JsonObject): JsonObject => ({ ...old, spec });
    await updateExactly(parts, targetTo(persistentVolumes, volume), volume, change);
  }
  const status = { ...structAt(claim, 'status'), capacity: { storage } };
  const change = (old: JsonObject): JsonObject => ({ ...old, status });
  await updateExactly(parts, targetTo(persistentVolumeClaims, claim), claim, change, 'status');
  const message = `ExpandVolume succeeded for volume ${claimKey(claim)}`;
  events.normal(claim, 'VolumeResizeSuccessful', message);
}
