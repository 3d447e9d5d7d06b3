/**
 * Rules of the subresource `resize`, which changes cpu and memory of running containers.
 *
 * Nothing else can change, and the pod keeps its QoS class, because it runs in the cgroup of that class.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { changeObjects, withField, withFieldOf } from '../../../../api/validation/json-changes.ts';
import { readObjects, readStruct, readText } from '../../../../api/validation/json-reading.ts';
import { bumpPodGeneration } from './generation.ts';
import { keepMetadata } from './preserved-metadata.ts';

/** The old pod with the new resources. Validation reports containers that cannot be matched. */
export function prepareResize(pod: JsonObject, old: JsonObject): JsonObject {
  return bumpPodGeneration(keepAllButResources(pod, old), old);
}

function keepAllButResources(pod: JsonObject, old: JsonObject): JsonObject {
  const [spec, before] = [readStruct(pod['spec']), readStruct(old['spec'])];
  const lists = ['containers', 'initContainers'] as const;
  const hasSameCount = lists.every(
    (list) => readObjects(spec[list]).length === readObjects(before[list]).length,
  );
  if (!hasSameCount) return pod;
  let resized = withFieldOf(before, 'resources', spec);
  for (const list of lists) resized = resizeList(resized, list, spec);
  return withFieldOf({ ...pod, metadata: keepMetadata(pod, old), spec: resized }, 'status', old);
}

function resizeList(
  old: JsonObject,
  list: 'containers' | 'initContainers',
  spec: JsonObject,
): JsonObject {
  const wanted = readObjects(spec[list]);
  const isSameOrder = readObjects(old[list]).every(
    (container, index) => readText(container['name']) === readText(wanted[index]?.['name']),
  );
  if (!isSameOrder) return withField(old, list, wanted);
  return changeObjects(old, list, (container, index) => {
    const next = wanted[index] ?? {};
    return withFieldOf(withFieldOf(container, 'resources', next), 'resizePolicy', next);
  });
}
