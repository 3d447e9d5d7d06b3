/**
 * Admission plugin Priority: a pod gets the priority of its PriorityClass, or else that of the default class,
 * or zero.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { ObjectStore } from '../../ports/api/object-store.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { isGiven } from '../../api/validation/json-reading.ts';
import { nameOf, textOf } from '../objects/metadata.ts';
import { forbidden } from '../objects/status.ts';
import { isNewPod, isPod, type Admission, type AdmissionRequest } from '../registry/admission.ts';

const CLASSES = '/scheduling.k8s.io/priorityclasses/';
/** These two classes always exist, even if they are not in the store. */
const SYSTEM: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

export class Priority implements Admission {
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  admit(request: AdmissionRequest): JsonObject {
    const { definition, object } = request;
    const { spec } = object;
    if (isPodUpdate(request)) return keepPriority(request);
    if (!isNewPod(request) || !isJsonObject(spec)) return object;
    const named = textOf(spec['priorityClassName']);
    const found = named === '' ? this.#findDefault() : this.#find(definition, object, named);
    const { name, value, preemptionPolicy } = found;
    if (spec['priority'] !== undefined && spec['priority'] !== null && spec['priority'] !== value) {
      throw forbidden(
        definition,
        nameOf(object),
        `the integer value of priority (${Number(spec['priority'])}) must not be provided in pod spec; ` +
          `priority admission controller computed ${value} from the given PriorityClass name`,
      );
    }
    const given = textOf(spec['preemptionPolicy']);
    if (given !== '' && given !== preemptionPolicy) {
      throw forbidden(
        definition,
        nameOf(object),
        `the string value of PreemptionPolicy (${given}) must not be provided in pod spec; ` +
          `priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
      );
    }
    return {
      ...object,
      spec: {
        ...spec,
        ...(name !== '' && { priorityClassName: name }),
        priority: value,
        preemptionPolicy,
      },
    };
  }

  /** Only one PriorityClass may be the default. */
  review({ verb, definition, object }: AdmissionRequest): void {
    const { group, resource } = definition;
    if (group !== 'scheduling.k8s.io' || resource !== 'priorityclasses') return;
    if (verb === 'delete' || object['globalDefault'] !== true) return;
    const other = this.#defaults().find(({ name }) => name !== nameOf(object));
    if (!other) return;
    throw forbidden(
      definition,
      nameOf(object),
      `PriorityClass ${other.name} is already marked as default. Only one default can exist`,
    );
  }

  #find(definition: KindDefinition, pod: JsonObject, name: string): PriorityClass {
    const system = SYSTEM[name];
    if (system !== undefined) return { name, value: system, preemptionPolicy: PREEMPTS };
    const stored = this.#store.get(`${CLASSES}${name}`)?.value;
    if (!stored) {
      throw forbidden(definition, nameOf(pod), `no PriorityClass with name ${name} was found`);
    }
    return readClass(stored);
  }

  /** If several classes are marked as default, the one with the lowest value. */
  #findDefault(): PriorityClass {
    return this.#defaults()[0] ?? { name: '', value: 0, preemptionPolicy: PREEMPTS };
  }

  #defaults(): readonly PriorityClass[] {
    return this.#store
      .list(CLASSES)
      .objects.filter(({ value }) => value['globalDefault'] === true)
      .map(({ value }) => readClass(value))
      .toSorted((a, b) => a.value - b.value);
  }
}

interface PriorityClass {
  readonly name: string;
  readonly value: number;
  readonly preemptionPolicy: string;
}

const PREEMPTS = 'PreemptLowerPriority';

function readClass(object: JsonObject): PriorityClass {
  return {
    name: nameOf(object),
    value: Number(object['value'] ?? 0),
    preemptionPolicy: textOf(object['preemptionPolicy']) || PREEMPTS,
  };
}

function isPodUpdate({ verb, definition, subresource }: AdmissionRequest): boolean {
  return verb === 'update' && subresource === null && isPod(definition);
}

/** An update that omits the values that admission filled in keeps them. */
function keepPriority({ object, old }: AdmissionRequest): JsonObject {
  const { spec } = object;
  const before = old?.['spec'];
  if (!isJsonObject(spec) || !isJsonObject(before)) return object;
  const kept = ['priority', 'preemptionPolicy'].flatMap((field): [string, Json][] => {
    const value = before[field];
    return isGiven(spec[field]) || !isGiven(value) ? [] : [[field, value]];
  });
  return kept.length === 0 ? object : { ...object, spec: { ...spec, ...Object.fromEntries(kept) } };
}
