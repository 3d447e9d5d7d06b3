/**
 * The filters for volumes: volumes that only one pod may use (VolumeRestrictions), how many volumes a node
 * can attach (NodeVolumeLimits), and from which nodes a volume is reachable (VolumeBinding, VolumeZone).
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { readText, readTexts } from '../../../../api/validation/json-reading.ts';
import { objectsAt, structAt, textAt } from '../../../objects/field-path.ts';
import { nameOf } from '../../../objects/metadata.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import type { Cluster, NodeView } from '../cluster.ts';
import type { PodView } from '../pod-view.ts';
import { refuseNode, type NodeFilter, type PodCounts, type Refusal } from '../refusal.ts';
import { findBindings, type VolumePromises } from './volume-binding.ts';
import { listOnce } from './cycle-storage.ts';
import { namedClaims, type PodClaims } from './pod-claims.ts';
import type { StorageReader } from './storage-reader.ts';
import { countAttached } from './volume-limits.ts';

const IN_USE =
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod';
const DISK_CONFLICT = 'node(s) had no available disk';
const ZONE_CONFLICT = 'node(s) had no available volume zone';
const LIMIT_EXCEEDED = 'node(s) exceed max volume count';
const DISKS = ['gcePersistentDisk', 'awsElasticBlockStore', 'iscsi', 'rbd'];
const ZONES: ReadonlyMap<string, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['topology.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['topology.kubernetes.io/region', 'topology.kubernetes.io/region'],
]);

export interface VolumeDeps {
  readonly storage: StorageReader;
  readonly promises: VolumePromises;
  readonly cluster: Pick<Cluster, 'isClaimUsed'>;
}

export function volumeFilters(
  pod: PodView,
  claims: PodClaims,
  { storage: stored, promises, cluster }: VolumeDeps,
): readonly NodeFilter[] {
  const disks = objectsAt(pod.object, 'spec.volumes').filter(isDisk);
  const inUse = [...claims.exclusive].filter((claim) => cluster.isClaimUsed(pod.namespace, claim));
  const filters: NodeFilter[] = [];
  if (disks.length > 0 || inUse.length > 0) {
    filters.push(new RestrictionFilter(pod.namespace, claims.exclusive, disks, inUse.length));
  }
  if (namedClaims(pod).length === 0) return filters;
  const storage = listOnce(stored);
  const zones = claims.bound.flatMap((claim) => {
    const volume = storage.volume(textAt(claim, 'spec.volumeName'));
    return volume && pod.claimNames.includes(nameOf(claim)) ? zonesOf(volume) : [];
  });
  filters.push(
    { check: (node) => checkLimits(pod, node, storage) },
    {
      check: (node) => {
        const answer = findBindings(claims, node, storage, promises);
        if (answer.type === 'bindings') return null;
        return { plugin: 'VolumeBinding', reasons: answer.reasons, isResolvable: false };
      },
    },
    { check: ({ labels }) => checkZones(zones, labels) },
  );
  return filters;
}

/** Whether the pod would get a disk or a claim if the other pod were removed. */
export function wantsVolumeOf(pod: PodView, other: PodView): boolean {
  if (pod.namespace !== other.namespace) return false;
  if (pod.claimNames.some((claim) => other.claimNames.includes(claim))) return true;
  return objectsAt(pod.object, 'spec.volumes')
    .filter(isDisk)
    .some((disk) => conflicts(disk, other));
}

class RestrictionFilter implements NodeFilter, PodCounts {
  readonly #namespace: string;
  readonly #exclusive: ReadonlySet<string>;
  readonly #disks: readonly JsonObject[];
  #inUse: number;

  constructor(
    namespace: string,
    exclusive: ReadonlySet<string>,
    disks: readonly JsonObject[],
    inUse: number,
  ) {
    this.#namespace = namespace;
    this.#exclusive = exclusive;
    this.#disks = disks;
    this.#inUse = inUse;
  }

  get counts(): PodCounts {
    return this;
  }

  check({ load }: NodeView): Refusal | null {
    for (const disk of this.#disks) {
      for (const other of load.pods.values()) {
        if (conflicts(disk, other)) return refuseNode('VolumeRestrictions', DISK_CONFLICT, true);
      }
    }
    return this.#inUse > 0 ? refuseNode('VolumeRestrictions', IN_USE, true) : null;
  }

  change(pod: PodView, _node: NodeView, sign: 1 | -1): void {
    if (pod.namespace !== this.#namespace) return;
    this.#inUse += sign * pod.claimNames.filter((claim) => this.#exclusive.has(claim)).length;
  }

  copy(): NodeFilter {
    return new RestrictionFilter(this.#namespace, this.#exclusive, this.#disks, this.#inUse);
  }
}

function isDisk(volume: JsonObject): boolean {
  return DISKS.some((kind) => volume[kind] !== undefined && volume[kind] !== null);
}

function conflicts(disk: JsonObject, { object }: PodView): boolean {
  return objectsAt(object, 'spec.volumes').some((other) =>
    DISKS.some((kind) => {
      if (!isDisk({ [kind]: disk[kind] ?? null }) || !isDisk({ [kind]: other[kind] ?? null })) {
        return false;
      }
      return isSameDisk(kind, structAt(disk, kind), structAt(other, kind));
    }),
  );
}

function isSameDisk(kind: string, a: JsonObject, b: JsonObject): boolean {
  const bothReadOnly = a['readOnly'] === true && b['readOnly'] === true;
  const isSame = (field: string): boolean => readText(a[field]) === readText(b[field]);
  switch (kind) {
    case 'gcePersistentDisk':
      return isSame('pdName') && !bothReadOnly;
    case 'awsElasticBlockStore':
      return isSame('volumeID');
    case 'iscsi':
      return isSame('iqn') && !bothReadOnly;
    default: {
      const monitors = readTexts(b['monitors']);
      const overlaps = readTexts(a['monitors']).some((monitor) => monitors.includes(monitor));
      return overlaps && isSame('pool') && isSame('image') && !bothReadOnly;
    }
  }
}

function checkLimits(pod: PodView, node: NodeView, storage: StorageReader): Refusal | null {
  return countAttached(pod, node, storage).some(({ count, limit }) => count > limit)
    ? refuseNode('NodeVolumeLimits', LIMIT_EXCEEDED, true)
    : null;
}

interface VolumeZone {
  readonly key: string;
  readonly values: ReadonlySet<string>;
}

/** The zones and regions in the labels of a volume; several zones are joined by `__`. */
function zonesOf(volume: JsonObject): readonly VolumeZone[] {
  const labels = labelsOf(volume);
  return [...ZONES.keys()].flatMap((key) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    return value === undefined ? [] : [{ key, values: new Set(value.split('__')) }];
  });
}

/** A node without any zone label matches every volume. */
function checkZones(zones: readonly VolumeZone[], labels: NodeView['labels']): Refusal | null {
  if (zones.length === 0) return null;
  if (![...ZONES.keys()].some((key) => Object.hasOwn(labels, key))) return null;
  const isReachable = zones.every(({ key, values }) => {
    const own = labels[key] ?? labels[ZONES.get(key) ?? key];
    return own !== undefined && values.has(own);
  });
  return isReachable ? null : refuseNode('VolumeZone', ZONE_CONFLICT);
}
