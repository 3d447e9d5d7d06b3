/**
 * Admission plugin RuntimeClass: a new pod that names a RuntimeClass must name an existing one. It gets the
 * overhead of the class, which is added to its requests, and the node selector and tolerations for nodes with
 * that runtime.
 *
 * The overhead is checked again after all mutations, because a webhook may have changed it.
 */
import { compareQuantities } from '../../../api/values/quantity.ts';
import {
  isGiven,
  readEntries,
  readObject,
  readStruct,
  readText,
} from '../../../api/validation/json-reading.ts';
import { readAmounts } from '../../../api/validation/quantities.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import type { ObjectStore } from '../../../ports/api/object-store.ts';
import { runtimeClasses } from '../../kinds/core/runtime-class.ts';
import { objectsAt, structAt } from '../../objects/field-path.ts';
import { forbidden } from '../../objects/status.ts';
import { isNewPod, type Admission, type AdmissionRequest } from '../../registry/admission.ts';
import { prefixOf } from '../../registry/registry.ts';
import { mergeTolerations } from './merged-tolerations.ts';

const OVERHEAD_DIFFERS =
  "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const OVERHEAD_ALONE =
  'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';

export class RuntimeClassAdmission implements Admission {
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  admit(request: AdmissionRequest): JsonObject {
    const { object } = request;
    const runtimeClass = isNewPod(request) ? this.#classOf(request) : undefined;
    if (!runtimeClass) return object;
    const spec = withScheduling(request, withOverhead(request, runtimeClass), runtimeClass);
    return { ...object, spec };
  }

  review(request: AdmissionRequest): void {
    if (!isNewPod(request)) return;
    const overhead = overheadOf(this.#classOf(request));
    const given = structAt(request.object, 'spec')['overhead'];
    if (overhead && !areAmountsEqual(overhead, given)) throw refuse(request, OVERHEAD_DIFFERS);
    if (!overhead && isGiven(given)) throw refuse(request, OVERHEAD_ALONE);
  }

  /** Undefined: the pod names none. */
  #classOf(request: AdmissionRequest): JsonObject | undefined {
    const given = structAt(request.object, 'spec')['runtimeClassName'];
    if (!isGiven(given)) return undefined;
    const name = readText(given);
    const stored = this.#store.get(`${prefixOf(runtimeClasses, '')}${name}`)?.value;
    if (stored) return stored;
    throw refuse(request, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
  }
}

function withOverhead(request: AdmissionRequest, runtimeClass: JsonObject): JsonObject {
  const spec = structAt(request.object, 'spec');
  const overhead = overheadOf(runtimeClass);
  if (!overhead) return spec;
  const isSet = Object.keys(readStruct(spec['overhead'])).length > 0;
  if (isSet && !areAmountsEqual(overhead, spec['overhead'])) {
    throw refuse(request, OVERHEAD_DIFFERS);
  }
  const { overhead: _, ...others } = spec;
  return Object.keys(overhead).length === 0 ? others : { ...spec, overhead };
}

function withScheduling(
  request: AdmissionRequest,
  spec: JsonObject,
  runtimeClass: JsonObject,
): JsonObject {
  const scheduling = readObject(runtimeClass['scheduling']);
  if (!scheduling) return spec;
  const selector: Record<string, Json> = { ...readStruct(spec['nodeSelector']) };
  for (const [key, value] of readEntries(scheduling['nodeSelector'])) {
    const given = Object.hasOwn(selector, key) ? selector[key] : undefined;
    if (given !== undefined && given !== value) {
      throw refuse(
        request,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${readText(value)}; ` +
          `pod.spec.nodeSelector[${key}] = ${readText(given)}`,
      );
    }
    selector[key] = value;
  }
  const tolerations = mergeTolerations(
    objectsAt(spec, 'tolerations'),
    objectsAt(scheduling, 'tolerations'),
  );
  return {
    ...spec,
    ...(Object.keys(selector).length > 0 && { nodeSelector: selector }),
    ...(tolerations.length > 0 && { tolerations }),
  };
}

/** Undefined: the class has no overhead, or the pod has no class. */
function overheadOf(runtimeClass: JsonObject | undefined): JsonObject | undefined {
  const overhead = readObject(runtimeClass?.['overhead']);
  return overhead && structAt(overhead, 'podFixed');
}

function areAmountsEqual(a: JsonObject, b: Json | undefined): boolean {
  const some = readAmounts(a);
  const others = readAmounts(b);
  if (some.size !== others.size) return false;
  return [...some].every(([name, quantity]) => {
    const other = others.get(name);
    return other !== undefined && compareQuantities(quantity, other) === 0;
  });
}

function refuse({ definition, name }: AdmissionRequest, why: string): Error {
  return forbidden(definition, name, why);
}
