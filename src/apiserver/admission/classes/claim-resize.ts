/**
 * PersistentVolumeClaimResize: only a bound claim may request more storage, and only if its class allows volumes
 * to grow.
 */
import { compareQuantities } from '../../../api/values/quantity.ts';
import { readAmount } from '../../../api/validation/quantities.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ObjectStore } from '../../../ports/api/object-store.ts';
import { persistentVolumeClaims, printClass } from '../../kinds/storage/persistent-volume-claim.ts';
import { storageClasses } from '../../kinds/storage/storage-class.ts';
import { textAt, valueAt } from '../../objects/field-path.ts';
import { nameOf } from '../../objects/metadata.ts';
import { forbidden } from '../../objects/status.ts';
import type { Admission, AdmissionRequest } from '../../registry/admission.ts';
import { keyOf } from '../../registry/registry.ts';

const REQUEST = 'spec.resources.requests.storage';
const NOT_BOUND = 'Only bound persistent volume claims can be expanded';
const NOT_ALLOWED =
  'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must ' +
  'support resize';

export class ClaimResize implements Admission {
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  admit({ object }: AdmissionRequest): JsonObject {
    return object;
  }

  review({ verb, definition, subresource, object, old }: AdmissionRequest): void {
    const { group, kind } = persistentVolumeClaims;
    if (definition.group !== group || definition.kind !== kind) return;
    if (verb !== 'update' || subresource !== null || !old) return;
    const [size, before] = [object, old].map((claim) => readAmount(valueAt(claim, REQUEST)));
    if (!size || !before || compareQuantities(size, before) <= 0) return;
    if (textAt(old, 'status.phase') !== 'Bound') {
      throw forbidden(definition, nameOf(object), NOT_BOUND);
    }
    if (!this.#mayGrow(object, old)) throw forbidden(definition, nameOf(object), NOT_ALLOWED);
  }

  #mayGrow(claim: JsonObject, old: JsonObject): boolean {
    const name = printClass(claim);
    if (name === '' || name !== printClass(old)) return false;
    const key = keyOf({ definition: storageClasses, namespace: '', name });
    return this.#store.get(key)?.value['allowVolumeExpansion'] === true;
  }
}
