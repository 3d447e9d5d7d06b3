/** The claims, volumes and classes that the scheduler reads; here from the store. */
import { LOCAL_PROVISIONER } from '../../../../api/local-provisioner.ts';
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
  /** Could the provisioner create a volume for this node? Provisioners that podkeep does not know can. */
  canProvision(provisioner: string, node: string): boolean;
}

export class StoredStorage implements StorageReader {
  readonly #store: ObjectStore;
  readonly #localNode: string | undefined;

  /** `localNode`: the only one on which the local provisioner creates volumes; absent: it does not run. */
  constructor(store: ObjectStore, localNode?: string) {
    this.#store = store;
    this.#localNode = localNode;
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

  canProvision(provisioner: string, node: string): boolean {
    if (provisioner !== LOCAL_PROVISIONER || this.#localNode === undefined) return true;
    return node === this.#localNode;
  }

  #get(definition: KindDefinition, name: string, namespace = ''): JsonObject | undefined {
    return this.#store.get(keyOf({ definition, namespace, name }))?.value;
  }

  #list(definition: KindDefinition): readonly JsonObject[] {
    return this.#store.list(prefixOf(definition, '')).objects.map(({ value }) => value);
  }
}
