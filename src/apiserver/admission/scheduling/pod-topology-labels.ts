/**
 * Admission plugin PodTopologyLabels: copies the zone and region labels of a node to each pod that is bound
 * to that node, so that the pod's containers can read the labels by the downward API. A pod on an unknown
 * node is not changed.
 */
import { readTextMap } from '../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ObjectStore } from '../../../ports/api/object-store.ts';
import { nodes } from '../../kinds/core/node.ts';
import { structAt, textAt } from '../../objects/field-path.ts';
import { metadataOf, withMetadata } from '../../objects/metadata.ts';
import {
  isNewPod,
  isPod,
  type Admission,
  type AdmissionRequest,
} from '../../registry/admission.ts';
import { prefixOf } from '../../registry/registry.ts';

const LABELS = ['topology.kubernetes.io/region', 'topology.kubernetes.io/zone'];

export class PodTopologyLabels implements Admission {
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  admit(request: AdmissionRequest): JsonObject {
    const { object } = request;
    const name = isNewPod(request) || isBinding(request) ? textAt(object, 'spec.nodeName') : '';
    const node = name === '' ? undefined : this.#store.get(`${prefixOf(nodes, '')}${name}`)?.value;
    if (!node) return object;
    const labels = readTextMap(metadataOf(node)['labels']);
    const copied = LABELS.flatMap((label) => {
      const value = labels.get(label);
      return value === undefined ? [] : [[label, value] as const];
    });
    if (copied.length === 0) return object;
    const before = structAt(object, 'metadata.labels');
    return withMetadata(object, { labels: { ...before, ...Object.fromEntries(copied) } });
  }
}

/** A binding reaches admission as an update of the pod. */
function isBinding({ verb, definition, subresource }: AdmissionRequest): boolean {
  return verb === 'update' && subresource === 'binding' && isPod(definition);
}
