/**
 * Checks the mirror pods that a kubelet creates for its static pods: they must not give the kubelet access to
 * any API object.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { objectsAt, textAt } from '../../objects/field-path.ts';
import { isGiven, readTextMap } from '../../../api/validation/json-reading.ts';
import { metadataOf, textOf } from '../../objects/metadata.ts';
import { configMapsOf, secretsOf, sourcesOf, volumesOf } from '../../admission/pod-references.ts';

const MIRROR = 'kubernetes.io/config.mirror';

/** The reason why the node may not create this pod. Null: it may. */
export function checkMirrorPod(
  pod: JsonObject,
  node: string,
  findNode: () => JsonObject,
): string | null {
  const who = `node ${JSON.stringify(node)}`;
  if (!readTextMap(metadataOf(pod)['annotations']).has(MIRROR)) {
    const annotation = JSON.stringify(MIRROR);
    return `pod does not have ${annotation} annotation, ${who} can only create mirror pods`;
  }
  if (textAt(pod, 'spec.nodeName') !== node) {
    return `${who} can only create pods with spec.nodeName set to itself`;
  }
  const why = checkOwner(pod, node, findNode);
  if (why !== null) return why;
  const reference = referenceOf(pod);
  return reference === null ? null : `${who} can not create pods that reference ${reference}`;
}

function checkOwner(pod: JsonObject, node: string, findNode: () => JsonObject): string | null {
  const who = `node ${JSON.stringify(node)}`;
  const [reference, ...more] = objectsAt(pod, 'metadata.ownerReferences');
  if (more.length > 0) {
    return `${who} can only create pods with a single owner reference set to itself`;
  }
  const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = reference ?? {};
  if (apiVersion !== 'v1' || kind !== 'Node' || name !== node) {
    return `${who} can only create pods with an owner reference set to itself`;
  }
  if (controller !== true) {
    return `${who} can only create pods with a controller owner reference set to itself`;
  }
  if (blockOwnerDeletion === true) {
    return `${who} must not set blockOwnerDeletion on an owner reference`;
  }
  const actual = textOf(metadataOf(findNode())['uid']);
  if (uid === actual) return null;
  return `node ${node} UID mismatch: expected ${textOf(uid)} got ${actual}`;
}

/** In the order in which kube-apiserver checks them. */
const VOLUME_REFERENCES = [
  ['csi', 'csidrivers (via CSI volumes)'],
  ['glusterfs', 'endpoints (via glusterFS volumes)'],
  ['persistentVolumeClaim', 'persistentvolumeclaims'],
  ['ephemeral', 'persistentvolumeclaims (via ephemeral volumes)'],
] as const;

const SOURCE_REFERENCES = [
  ['serviceAccountToken', 'serviceaccounts (via projected volumes)'],
  ['clusterTrustBundle', 'clustertrustbundles'],
  ['podCertificate', 'podcertificates'],
] as const;

/** The kind of API object that the pod refers to. Null: it refers to none. */
function referenceOf(pod: JsonObject): string | null {
  if (textAt(pod, 'spec.serviceAccountName') !== '') return 'serviceaccounts';
  if (secretsOf(pod).length > 0) return 'secrets';
  if (configMapsOf(pod).length > 0) return 'configmaps';
  if (objectsAt(pod, 'spec.resourceClaims').length > 0) return 'resourceclaims';
  for (const volume of volumesOf(pod)) {
    const found =
      findGiven(volume, VOLUME_REFERENCES) ??
      sourcesOf(volume)
        .map((source) => findGiven(source, SOURCE_REFERENCES))
        .find((one) => one !== null);
    if (found) return found;
  }
  return null;
}

function findGiven(
  object: JsonObject,
  table: readonly (readonly [field: string, what: string])[],
): string | null {
  return table.find(([field]) => isGiven(object[field]))?.[1] ?? null;
}
