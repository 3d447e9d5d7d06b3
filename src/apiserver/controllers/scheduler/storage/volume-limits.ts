/**
 * Counts how many volumes of each CSI driver a node would have attached with one more pod, for drivers whose
 * limit the CSINode sets. A volume that several pods of the node use counts once.
 */
import { textAt } from '../../../objects/field-path.ts';
import { readText } from '../../../../api/validation/json-reading.ts';
import type { NodeView } from '../cluster.ts';
import type { PodView } from '../pod-view.ts';
import { classOf } from './claim-facts.ts';
import { namedClaims, volumeLimits } from './pod-claims.ts';
import type { StorageReader } from './storage-reader.ts';

export interface AttachedVolumes {
  readonly driver: string;
  readonly limit: number;
  readonly count: number;
}

/** Only for drivers of which the pod adds a volume. */
export function countAttached(
  pod: PodView,
  { name, load }: NodeView,
  storage: StorageReader,
): readonly AttachedVolumes[] {
  const csiNode = storage.csiNode(name);
  const limits = csiNode ? volumeLimits(csiNode) : new Map<string, number>();
  if (limits.size === 0) return [];
  const added = new Map(volumesOf(pod, storage));
  if (added.size === 0) return [];
  const attached = new Map([...load.pods.values()].flatMap((other) => volumesOf(other, storage)));
  for (const attachment of storage.attachments()) {
    if (textAt(attachment, 'spec.nodeName') !== name) continue;
    const driver = textAt(attachment, 'spec.attacher');
    const volume = storage.volume(textAt(attachment, 'spec.source.persistentVolumeName'));
    const handle = volume ? textAt(volume, 'spec.csi.volumeHandle') : '';
    if (driver !== '' && handle !== '') attached.set(`${driver}/${handle}`, driver);
  }
  for (const id of attached.keys()) added.delete(id);
  return [...new Set(added.values())].flatMap((driver) => {
    const limit = limits.get(driver);
    if (limit === undefined) return [];
    const count = [...attached.values(), ...added.values()].filter((one) => one === driver).length;
    return [{ driver, limit, count }];
  });
}

/** The CSI volumes of a pod, each with an ID and its driver. An unbound claim counts as one volume. */
function volumesOf(pod: PodView, storage: StorageReader): readonly (readonly [string, string])[] {
  return namedClaims(pod).flatMap(({ name }): (readonly [string, string])[] => {
    const claim = storage.claim(pod.namespace, name);
    if (!claim) return [];
    const volume = storage.volume(textAt(claim, 'spec.volumeName'));
    if (volume) {
      const driver = textAt(volume, 'spec.csi.driver');
      return driver === ''
        ? []
        : [[`${driver}/${textAt(volume, 'spec.csi.volumeHandle')}`, driver]];
    }
    const driver = readText(storage.storageClass(classOf(claim))?.['provisioner']);
    return driver === '' ? [] : [[`${driver}/claim:${pod.namespace}/${name}`, driver]];
  });
}
