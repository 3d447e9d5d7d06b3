/** Validates a resize of a running pod. */
import { structOf } from '../../../../api/schema/schema.ts';
import { semanticallyEqual } from '../../../../api/values/semantic-equal.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import type { FieldError } from '../../../../api/validation/field-error.ts';
import {
  forbiddenField,
  invalidField,
  type FieldErrors,
} from '../../../../api/validation/field-errors.ts';
import { withField, withFieldOf, withoutField } from '../../../../api/validation/json-changes.ts';
import {
  isGiven,
  readObject,
  readObjects,
  readStruct,
  readText,
  readTextMap,
} from '../../../../api/validation/json-reading.ts';
import { MIRROR_POD } from '../../../../api/pod-validation/annotations.ts';
import { qosClassOf } from '../qos.ts';
import { isSameSpec } from '../../../../api/pod-validation/update/spec-change.ts';
import { checkPod } from '../../../../api/pod-validation/pod-validation.ts';

const ONLY_CPU_AND_MEMORY = 'only cpu and memory resources are mutable';
type List = 'containers' | 'initContainers';

export function validateResize(pod: JsonObject, old: JsonObject): readonly FieldError[] {
  const [spec, before] = [readStruct(pod['spec']), readStruct(old['spec'])];
  const annotations = readTextMap(readStruct(old['metadata'])['annotations']);
  if (annotations.has(MIRROR_POD)) return [forbiddenField('[]', 'static pods cannot be resized')];
  if (readStruct(before['os'])['name'] === 'windows') {
    return [forbiddenField('[]', 'windows pods cannot be resized')];
  }
  const errors = [...checkPod(pod, old), ...checkPlace(pod, old), ...checkPodLevel(spec, before)];
  const order = [...checkOrder(spec, before)];
  if (order.length > 0) return [...errors, ...order];
  errors.push(...checkRemovals(spec, before), ...checkContainers(spec, before));
  if (errors.length > 0 || isSameSpec(undoResize(spec, before), before)) return errors;
  return [forbiddenField('spec', ONLY_CPU_AND_MEMORY)];
}

function* checkPlace(pod: JsonObject, old: JsonObject): FieldErrors {
  const qosClass = readText(readStruct(old['status'])['qosClass']) || qosClassOf(old);
  if (qosClass !== qosClassOf(pod)) {
    const shown = readText(readStruct(pod['status'])['qosClass']);
    yield invalidField('spec', shown, 'Pod QOS Class may not change as a result of resizing');
  }
  const status = readStruct(old['status']);
  // A kubelet that reports no resources for a running container is too old to resize it.
  const running = readObjects(status['containerStatuses']).find((container) =>
    isGiven(readStruct(container['state'])['running']),
  );
  if (running && !isGiven(running['resources'])) {
    yield forbiddenField('spec', 'Pod running on node without support for resize');
  }
}

function* checkPodLevel(spec: JsonObject, old: JsonObject): FieldErrors {
  const [next, before] = [readObject(spec['resources']), readObject(old['resources'])];
  if (!hasAmounts(next) && !hasAmounts(before)) return;
  if (before && !next) {
    yield forbiddenField('spec.resources', 'pod-level resources cannot be removed');
    return;
  }
  for (const list of ['requests', 'limits']) {
    if (!isRemoved(next ?? {}, before ?? {}, list)) continue;
    const detail = `pod-level resource ${list} cannot be removed`;
    yield forbiddenField(`spec.resources.${list}`, detail);
  }
  const type = structOf('core/v1.ResourceRequirements');
  if (semanticallyEqual(undoCpuAndMemory(next ?? {}, before ?? {}), before ?? {}, type)) return;
  yield forbiddenField('spec', `${ONLY_CPU_AND_MEMORY} at pod-level`);
}

function* checkOrder(spec: JsonObject, old: JsonObject): FieldErrors {
  for (const list of ['containers', 'initContainers'] as const) {
    const [after, before] = [readObjects(spec[list]), readObjects(old[list])];
    if (after.length !== before.length) {
      yield forbiddenField(`spec.${list}`, `${list} may not be added or removed on resize`);
      continue;
    }
    for (const [index, container] of before.entries()) {
      if (readText(after[index]?.['name']) === readText(container['name'])) continue;
      const detail = `${list} may not be renamed or reordered on resize`;
      yield forbiddenField(`spec.${list}[${index}].name`, detail);
    }
  }
}

function* checkRemovals(spec: JsonObject, old: JsonObject): FieldErrors {
  for (const list of ['initContainers', 'containers'] as const) {
    const after = readObjects(spec[list]);
    for (const [index, container] of readObjects(old[list]).entries()) {
      const next = readStruct(after[index]?.['resources']);
      for (const name of ['requests', 'limits']) {
        if (!isRemoved(next, readStruct(container['resources']), name)) continue;
        const field = `spec.${list}[${index}].resources.${name}`;
        yield forbiddenField(field, `resource ${name} cannot be removed`);
      }
    }
  }
}

function* checkContainers(spec: JsonObject, old: JsonObject): FieldErrors {
  const type = structOf('core/v1.Container');
  for (const [index, container] of readObjects(spec['containers']).entries()) {
    const before = readObjects(old['containers'])[index] ?? {};
    if (semanticallyEqual(undoContainer(container, before), before, type)) continue;
    yield forbiddenField('spec', ONLY_CPU_AND_MEMORY);
  }
  for (const [index, container] of readObjects(spec['initContainers']).entries()) {
    const before = readObjects(old['initContainers'])[index] ?? {};
    const path = `spec.initContainers[${index}]`;
    if (!semanticallyEqual(undoContainer(container, before), before, type)) {
      const detail = 'only cpu and memory resources for init or sidecar containers are mutable';
      yield forbiddenField(path, detail);
    }
    if (container['restartPolicy'] === 'Always') continue;
    if (semanticallyEqual(container, before, type)) continue;
    for (const policy of readObjects(container['resizePolicy'])) {
      if (policy['restartPolicy'] !== 'RestartContainer') continue;
      const detail =
        'non-sidecar init containers with a resize policy of RestartContainer cannot be resized';
      yield forbiddenField(path, detail);
    }
  }
}

function undoResize(spec: JsonObject, old: JsonObject): JsonObject {
  let undone = spec;
  for (const list of ['containers', 'initContainers'] as const)
    undone = undoList(undone, old, list);
  const [next, before] = [readObject(spec['resources']), readObject(old['resources'])];
  if (!next || (!hasAmounts(next) && !hasAmounts(before))) return undone;
  const resources = undoCpuAndMemory(next, before ?? {});
  const isNothing =
    !before && !hasAmounts(resources) && readObjects(resources['claims']).length === 0;
  return isNothing ? withoutField(undone, 'resources') : withField(undone, 'resources', resources);
}

function undoList(spec: JsonObject, old: JsonObject, list: List): JsonObject {
  if (!Array.isArray(spec[list])) return spec;
  const before = readObjects(old[list]);
  const containers = readObjects(spec[list]);
  return withField(
    spec,
    list,
    containers.map((container, index) => undoContainer(container, before[index] ?? {})),
  );
}

/** Also removes claims, which are not compared. */
function undoContainer(container: JsonObject, old: JsonObject): JsonObject {
  const next = withoutField(readStruct(container['resources']), 'claims');
  return withField(container, 'resources', undoCpuAndMemory(next, readStruct(old['resources'])));
}

function undoCpuAndMemory(resources: JsonObject, old: JsonObject): JsonObject {
  let undone = resources;
  for (const name of ['requests', 'limits']) {
    if (!isGiven(resources[name]) && !isGiven(old[name])) continue;
    let list = readStruct(undone[name]);
    for (const resource of ['cpu', 'memory']) {
      list = withFieldOf(list, resource, readStruct(old[name]));
    }
    undone = withField(undone, name, list);
  }
  return undone;
}

function isRemoved(next: JsonObject, old: JsonObject, name: string): boolean {
  const after = readStruct(next[name]);
  return Object.keys(readStruct(old[name])).some((resource) => !Object.hasOwn(after, resource));
}

function hasAmounts(resources: JsonObject | undefined): boolean {
  const { requests, limits } = resources ?? {};
  return [requests, limits].some((list) => Object.keys(readStruct(list)).length > 0);
}
