/**
 * Refuses resizes that the kubelet would defer without end: beyond the node's allocatable resources, on a
 * node that no longer exists, or on a node without Linux.
 */
import { parseQuantity } from '../../api/values/quantity-text.ts';
import {
  compareQuantities,
  quantityMilliValue,
  quantityValue,
  type Quantity,
} from '../../api/values/quantity.ts';
import { readAmounts } from '../../api/validation/quantities.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ObjectStore } from '../../ports/api/object-store.ts';
import { nodes } from '../kinds/core/node.ts';
import { structAt, textAt, valueAt } from '../objects/field-path.ts';
import { metadataOf, nameOf } from '../objects/metadata.ts';
import { requestsOfPod } from '../objects/pod-requests.ts';
import { forbidden } from '../objects/status.ts';
import { isPod, type Admission, type AdmissionRequest } from '../registry/admission.ts';
import { keyOf } from '../registry/registry.ts';

const OS = 'kubernetes.io/os';

/** The unit in which kube-apiserver prints each resource. */
const COUNTED: readonly (readonly ['cpu' | 'memory', (amount: Quantity) => bigint])[] = [
  ['cpu', quantityMilliValue],
  ['memory', quantityValue],
];

export class PodResize implements Admission {
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  admit({ object }: AdmissionRequest): JsonObject {
    return object;
  }

  review({ verb, definition, subresource, object, old }: AdmissionRequest): void {
    if (verb !== 'update' || subresource !== 'resize' || !isPod(definition) || !old) return;
    const name = textAt(object, 'spec.nodeName');
    // A changed generation means a changed spec.
    const isChanged = metadataOf(object)['generation'] !== metadataOf(old)['generation'];
    if (name === '' || !isChanged) return;
    const node = this.#store.get(keyOf({ definition: nodes, namespace: '', name }))?.value;
    const pod = nameOf(object);
    if (!node) throw forbidden(definition, pod, `node ${JSON.stringify(name)} not found`);
    const os = labelOf(node, OS);
    if (os !== undefined && os !== 'linux') {
      const which = `node ${JSON.stringify(name)} is ${JSON.stringify(os)}`;
      const why = `pod resize is only supported on linux nodes, ${which}`;
      throw forbidden(definition, pod, why, [{ reason: 'UnsupportedPlatform' }]);
    }
    const excess = excessOf(object, node);
    if (excess.length === 0) return;
    const why = `node didn't have enough allocatable resources: ${excess.join('; ')}`;
    throw forbidden(definition, pod, why, [{ reason: 'NodeCapacity' }]);
  }
}

function excessOf(pod: JsonObject, node: JsonObject): readonly string[] {
  const requests = requestsOfPod(pod);
  const allocatable = new Map(readAmounts(valueAt(node, 'status.allocatable')));
  return COUNTED.flatMap(([resource, count]) => {
    const requested = parseQuantity(String(requests[resource] ?? '0'));
    const available = allocatable.get(resource) ?? parseQuantity('0');
    if (compareQuantities(requested, available) <= 0) return [];
    return [`${resource}, requested: ${count(requested)}, allocatable: ${count(available)}`];
  });
}

function labelOf(object: JsonObject, key: string): string | undefined {
  const value = structAt(object, 'metadata.labels')[key];
  return typeof value === 'string' ? value : undefined;
}
