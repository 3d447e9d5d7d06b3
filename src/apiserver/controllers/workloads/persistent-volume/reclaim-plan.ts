/**
 * Decides what is done with a released volume, by its reclaim policy.
 *
 *     Retain   nothing: its data stays until an administrator decides
 *     Delete   of the local provisioner: its folder goes, then the object; of other provisioners: left to them
 *     Recycle  fails with an Event: podkeep has no recycler, and Kubernetes has deprecated it
 *
 * Kubernetes has a deleter for volumes of type hostPath below /tmp, for tests. podkeep never deletes a folder
 * that the local provisioner has not created.
 */
import { readText } from '../../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import type { LocalVolumes } from '../../../../ports/local-volumes.ts';
import { isGiven } from '../../../../api/validation/json-reading.ts';
import { textAt, valueAt } from '../../../objects/field-path.ts';
import { nameOf } from '../../../objects/metadata.ts';
import { annotationOf } from '../../scheduler/storage/claim-facts.ts';
import { claimsToBeLocal, isOwnVolume, PROVISIONED_BY } from './provisioned-volume.ts';

export type ReclaimPlan =
  /** Left as it is, to an administrator or to another provisioner. */
  | { readonly type: 'leave' }
  | { readonly type: 'delete' }
  | { readonly type: 'fail'; readonly reason: string; readonly message: string };

const IN_TREE = 'kubernetes.io/';
const MIGRATED_TO = 'pv.kubernetes.io/migrated-to';

/** `local`: undefined if the local provisioner does not run. */
export function planReclaim(volume: JsonObject, local: LocalVolumes | undefined): ReclaimPlan {
  if (readText(annotationOf(volume, MIGRATED_TO)) !== '') return { type: 'leave' };
  switch (textAt(volume, 'spec.persistentVolumeReclaimPolicy')) {
    case 'Retain':
      return { type: 'leave' };
    case 'Delete':
      return planDeletion(volume, local);
    case 'Recycle': {
      const message = 'No recycler plugin found for the volume!';
      return { type: 'fail', reason: 'VolumeFailedRecycle', message };
    }
    default: {
      const message = 'Volume has unrecognized PersistentVolumeReclaimPolicy';
      return { type: 'fail', reason: 'VolumeUnknownReclaimPolicy', message };
    }
  }
}

function planDeletion(volume: JsonObject, local: LocalVolumes | undefined): ReclaimPlan {
  const name = JSON.stringify(nameOf(volume));
  if (claimsToBeLocal(volume) && local) {
    if (isOwnVolume(volume, local)) return { type: 'delete' };
    return failed(`volume ${name} has not the name and the path of a volume that was provisioned`);
  }
  const provisioner = annotationOf(volume, PROVISIONED_BY) ?? '';
  if (provisioner.startsWith(IN_TREE))
    return failed(`no volume plugin matched name: ${provisioner}`);
  if (provisioner !== '' || isGiven(valueAt(volume, 'spec.csi'))) return { type: 'leave' };
  const why = 'no deletable volume plugin matched';
  return failed(`error getting deleter volume plugin for volume ${name}: ${why}`);
}

function failed(message: string): ReclaimPlan {
  return { type: 'fail', reason: 'VolumeFailedDelete', message };
}
