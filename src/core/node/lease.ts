/**
 * Builds and renews the Lease of a node, the small heartbeat object that makes frequent updates of the Node
 * unnecessary (KL-106).
 *
 * The Node owns the Lease, so the Lease is deleted with the Node. A Node that was created again has another
 * UID; a Lease that still names the old UID would be garbage-collected, so the next renewal corrects the
 * owner. Until the kubelet knows the UID, it can renew a Lease but not create one.
 */
import { formatMicroTime } from '../../api/values/time.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';

export const LEASES_PATH = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

export interface LeaseFacts {
  readonly nodeName: string;
  /** Null: the Node is not known. */
  readonly nodeUid: string | null;
  readonly durationSeconds: number;
  readonly nowMs: number;
}

/** Null: the Lease cannot be created before the UID of the Node is known. */
export function newLease(facts: LeaseFacts): JsonObject | null {
  const { nodeName, nodeUid } = facts;
  if (nodeUid === null) return null;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: nodeName,
      namespace: 'kube-node-lease',
      ownerReferences: [ownerReference(nodeName, nodeUid)],
    },
    spec: { holderIdentity: nodeName, ...renewal(facts) },
  };
}

export function renewedLease(lease: JsonObject, facts: LeaseFacts): JsonObject {
  const { metadata, spec } = lease;
  return {
    ...lease,
    metadata: withOwner(isJsonObject(metadata) ? metadata : {}, facts),
    spec: { ...(isJsonObject(spec) && spec), ...renewal(facts) },
  };
}

function renewal({ durationSeconds, nowMs }: LeaseFacts): JsonObject {
  return { leaseDurationSeconds: durationSeconds, renewTime: formatMicroTime(nowMs) };
}

function withOwner(metadata: JsonObject, { nodeName, nodeUid }: LeaseFacts): JsonObject {
  if (nodeUid === null) return metadata;
  const { ownerReferences } = metadata;
  const owners: readonly Json[] = Array.isArray(ownerReferences) ? ownerReferences : [];
  const isNode = (one: Json): boolean => isJsonObject(one) && one['kind'] === 'Node';
  const isRight = owners.some((one) => isJsonObject(one) && one['uid'] === nodeUid);
  if (isRight) return metadata;
  const others = owners.filter((one) => !isNode(one));
  return { ...metadata, ownerReferences: [ownerReference(nodeName, nodeUid), ...others] };
}

function ownerReference(name: string, uid: string): JsonObject {
  return { apiVersion: 'v1', kind: 'Node', name, uid };
}
