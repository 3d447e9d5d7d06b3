/**
 * Finds the PersistentVolume that a pod's PersistentVolumeClaim is bound to. hostPath and local volumes are
 * used as they are; other kinds need CSI drivers, which podkeep does not support.
 */
import type { Pod } from '../../api/pod.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { ClaimLookup } from '../../ports/api/claim-lookup.ts';
import { fileErrorText, volumeUnprocessed, volumeUnsupported } from './volume-errors.ts';
import type { HostPathSource, Volume } from './volume-spec.ts';

export interface ClaimedVolume {
  /** The name of the PersistentVolume: Events have it instead of the name in the pod's spec. */
  readonly title: string;
  readonly source: HostPathSource;
  /** Whether fsGroup applies: only to a local volume. */
  readonly isLocal: boolean;
  readonly isReadOnly: boolean;
  /** The group from the volume's gid annotation. */
  readonly group?: number | undefined;
}

const PROTECTION = 'kubernetes.io/pvc-protection';
const GROUP_ANNOTATION = 'pv.beta.kubernetes.io/gid';

export function isClaim({ persistentVolumeClaim, ephemeral }: Volume): boolean {
  return persistentVolumeClaim !== undefined || ephemeral !== undefined;
}

export async function followClaim(
  pod: Pod,
  volume: Volume,
  lookup: ClaimLookup,
  signal: AbortSignal,
): Promise<ClaimedVolume> {
  const { namespace = '', name = '' } = pod.metadata;
  const claimName = volume.persistentVolumeClaim?.claimName ?? `${name}-${volume.name}`;
  const wrap = (reason: string, cause?: unknown) =>
    volumeUnprocessed(
      { reason: `error processing PVC ${namespace}/${claimName}: ${reason}` },
      cause,
    );
  const claim = await lookup.getClaim(namespace, claimName, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw wrap(`failed to fetch PVC from API server: ${fileErrorText(error)}`, error);
  });
  const fault = faultOf(claim);
  if (fault !== null) throw wrap(fault);
  if (!volume.persistentVolumeClaim) checkOwner(pod, claim, `${namespace}/${claimName}`);
  const volumeName = textOf(objectOf(claim['spec'])['volumeName']);
  const found = await lookup.getVolume(volumeName, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    const reason = `failed to fetch PV ${volumeName} from API server: ${fileErrorText(error)}`;
    throw wrap(reason, error);
  });
  const bond = bondFaultOf(found, volumeName, textOf(objectOf(claim['metadata'])['uid']));
  if (bond !== null) throw wrap(bond);
  checkMode(volume.name, found);
  return describe(found, volumeName, volume.persistentVolumeClaim?.readOnly ?? false);
}

function faultOf(claim: JsonObject): string | null {
  const { deletionTimestamp, finalizers } = objectOf(claim['metadata']);
  const isProtected = Array.isArray(finalizers) && finalizers.includes(PROTECTION);
  if (deletionTimestamp && !isProtected) return 'PVC is being deleted';
  if (objectOf(claim['status'])['phase'] !== 'Bound') return 'PVC is not bound';
  if (!objectOf(claim['spec'])['volumeName']) return 'PVC has empty pvc.Spec.VolumeName';
  return null;
}

/**
 * Checks that an ephemeral volume's claim belongs to the pod: another user could have created a claim of that
 * name.
 */
function checkOwner(pod: Pod, claim: JsonObject, title: string): void {
  const owners = objectOf(claim['metadata'])['ownerReferences'];
  const list: readonly Json[] = Array.isArray(owners) ? owners : [];
  const isOwned = list.some(
    (owner) =>
      isJsonObject(owner) && owner['uid'] === pod.metadata.uid && owner['controller'] === true,
  );
  if (isOwned) return;
  const { namespace = '', name = '' } = pod.metadata;
  const reason = `PVC ${title} was not created for pod ${namespace}/${name} (pod is not owner)`;
  throw volumeUnprocessed({ reason });
}

function bondFaultOf(volume: JsonObject, name: string, claimUid: string): string | null {
  const reference = objectOf(volume['spec'])['claimRef'];
  if (!isJsonObject(reference)) {
    return (
      `found PV object ${name} but it has a nil pv.Spec.ClaimRef indicating it is not yet ` +
      'bound to the claim'
    );
  }
  const uid = textOf(reference['uid']);
  if (uid === claimUid) return null;
  return (
    `found PV object ${name} but its pv.Spec.ClaimRef.UID ${uid} does not point to ` +
    `claim.UID ${claimUid}`
  );
}

function checkMode(name: string, volume: JsonObject): void {
  const mode = objectOf(volume['spec'])['volumeMode'] ?? 'Filesystem';
  if (mode === 'Filesystem') return;
  const reason = `volume ${name} has volumeMode ${textOf(mode)}, but is specified in volumeMounts`;
  throw volumeUnprocessed({ reason });
}

function describe(volume: JsonObject, title: string, isReadOnly: boolean): ClaimedVolume {
  const spec = objectOf(volume['spec']);
  const { hostPath, local } = spec;
  const annotation = objectOf(objectOf(volume['metadata'])['annotations'])[GROUP_ANNOTATION];
  const group = /^\d+$/.test(textOf(annotation)) ? Number(annotation) : undefined;
  if (isJsonObject(hostPath)) {
    const source = { path: textOf(hostPath['path']), type: textOf(hostPath['type']) };
    return { title, source, isLocal: false, isReadOnly, group };
  }
  if (isJsonObject(local)) {
    // The folder of a local volume must exist already: the operator creates it together with the
    // PersistentVolume.
    const source = { path: textOf(local['path']), type: 'Directory' };
    return { title, source, isLocal: true, isReadOnly, group };
  }
  const known = new Set(['capacity', 'accessModes', 'claimRef', 'nodeAffinity', 'mountOptions']);
  const kind = Object.keys(spec).find((key) => !known.has(key) && isJsonObject(spec[key]));
  throw volumeUnsupported({ kind: kind ?? 'unknown' });
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
