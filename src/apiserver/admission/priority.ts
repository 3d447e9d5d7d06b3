/** A pod's priority is what its class says, and a pod without one gets the default class, or zero. */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import type { KindDefinition } from '../kind.ts';
import { isGiven } from '../kinds/validation/json-reading.ts';
import { nameOf, textOf } from '../metadata.ts';
import { forbidden } from '../status.ts';
import { isNewPod, isPod, type Admission, type AdmissionRequest } from './admission.ts';

const CLASSES = '/scheduling.k8s.io/priorityclasses/';
/** These two exist in every cluster, whether somebody created them or not. */
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
    const said = textOf(spec['preemptionPolicy']);
    if (said !== '' && said !== preemptionPolicy) {
      throw forbidden(
        definition,
        nameOf(object),
        `the string value of PreemptionPolicy (${said}) must not be provided in pod spec; ` +
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

  #find(definition: KindDefinition, pod: JsonObject, name: string): PriorityClass {
    const system = SYSTEM[name];
    if (system !== undefined) return { name, value: system, preemptionPolicy: PREEMPTS };
    const stored = this.#store.get(`${CLASSES}${name}`)?.value;
    if (!stored) {
      throw forbidden(definition, nameOf(pod), `no PriorityClass with name ${name} was found`);
    }
    return readClass(stored);
  }

  /** The lowest, if several claim to be the default. */
  #findDefault(): PriorityClass {
    const defaults = this.#store
      .list(CLASSES)
      .objects.filter(({ value }) => value['globalDefault'] === true)
      .map(({ value }) => readClass(value))
      .toSorted((a, b) => a.value - b.value);
    return defaults[0] ?? { name: '', value: 0, preemptionPolicy: PREEMPTS };
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

/** A client that leaves out what admission filled in keeps it. */
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
