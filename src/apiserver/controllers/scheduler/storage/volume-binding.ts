/**
 * Finds volumes for the unbound claims of a pod on a given node: existing free volumes, or new ones that a
 * provisioner creates there (kube-scheduler's VolumeBinding).
 */
import { quantityValue } from '../../../../api/values/quantity.ts';
import { compareQuantities } from '../../../../api/values/quantity.ts';
import { matchesLabels, type Labels } from '../../../../api/values/label-selector.ts';
import { readAmount } from '../../../../api/validation/quantities.ts';
import {
  isGiven,
  readObjects,
  readText,
  readTexts,
} from '../../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { objectsAt, textAt, valueAt } from '../../../objects/field-path.ts';
import { nameOf } from '../../../objects/metadata.ts';
import { readTermSelector } from '../affinity-term.ts';
import type { NodeIdentity } from '../node-affinity.ts';
import {
  annotationOf,
  claimKey,
  classOf,
  findVolumeFor,
  isVolumeReachable,
  requestedStorage,
  SELECTED_NODE,
} from './claim-facts.ts';
import type { PodClaims } from './pod-claims.ts';
import type { StorageReader } from './storage-reader.ts';

export interface VolumeBindings {
  readonly existing: readonly { readonly claim: JsonObject; readonly volume: JsonObject }[];
  /** Claims whose volumes are to be created on the node. */
  readonly provisioned: readonly JsonObject[];
}

export type VolumeAnswer =
  | { readonly type: 'bindings'; readonly bindings: VolumeBindings }
  | { readonly type: 'refused'; readonly reasons: readonly string[] };

/** Volumes and nodes that are reserved for other pods while their claims are being bound. */
export interface VolumePromises {
  /** The names of reserved volumes. */
  readonly volumes: ReadonlySet<string>;
  /** The node that was selected for a claim, by `claimKey`. */
  readonly nodes: ReadonlyMap<string, string>;
}

const NOT_REACHABLE = "node(s) didn't match PersistentVolume's node affinity";
const NOTHING_TO_BIND = "node(s) didn't find available persistent volumes to bind";
const NOT_ENOUGH = 'node(s) did not have enough free storage';
const VOLUME_GONE = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

export function findBindings(
  { bound, waiting }: PodClaims,
  node: NodeIdentity,
  storage: StorageReader,
  promises: VolumePromises,
): VolumeAnswer {
  const reasons = boundReasons(bound, node, storage);
  const provisioned: JsonObject[] = [];
  const unmatched: JsonObject[] = [];
  for (const claim of waiting) {
    const selected = promises.nodes.get(claimKey(claim)) ?? annotationOf(claim, SELECTED_NODE);
    if (selected === undefined) unmatched.push(claim);
    else if (selected === node.name) provisioned.push(claim);
    else return { type: 'refused', reasons: [...reasons, NOTHING_TO_BIND] };
  }
  const existing: { claim: JsonObject; volume: JsonObject }[] = [];
  const taken = new Set(promises.volumes);
  const volumes = unmatched.length > 0 ? storage.volumes() : [];
  for (const claim of bySize(unmatched)) {
    const volume = findVolumeFor(claim, volumes, node, taken);
    if (volume) {
      taken.add(nameOf(volume));
      existing.push({ claim, volume });
    } else provisioned.push(claim);
  }
  for (const claim of provisioned) {
    const problem = provisioningProblem(claim, node, storage);
    if (problem !== null) return { type: 'refused', reasons: [...reasons, problem] };
  }
  if (reasons.length > 0) return { type: 'refused', reasons };
  return { type: 'bindings', bindings: { existing, provisioned } };
}

function boundReasons(
  bound: readonly JsonObject[],
  node: NodeIdentity,
  storage: StorageReader,
): readonly string[] {
  for (const claim of bound) {
    const volume = storage.volume(textAt(claim, 'spec.volumeName'));
    if (!volume) return [VOLUME_GONE];
    if (!isVolumeReachable(volume, node)) return [NOT_REACHABLE];
  }
  return [];
}

function bySize(claims: readonly JsonObject[]): readonly JsonObject[] {
  return claims.toSorted((a, b) => compareQuantities(requestedStorage(a), requestedStorage(b)));
}

/** Null: the provisioner can create a volume for the node. */
function provisioningProblem(
  claim: JsonObject,
  { name, labels }: NodeIdentity,
  storage: StorageReader,
): string | null {
  const storageClass = storage.storageClass(classOf(claim));
  const provisioner = readText(storageClass?.['provisioner']);
  if (!storageClass || provisioner === '' || provisioner === NO_PROVISIONER) {
    return NOTHING_TO_BIND;
  }
  if (!storage.canProvision(provisioner, name) || !isAllowedTopology(storageClass, labels)) {
    return NOTHING_TO_BIND;
  }
  return hasCapacity(claim, storageClass, labels, storage) ? null : NOT_ENOUGH;
}

/** One of the terms of allowedTopologies matches, if there are any. */
export function isAllowedTopology(storageClass: JsonObject, labels: Labels): boolean {
  const terms = readObjects(storageClass['allowedTopologies']);
  return (
    terms.length === 0 ||
    terms.some((term) => {
      const expressions = objectsAt(term, 'matchLabelExpressions');
      return (
        expressions.length > 0 &&
        expressions.every(({ key, values }) => {
          const label = labels[readText(key)];
          return label !== undefined && readTexts(values).includes(label);
        })
      );
    })
  );
}

/**
 * Where the driver publishes CSIStorageCapacity, some of it must be large enough and reachable from the node.
 */
function hasCapacity(
  claim: JsonObject,
  storageClass: JsonObject,
  labels: Labels,
  storage: StorageReader,
): boolean {
  if (!isGiven(valueAt(claim, 'spec.resources.requests.storage'))) return true;
  const driver = storage.csiDriver(readText(storageClass['provisioner']));
  if (!driver || valueAt(driver, 'spec.storageCapacity') !== true) return true;
  const bytes = quantityValue(requestedStorage(claim));
  return storage.capacities().some((capacity) => {
    if (capacity['storageClassName'] !== nameOf(storageClass)) return false;
    const limit = capacity['maximumVolumeSize'] ?? capacity['capacity'];
    if (!isGiven(limit) || quantityValue(readAmount(limit)) < bytes) return false;
    const topology = readTermSelector(capacity['nodeTopology']);
    return topology !== null && matchesLabels(topology, labels);
  });
}
