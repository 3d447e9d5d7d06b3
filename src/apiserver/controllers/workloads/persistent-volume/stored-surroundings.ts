/** Reads from the store what the decision about a claim depends on. */
import type { JsonObject } from '../../../../lib/json.ts';
import type { ObjectStore } from '../../../../ports/api/object-store.ts';
import { nameOfDefaultClass } from '../../../admission/classes/default-class.ts';
import { pods } from '../../../kinds/core/pods.ts';
import { persistentVolumes } from '../../../kinds/storage/persistent-volume.ts';
import { volumeClaimNamesOf } from '../../../kinds/storage/protection.ts';
import { storageClasses } from '../../../kinds/storage/storage-class.ts';
import { textAt } from '../../../objects/field-path.ts';
import type { KindDefinition } from '../../../objects/kind.ts';
import { metadataOf, nameOf, textOf } from '../../../objects/metadata.ts';
import { keyOf, prefixOf } from '../../../registry/registry.ts';
import type { ClaimSurroundings } from './claim-plan.ts';

const ENDED: ReadonlySet<string> = new Set(['Succeeded', 'Failed']);

export class StoredSurroundings implements ClaimSurroundings {
  readonly #store: ObjectStore;
  readonly #claim: JsonObject;

  constructor(store: ObjectStore, claim: JsonObject) {
    this.#store = store;
    this.#claim = claim;
  }

  volume(name: string): JsonObject | undefined {
    return this.#get(persistentVolumes, name);
  }

  volumes(): readonly JsonObject[] {
    return this.#store.list(prefixOf(persistentVolumes, '')).objects.map(({ value }) => value);
  }

  storageClass(name: string): JsonObject | undefined {
    return this.#get(storageClasses, name);
  }

  defaultClass(): string | undefined {
    return nameOfDefaultClass(this.#store);
  }

  unscheduledPods(): readonly string[] {
    const namespace = textOf(metadataOf(this.#claim)['namespace']);
    const name = nameOf(this.#claim);
    return this.#store
      .list(prefixOf(pods, namespace))
      .objects.map(({ value }) => value)
      .filter((pod) => textAt(pod, 'spec.nodeName') === '')
      .filter((pod) => !ENDED.has(textAt(pod, 'status.phase')))
      .filter((pod) => volumeClaimNamesOf(pod).includes(name))
      .map(nameOf);
  }

  #get(definition: KindDefinition, name: string): JsonObject | undefined {
    return this.#store.get(keyOf({ definition, namespace: '', name }))?.value;
  }
}
