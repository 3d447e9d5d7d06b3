/**
 * Volumes of the local provisioner: how one is described, and how one is recognized.
 *
 * Every user who may create volumes can write the provisioner's annotation. So a volume counts as the
 * provisioner's only if its name is one that the provisioner gives, and its path is the one that belongs to
 * this name.
 */
import {
  isProvisionedVolumeName,
  LOCAL_PROVISIONER,
  provisionedVolumeName,
} from '../../../../api/local-provisioner.ts';
import { readText } from '../../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import type { LocalVolumes } from '../../../../ports/local-volumes.ts';
import { textAt, valueAt } from '../../../objects/field-path.ts';
import { listOf, metadataOf, nameOf, withMetadata } from '../../../objects/metadata.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import {
  hasFinalizer,
  isBeingDeleted,
  uidOf,
  withoutFinalizer,
} from '../../garbage/owner-reference.ts';
import { annotationOf, BOUND_BY_CONTROLLER, classOf } from '../../scheduler/storage/claim-facts.ts';
import { claimReference } from './binding-changes.ts';

export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
/** Keeps the object until the folder is removed. */
export const DELETION_FINALIZER = 'kubernetes.io/pv-controller';
const HOSTNAME = 'kubernetes.io/hostname';

/** `hostname`: the label of the node that has the folder. */
export function describeVolume(
  claim: JsonObject,
  storageClass: JsonObject,
  { path, hostname }: { readonly path: string; readonly hostname: string },
): JsonObject {
  const policy = readText(storageClass['reclaimPolicy']) || 'Delete';
  const required = {
    nodeSelectorTerms: [
      { matchExpressions: [{ key: HOSTNAME, operator: 'In', values: [hostname] }] },
    ],
  };
  return {
    metadata: {
      name: provisionedVolumeName(uidOf(claim)),
      annotations: { [BOUND_BY_CONTROLLER]: 'yes', [PROVISIONED_BY]: LOCAL_PROVISIONER },
      ...(policy === 'Delete' && { finalizers: [DELETION_FINALIZER] }),
    },
    spec: {
      capacity: { storage: valueAt(claim, 'spec.resources.requests.storage') ?? '0' },
      accessModes: [...listOf(valueAt(claim, 'spec.accessModes'))],
      persistentVolumeReclaimPolicy: policy,
      storageClassName: classOf(claim),
      volumeMode: 'Filesystem',
      claimRef: claimReference(claim),
      local: { path },
      nodeAffinity: { required },
    },
  };
}

/** Undefined: the node has no such label, so no volume can be tied to it. */
export function hostnameOf(node: JsonObject): string | undefined {
  return labelsOf(node)[HOSTNAME];
}

/** Does it say that the local provisioner created it? */
export function claimsToBeLocal(volume: JsonObject): boolean {
  return annotationOf(volume, PROVISIONED_BY) === LOCAL_PROVISIONER;
}

/** Has the local provisioner created it, here? */
export function isOwnVolume(volume: JsonObject, local: LocalVolumes): boolean {
  const name = nameOf(volume);
  if (!claimsToBeLocal(volume) || !isProvisionedVolumeName(name)) return false;
  return textAt(volume, 'spec.local.path') === local.pathOf(name);
}

/**
 * With the finalizer exactly while its folder goes with it. The reclaim policy can be changed at any time; an
 * object that is being deleted gets no finalizers any more.
 */
export function withDeletionFinalizer(volume: JsonObject): JsonObject {
  const isNeeded = textAt(volume, 'spec.persistentVolumeReclaimPolicy') === 'Delete';
  if (isNeeded === hasFinalizer(volume, DELETION_FINALIZER)) return volume;
  if (!isNeeded) return withoutFinalizer(volume, DELETION_FINALIZER);
  if (isBeingDeleted(volume)) return volume;
  const finalizers = [...listOf(metadataOf(volume)['finalizers']), DELETION_FINALIZER];
  return withMetadata(volume, { finalizers });
}
