/**
 * The interface by which the scheduler reads claims, volumes and classes, and its implementation on the
 * store.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import type { ObjectStore } from '../../../../ports/api/object-store.ts';
import { csiDrivers, csiNodes, csiStorageCapacities } from '../../../kinds/storage/csi.ts';
import { persistentVolumeClaims } from '../../../kinds/storage/persistent-volume-claim.ts';
import { persistentVolumes } from '../../../kinds/storage/persistent-volume.ts';
import { storageClasses } from '../../../kinds/storage/storage-class.ts';
import { volumeAttachments } from '../../../kinds/storage/volume-attachment.ts';
import type { KindDefinition } from '../../../objects/kind.ts';
import { keyOf, prefixOf } from '../../../registry/registry.ts';

export interface StorageReader {
  claim(namespace: string, name: string): JsonObject | undefined;
  volume(name: string): JsonObject | undefined;
  volumes(): readonly JsonObject[];
  storageClass(name: string): JsonObject | undefined;
  csiNode(name: string): JsonObject | undefined;
  csiDriver(name: string): JsonObject | undefined;
  capacities(): readonly JsonObject[];
  attachments(): readonly JsonObject[];
}

export class StoredStorage implements StorageReader {
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  claim(namespace: string, name: string): JsonObject | undefined {
    return this.#get(persistentVolumeClaims, name, namespace);
  }

  volume(name: string): JsonObject | undefined {
    return this.#get(persistentVolumes, name);
  }

  volumes(): readonly JsonObject[] {
    return this.#list(persistentVolumes);
  }

  storageClass(name: string): JsonObject | undefined {
    return this.#get(storageClasses, name);
  }

  csiNode(name: string): JsonObject | undefined {
    return this.#get(csiNodes, name);
  }

  csiDriver(name: string): JsonObject | undefined {
    return this.#get(csiDrivers, name);
  }

  capacities(): readonly JsonObject[] {
    return this.#list(csiStorageCapacities);
  }

  attachments(): readonly JsonObject[] {
    return this.#list(volumeAttachments);
  }

  #get(definition: KindDefinition, name: string, namespace = ''): JsonObject | undefined {
    return this.#store.get(keyOf({ definition, namespace, name }))?.value;
  }

  #list(definition: KindDefinition): readonly JsonObject[] {
    return this.#store.list(prefixOf(definition, '')).objects.map(({ value }) => value);
  }
}
