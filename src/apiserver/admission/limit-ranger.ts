/**
 * Admission plugin LimitRanger: fills in default requests and limits of containers, and enforces bounds for
 * containers, pods and PersistentVolumeClaims.
 *
 * Defaults are filled in before validation; bounds are checked after it. Both happen only when a pod is
 * created or resized: no other request can change its resources.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { Change, ObjectStore } from '../../ports/api/object-store.ts';
import { objectsAt, structAt } from '../objects/field-path.ts';
import { limitRanges } from '../kinds/core/limit-range.ts';
import { aggregateAmounts } from '../../api/pod-validation/containers/aggregate-resources.ts';
import { qosClassOf } from '../kinds/pod/qos.ts';
import { changeObjects } from '../../api/validation/json-changes.ts';
import { readEntries, readStruct, readText } from '../../api/validation/json-reading.ts';
import { readAmounts } from '../../api/validation/quantities.ts';
import { metadataOf, nameOf, withMetadata } from '../objects/metadata.ts';
import { prefixOf } from '../registry/registry.ts';
import { forbidden } from '../objects/status.ts';
import { isPod, type Admission, type AdmissionRequest } from '../registry/admission.ts';
import { checkClaim, checkDemand, type LimitAmounts, type Demand } from './limit-ranger-rules.ts';

const ANNOTATION = 'kubernetes.io/limit-ranger';
const POD_LEVEL: ReadonlySet<string> = new Set(['cpu', 'memory']);

export class LimitRanger implements Admission {
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  admit(request: AdmissionRequest): JsonObject {
    const { object } = request;
    if (!isLimited(request) || !isPod(request.definition)) return object;
    return this.#rangesOf(request).reduce(fillDefaults, object);
  }

  charge(request: AdmissionRequest): readonly Change[] {
    if (!isLimited(request)) return [];
    const { definition, object } = request;
    for (const range of this.#rangesOf(request)) {
      const found = isPod(definition) ? checkPod(range, object) : checkPvc(range, object);
      const sentences = [...new Set(found)];
      if (sentences.length === 0) continue;
      const why = sentences.length === 1 ? sentences.join('') : `[${sentences.join(', ')}]`;
      throw forbidden(definition, nameOf(object), why);
    }
    return [];
  }

  #rangesOf({ namespace }: AdmissionRequest): readonly JsonObject[] {
    return this.#store.list(prefixOf(limitRanges, namespace)).objects.map(({ value }) => value);
  }
}

function isLimited({ verb, definition, subresource, old }: AdmissionRequest): boolean {
  if (verb === 'delete' || (old && metadataOf(old)['deletionTimestamp'] !== undefined))
    return false;
  if (isPod(definition)) {
    return verb === 'create' ? subresource === null : subresource === 'resize';
  }
  return (
    definition.group === '' && definition.kind === 'PersistentVolumeClaim' && subresource === null
  );
}

/** Adds the defaults that containers omit, and an annotation that lists what was added. */
function fillDefaults(pod: JsonObject, range: JsonObject): JsonObject {
  const items = objectsAt(range, 'spec.limits').filter(({ type }) => type === 'Container');
  const merge = (list: string): JsonObject =>
    Object.fromEntries(items.flatMap((item) => readEntries(item[list])));
  const [requests, limits] = [merge('defaultRequest'), merge('default')];
  const notes: string[] = [];
  const spec = ['containers', 'initContainers'].reduce(
    (next, list) =>
      changeObjects(next, list, (container) => {
        const who = `${list === 'containers' ? 'container' : 'init container'} ${readText(container['name'])}`;
        return fillContainer(container, { requests, limits }, who, notes);
      }),
    structAt(pod, 'spec'),
  );
  if (notes.length === 0) return pod;
  const { annotations } = metadataOf(pod);
  const noted = {
    ...(isJsonObject(annotations) && annotations),
    [ANNOTATION]: `LimitRanger plugin set: ${notes.join('; ')}`,
  };
  const filled = withMetadata({ ...pod, spec }, { annotations: noted });
  // The defaults may change the QoS class.
  return { ...filled, status: { ...structAt(pod, 'status'), qosClass: qosClassOf(filled) } };
}

function fillContainer(
  container: JsonObject,
  defaults: { readonly requests: JsonObject; readonly limits: JsonObject },
  who: string,
  notes: string[],
): JsonObject {
  const resources = structAt(container, 'resources');
  const fill = (list: 'requests' | 'limits', word: string): Json => {
    const own = readStruct(resources[list]);
    const missing = readEntries(defaults[list]).filter(([name]) => !Object.hasOwn(own, name));
    if (missing.length > 0) {
      notes.push(`${missing.map(([name]) => name).join(', ')} ${word} for ${who}`);
    }
    return { ...own, ...Object.fromEntries(missing) };
  };
  const before = notes.length;
  const requests = fill('requests', 'request');
  const limits = fill('limits', 'limit');
  if (notes.length === before) return container;
  return { ...container, resources: { ...resources, limits, requests } };
}

function* checkPod(range: JsonObject, pod: JsonObject): Generator<string> {
  const spec = structAt(pod, 'spec');
  for (const item of objectsAt(range, 'spec.limits')) {
    const type = readText(item['type']);
    if (type === 'Pod') yield* checkDemand(item, type, demandOfPod(spec));
    if (type !== 'Container') continue;
    const all = [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')];
    for (const { resources } of all)
      yield* checkDemand(item, type, readDemand(readStruct(resources)));
  }
}

function* checkPvc(range: JsonObject, claim: JsonObject): Generator<string> {
  const requests = readAmounts(structAt(claim, 'spec.resources')['requests']);
  for (const item of objectsAt(range, 'spec.limits')) {
    const type = readText(item['type']);
    if (type === 'PersistentVolumeClaim') yield* checkClaim(item, type, requests);
  }
}

/** The pod-level cpu and memory take precedence over the sum of its containers. */
function demandOfPod(spec: JsonObject): Demand {
  const own = readDemand(structAt(spec, 'resources'));
  const sum = (list: 'requests' | 'limits'): LimitAmounts =>
    new Map([
      ...aggregateAmounts(spec, list),
      ...[...own[list]].filter(([name]) => POD_LEVEL.has(name)),
    ]);
  return { requests: sum('requests'), limits: sum('limits') };
}

function readDemand(resources: JsonObject): Demand {
  return { requests: readAmounts(resources['requests']), limits: readAmounts(resources['limits']) };
}
