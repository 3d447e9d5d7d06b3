/**
 * Checks a pod's claims before any node is tried: finds problems that rule out every node, and collects the
 * claims to check for each node. In kube-scheduler these are the PreFilters of VolumeRestrictions,
 * VolumeBinding and VolumeZone.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { readText, readTexts } from '../../../../api/validation/json-reading.ts';
import { numberAt, objectsAt, textAt, valueAt } from '../../../objects/field-path.ts';
import { metadataOf, nameOf } from '../../../objects/metadata.ts';
import type { PodView } from '../pod-view.ts';
import { refuseNode, type Refusal } from '../refusal.ts';
import { classOf, isFullyBound } from './claim-facts.ts';
import type { StorageReader } from './storage-reader.ts';

export interface PodClaims {
  readonly bound: readonly JsonObject[];
  /** Unbound claims whose StorageClass binds them when the first pod uses them (WaitForFirstConsumer). */
  readonly waiting: readonly JsonObject[];
  /** Claims with access mode ReadWriteOncePod. */
  readonly exclusive: ReadonlySet<string>;
}

export type ClaimsResult =
  | { readonly type: 'refused'; readonly refusal: Refusal }
  | { readonly type: 'claims'; readonly claims: PodClaims };

const NO_CLAIMS: ClaimsResult = {
  type: 'claims',
  claims: { bound: [], waiting: [], exclusive: new Set() },
};

export function findPodClaims(pod: PodView, storage: StorageReader): ClaimsResult {
  const named = namedClaims(pod);
  if (named.length === 0) return NO_CLAIMS;
  const exclusive = new Set<string>();
  for (const { name, isEphemeral } of named) {
    const claim = isEphemeral ? undefined : storage.claim(pod.namespace, name);
    if (!claim && !isEphemeral) return refused('VolumeRestrictions', missing(name));
    if (claim && readTexts(valueAt(claim, 'spec.accessModes')).includes('ReadWriteOncePod')) {
      exclusive.add(name);
    }
  }
  const bound: JsonObject[] = [];
  const waiting: JsonObject[] = [];
  for (const { name, isEphemeral } of named) {
    const claim = storage.claim(pod.namespace, name);
    const problem = problemOf(pod, name, isEphemeral, claim);
    if (problem !== null || !claim) return refused('VolumeBinding', problem ?? missing(name));
    if (isFullyBound(claim)) bound.push(claim);
    else if (waitsForPod(claim, storage)) waiting.push(claim);
    else return refused('VolumeBinding', 'pod has unbound immediate PersistentVolumeClaims');
  }
  for (const claim of bound) {
    const volume = textAt(claim, 'spec.volumeName');
    const isNamed = pod.claimNames.includes(nameOf(claim));
    if (isNamed && !storage.volume(volume)) {
      return refused('VolumeZone', `persistentvolume ${JSON.stringify(volume)} not found`);
    }
  }
  return { type: 'claims', claims: { bound, waiting, exclusive } };
}

interface NamedClaim {
  readonly name: string;
  readonly isEphemeral: boolean;
}

/** Claims that volumes name, and claims of ephemeral volumes, which are named after pod and volume. */
export function namedClaims({ object, name }: PodView): readonly NamedClaim[] {
  return objectsAt(object, 'spec.volumes').flatMap((volume): NamedClaim[] => {
    const claim = textAt(volume, 'persistentVolumeClaim.claimName');
    if (claim !== '') return [{ name: claim, isEphemeral: false }];
    if (volume['ephemeral'] === undefined || volume['ephemeral'] === null) return [];
    return [{ name: `${name}-${readText(volume['name'])}`, isEphemeral: true }];
  });
}

function refused(plugin: Refusal['plugin'], reason: string): ClaimsResult {
  return { type: 'refused', refusal: refuseNode(plugin, reason) };
}

function missing(name: string): string {
  return `persistentvolumeclaim ${JSON.stringify(name)} not found`;
}

function problemOf(
  pod: PodView,
  name: string,
  isEphemeral: boolean,
  claim: JsonObject | undefined,
): string | null {
  const quoted = JSON.stringify(name);
  if (!claim) {
    return isEphemeral
      ? `waiting for ephemeral volume controller to create the persistentvolumeclaim ${quoted}`
      : missing(name);
  }
  if (textAt(claim, 'status.phase') === 'Lost') {
    const volume = JSON.stringify(textAt(claim, 'spec.volumeName'));
    return `persistentvolumeclaim ${quoted} bound to non-existent persistentvolume ${volume}`;
  }
  if (metadataOf(claim)['deletionTimestamp'] !== undefined) {
    return `persistentvolumeclaim ${quoted} is being deleted`;
  }
  if (isEphemeral && !isControlledBy(claim, pod)) {
    const full = `${pod.namespace}/${name}`;
    return `PVC ${full} was not created for pod ${pod.namespace}/${pod.name} (pod is not owner)`;
  }
  return null;
}

function isControlledBy(claim: JsonObject, { uid }: PodView): boolean {
  return objectsAt(claim, 'metadata.ownerReferences').some(
    (owner) => owner['controller'] === true && owner['uid'] === uid,
  );
}

function waitsForPod(claim: JsonObject, storage: StorageReader): boolean {
  const storageClass = storage.storageClass(classOf(claim));
  return (
    storageClass?.['volumeBindingMode'] === 'WaitForFirstConsumer' &&
    textAt(claim, 'spec.volumeName') === ''
  );
}

/** How many volumes each CSI driver can attach to the node. Absent: no limit. */
export function volumeLimits(csiNode: JsonObject): ReadonlyMap<string, number> {
  return new Map(
    objectsAt(csiNode, 'spec.drivers').flatMap((driver) =>
      typeof valueAt(driver, 'allocatable.count') === 'number'
        ? [[readText(driver['name']), numberAt(driver, 'allocatable.count')] as const]
        : [],
    ),
  );
}
