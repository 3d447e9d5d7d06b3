/**
 * Caches storage objects during one scheduling decision: each kind is listed at most once, however many nodes
 * are checked. They cannot change meanwhile, because a decision is synchronous.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import type { StorageReader } from './storage-reader.ts';

type List = () => readonly JsonObject[];

export function listOnce(storage: StorageReader): StorageReader {
  return {
    claim: (namespace, name) => storage.claim(namespace, name),
    volume: (name) => storage.volume(name),
    volumes: once(() => storage.volumes()),
    storageClass: (name) => storage.storageClass(name),
    csiNode: (name) => storage.csiNode(name),
    csiDriver: (name) => storage.csiDriver(name),
    capacities: once(() => storage.capacities()),
    attachments: once(() => storage.attachments()),
    canProvision: (provisioner, node) => storage.canProvision(provisioner, node),
  };
}

function once(list: List): List {
  let listed: readonly JsonObject[] | null = null;
  return () => (listed ??= list());
}
