/**
 * Runs dynamic admission: the webhooks and policies that users configure. They run after the plugins of
 * admission.ts, and may take seconds.
 *
 *     plugins ──> mutate ──> allocation ──> validation of the kind ──> validate ──> store
 *        ^          │
 *        └── a second round if the object was changed, for webhooks and policies with reinvocation
 *
 * 1. A request that no webhook and no policy matches does not wait: `mutate` and `validate` return null, and
 *    the whole write stays synchronous.
 * 2. All calls for one request together may take 34 seconds, kube-apiserver's limit, even if the write is
 *    retried: `sinceMs` is the start of the request, not of the attempt.
 */
import { jsonEqual } from '../../api/values/json-equal.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { AdmissionRequest } from './admission.ts';

/** The state of one stage between the two rounds of one request. */
export class Reinvocation {
  /** Webhooks or policies that were called and must be called again if the object changes after them. */
  readonly #invoked = new Set<string>();
  readonly #again = new Set<string>();
  #last: JsonObject | null = null;

  /** Records a change of the object: those that were called before it are called again. */
  changed(): void {
    for (const id of this.#invoked) this.#again.add(id);
    this.#invoked.clear();
  }

  invoked(id: string): void {
    this.#invoked.add(id);
  }

  isNeeded(id: string): boolean {
    return this.#again.has(id);
  }

  /** Records the object as this stage left it, to detect later changes. */
  ended(object: JsonObject): void {
    this.#last = object;
  }

  began(object: JsonObject): void {
    if (this.#last && !jsonEqual(this.#last, object)) this.changed();
  }
}

export interface MutatingStage {
  /** Whether any webhook or policy may match this request. */
  concerns(request: AdmissionRequest): boolean;
  /** Returns the object, changed or not. `round`: 0, or 1 for a reinvocation. Throws a StatusError. */
  mutate(request: AdmissionRequest, memory: Reinvocation, round: number): Promise<JsonObject>;
}

export interface ValidatingStage {
  concerns(request: AdmissionRequest): boolean;
  /** Throws a StatusError. */
  validate(request: AdmissionRequest): Promise<void>;
}

export class DynamicAdmission {
  readonly #mutating: readonly MutatingStage[];
  readonly #validating: readonly ValidatingStage[];

  constructor(mutating: readonly MutatingStage[], validating: readonly ValidatingStage[]) {
    this.#mutating = mutating;
    this.#validating = validating;
  }

  /** `reinvoke` runs the plugins again on a changed object. Null: no webhook and no policy matches. */
  mutate(
    request: AdmissionRequest,
    reinvoke: (object: JsonObject) => JsonObject,
  ): Promise<JsonObject> | null {
    const stages = isAsked(request) ? this.#mutating.filter((one) => one.concerns(request)) : [];
    return stages.length === 0 ? null : runRounds(stages, request, reinvoke);
  }

  validate(request: AdmissionRequest): Promise<void> | null {
    const stages = isAsked(request) ? this.#validating.filter((one) => one.concerns(request)) : [];
    return stages.length === 0 ? null : runAll(stages, request);
  }
}

export const NO_DYNAMIC_ADMISSION = new DynamicAdmission([], []);

async function runRounds(
  stages: readonly MutatingStage[],
  request: AdmissionRequest,
  reinvoke: (object: JsonObject) => JsonObject,
): Promise<JsonObject> {
  const memories = stages.map(() => new Reinvocation());
  const runRound = async (first: JsonObject, round: number): Promise<JsonObject> => {
    let object = first;
    for (const [index, stage] of stages.entries()) {
      const memory = memories[index] ?? new Reinvocation();
      if (round > 0) memory.began(object);
      object = await stage.mutate({ ...request, object }, memory, round);
      memory.ended(object);
    }
    return object;
  };
  const object = await runRound(request.object, 0);
  if (request.verb === 'delete' || jsonEqual(object, request.object)) return request.object;
  return runRound(reinvoke(object), 1);
}

async function runAll(
  stages: readonly ValidatingStage[],
  request: AdmissionRequest,
): Promise<void> {
  for (const stage of stages) await stage.validate(request);
}

/** Administrators must be able to delete a configuration that refuses every request. */
const EXEMPT: ReadonlySet<string> = new Set([
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'validatingwebhookconfigurations',
]);

function isAsked({ definition, isExempt = false }: AdmissionRequest): boolean {
  const { group, resource } = definition;
  return !isExempt && !(group === 'admissionregistration.k8s.io' && EXEMPT.has(resource));
}
