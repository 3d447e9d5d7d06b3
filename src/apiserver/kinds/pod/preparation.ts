/** Sets the fields of a pod that the server determines before validation, on create and on updates. */
import type { Json, JsonObject } from '../../../lib/json.ts';
import {
  changeObject,
  changeObjects,
  withField,
  withFieldOf,
  withoutField,
} from '../../../api/validation/json-changes.ts';
import {
  readNumber,
  readObject,
  readObjects,
  readStruct,
  readText,
  readTextMap,
} from '../../../api/validation/json-reading.ts';
import { syncAppArmor } from './app-armor-sync.ts';
import { bumpPodGeneration } from './update/generation.ts';
import { addLabelKeysToSelectors } from './label-key-expressions.ts';
import { qosClassOf } from './qos.ts';

/** A new pod is Pending, whatever status the client sent. */
export function prepareForCreate(pod: JsonObject): JsonObject {
  const metadata = withField(readStruct(pod['metadata']), 'generation', 1);
  const status = { phase: 'Pending', qosClass: qosClassOf(pod), ...conditionsFor(pod) };
  const labels = readTextMap(metadata['labels']);
  const prepared = changeObject(pod, 'spec', (spec) => addLabelKeysToSelectors(spec, labels));
  return syncAppArmor({ ...prepared, metadata, status });
}

/** An update of a pod does not change its status. */
export function prepareForUpdate(pod: JsonObject, old: JsonObject): JsonObject {
  return bumpPodGeneration(withFieldOf(pod, 'status', old), old);
}

/**
 * An update of the status changes nothing else, except labels, annotations and finalizers. Values that the
 * server has set before are kept if the new status omits them.
 */
export function prepareForStatusUpdate(pod: JsonObject, old: JsonObject): JsonObject {
  const before = readStruct(old['metadata']);
  let metadata = readStruct(pod['metadata']);
  for (const name of ['deletionTimestamp', 'ownerReferences']) {
    metadata = withFieldOf(metadata, name, before);
  }
  const status = keepObserved(readStruct(pod['status']), readStruct(old['status']));
  return withFieldOf({ ...pod, metadata, status }, 'spec', old);
}

function conditionsFor(pod: JsonObject): JsonObject {
  if (readObjects(readStruct(pod['spec'])['schedulingGates']).length === 0) return {};
  const gated = {
    lastProbeTime: null,
    lastTransitionTime: readStruct(pod['metadata'])['creationTimestamp'] ?? null,
    message: 'Scheduling is blocked due to non-empty scheduling gates',
    reason: 'SchedulingGated',
    status: 'False',
    type: 'PodScheduled',
  };
  return { conditions: [gated] };
}

function keepObserved(status: JsonObject, old: JsonObject): JsonObject {
  let next = status;
  if (readText(next['qosClass']) === '') next = withFieldOf(next, 'qosClass', old);
  next = keepGeneration(next, old['observedGeneration']);
  const known = generationsByType(old);
  return changeObjects(next, 'conditions', (condition) =>
    // A condition type may occur twice; then the conditions are matched in order.
    keepGeneration(condition, known.get(readText(condition['type']))?.shift()),
  );
}

function keepGeneration(holder: JsonObject, before: Json | undefined): JsonObject {
  if (readNumber(holder['observedGeneration']) !== 0) return holder;
  const generation = readNumber(before);
  if (generation === 0) return withoutField(holder, 'observedGeneration');
  return withField(holder, 'observedGeneration', generation);
}

function generationsByType(status: JsonObject): ReadonlyMap<string, Json[]> {
  const generations = new Map<string, Json[]>();
  for (const condition of readObjects(readObject(status)?.['conditions'])) {
    const type = readText(condition['type']);
    const known = generations.get(type) ?? [];
    known.push(readNumber(condition['observedGeneration']));
    generations.set(type, known);
  }
  return generations;
}
