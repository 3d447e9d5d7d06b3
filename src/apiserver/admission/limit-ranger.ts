/**
 * Limit ranges of a namespace: what containers get that ask for nothing, and how much a container, a
 * pod or a claim may ask for.
 *
 * Defaults are filled in on the way in; the rules are looked at afterwards, when the object is known
 * to be valid. A pod's containers change only when it is created or resized, so only then.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { Change, ObjectStore } from '../../ports/object-store.ts';
import { objectsAt, structAt } from '../kinds/field-path.ts';
import { limitRanges } from '../kinds/limit-range.ts';
import { aggregateAmounts } from '../kinds/pod-template/aggregate-resources.ts';
import { qosClassOf } from '../kinds/pod/qos.ts';
import { changeObjects } from '../kinds/validation/json-changes.ts';
import { readEntries, readStruct, readText } from '../kinds/validation/json-reading.ts';
import { readAmounts } from '../kinds/validation/quantities.ts';
import { metadataOf, nameOf, withMetadata } from '../metadata.ts';
import { prefixOf } from '../registry.ts';
import { forbidden } from '../status.ts';
import { isPod, type Admission, type AdmissionRequest } from './admission.ts';
import { checkClaim, checkDemand, type Amounts, type Demand } from './limit-ranger-rules.ts';

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

/** The pod with what its containers leave out, and a note of what that was. */
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
  // Whoever asks for something is no longer of the class of those who ask for nothing.
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

/** What the pod itself says of cpu and memory counts before the sum of its containers. */
function demandOfPod(spec: JsonObject): Demand {
  const own = readDemand(structAt(spec, 'resources'));
  const sum = (list: 'requests' | 'limits'): Amounts =>
    new Map([
      ...aggregateAmounts(spec, list),
      ...[...own[list]].filter(([name]) => POD_LEVEL.has(name)),
    ]);
  return { requests: sum('requests'), limits: sum('limits') };
}

function readDemand(resources: JsonObject): Demand {
  return { requests: readAmounts(resources['requests']), limits: readAmounts(resources['limits']) };
}
