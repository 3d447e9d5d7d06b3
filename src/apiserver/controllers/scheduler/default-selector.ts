/**
 * Finds the label selector of the Services and the controller of a pod. Pods that it selects are spread over
 * hosts and zones by default.
 */
import type { LabelRequirement, LabelSelector } from '../../../api/values/label-selector.ts';
import { matchesLabels } from '../../../api/values/label-selector.ts';
import { readEntries, readText } from '../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ObjectStore } from '../../../ports/api/object-store.ts';
import { replicaSets } from '../../kinds/apps/replica-set.ts';
import { replicationControllers } from '../../kinds/apps/replication-controller.ts';
import { statefulSets } from '../../kinds/apps/stateful-set.ts';
import { services } from '../../kinds/networking/service.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import { objectsAt, structAt, valueAt } from '../../objects/field-path.ts';
import { keyOf, prefixOf } from '../../registry/registry.ts';
import { readTermSelector } from './affinity-term.ts';
import type { PodView } from './pod-view.ts';

const OWNERS: ReadonlyMap<string, KindDefinition> = new Map([
  ['v1/ReplicationController', replicationControllers],
  ['apps/v1/ReplicaSet', replicaSets],
  ['apps/v1/StatefulSet', statefulSets],
]);

/** Empty: no Service and no controller selects the pod. */
export function findDefaultSelector(store: ObjectStore, pod: PodView): LabelSelector {
  const labels = new Map<string, string>();
  for (const { value } of store.list(prefixOf(services, pod.namespace)).objects) {
    const selector = selectorOf(value);
    if (selector.length === 0 || !matchesLabels(selector, pod.labels)) continue;
    for (const { key, values } of selector) labels.set(key, values[0] ?? '');
  }
  const owner = ownerOf(store, pod);
  if (owner && owner.isMap) {
    for (const { key, values } of owner.selector) labels.set(key, values[0] ?? '');
  }
  const ofLabels = [...labels].map(([key, value]) => equals(key, value));
  return owner && !owner.isMap ? [...ofLabels, ...owner.selector] : ofLabels;
}

interface Owner {
  readonly selector: LabelSelector;
  /** True: a map of labels, which overrides those of Services. */
  readonly isMap: boolean;
}

function ownerOf(store: ObjectStore, { object, namespace }: PodView): Owner | undefined {
  const reference = objectsAt(object, 'metadata.ownerReferences').find(
    ({ controller }) => controller === true,
  );
  if (!reference) return undefined;
  const kind = `${readText(reference['apiVersion'])}/${readText(reference['kind'])}`;
  const definition = OWNERS.get(kind);
  if (!definition) return undefined;
  const name = readText(reference['name']);
  const owner = store.get(keyOf({ definition, namespace, name }))?.value;
  if (!owner) return undefined;
  if (definition === replicationControllers) return { selector: selectorOf(owner), isMap: true };
  const selector = readTermSelector(valueAt(owner, 'spec.selector'));
  return selector ? { selector, isMap: false } : undefined;
}

function selectorOf(object: JsonObject): LabelSelector {
  return readEntries(structAt(object, 'spec')['selector']).map(([key, value]) =>
    equals(key, readText(value)),
  );
}

function equals(key: string, value: string): LabelRequirement {
  return { key, operator: '=', values: [value] };
}
