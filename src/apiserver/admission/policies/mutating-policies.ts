/**
 * Admission plugin MutatingAdmissionPolicy: the policies that match a request change its object one after the
 * other, each starting from the result of the previous one.
 *
 * Resource rules and selectors are evaluated once, before the first change; match conditions just before each
 * policy. A delete has no object to change.
 */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import { Budget } from '../../../cel/cel.ts';
import type { JsonObject } from '../../../lib/json.ts';
import {
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
} from '../../kinds/extension/admission-policy.ts';
import { metadataOf, nameOf, textOf } from '../../objects/metadata.ts';
import { forbidden, StatusError } from '../../objects/status.ts';
import { replayed } from '../../objects/conversion-replay.ts';
import type { AdmissionRequest } from '../../registry/admission.ts';
import type { MutatingStage, Reinvocation } from '../../registry/dynamic-admission.ts';
import { meetsConditions } from '../matching/condition-match.ts';
import {
  attributesOfRequest,
  backConverted,
  convertAttributes,
  decodedAs,
  objectOfRequest,
  type DynamicAttributes,
} from '../matching/dynamic-attributes.ts';
import { inputOf } from '../matching/expression-input.ts';
import { EvaluationTurns } from './evaluation-turns.ts';
import { compileMutatingPolicy, mutate, type MutatingPolicy } from './mutating-policy.ts';
import { MutationError } from './policy-errors.ts';
import { invocationsFor, isMisconfigured, type Invocation } from './policy-invocations.ts';
import { PolicySource } from './policy-source.ts';
import { REQUEST_COST_MAX, requireNamespace, type PolicyDeps } from './validating-policies.ts';

interface Refusal {
  readonly message: string;
  /** Empty: Forbidden. */
  readonly reason: string;
}

export class MutatingPolicies implements MutatingStage {
  readonly #deps: PolicyDeps;
  readonly #source: PolicySource<MutatingPolicy>;

  constructor(deps: PolicyDeps) {
    this.#deps = deps;
    this.#source = new PolicySource(
      deps,
      mutatingAdmissionPolicies,
      mutatingAdmissionPolicyBindings,
      compileMutatingPolicy,
    );
  }

  concerns({ definition, verb }: AdmissionRequest): boolean {
    return verb !== 'delete' && this.#source.hooksFor(definition).length > 0;
  }

  async mutate(
    request: AdmissionRequest,
    memory: Reinvocation,
    round: number,
  ): Promise<JsonObject> {
    const attributes = attributesOfRequest(request);
    const refusals: Refusal[] = [];
    const invocations: Invocation<MutatingPolicy>[] = [];
    const hooks = this.#source.hooksFor(request.definition);
    const matching = await replayed(() => [...invocationsFor(hooks, attributes, this.#deps)]);
    for (const found of matching) {
      if (!isMisconfigured(found)) invocations.push(found);
      else {
        const { policy, binding, problem } = found;
        const message = describe(policy.name, binding?.name ?? null, problem);
        refusals.push({ message, reason: '' });
      }
    }
    if (invocations.length > 0) requireNamespace(attributes, this.#deps);
    const budget = new Budget(REQUEST_COST_MAX);
    const turns = new EvaluationTurns(this.#deps.clock, budget);
    let { object } = request;
    for (const invocation of invocations) {
      await turns.pass();
      const isRun = (): boolean => round === 0 || memory.isNeeded(keyOfInvocation(invocation));
      const before = { ...request, object };
      const known = refusals.length;
      const changed = await replayed(() => {
        // A run that needed another conversion is repeated from its beginning.
        refusals.splice(known);
        return this.#invoke(invocation, before, isRun, refusals, budget);
      });
      if (changed === null) continue;
      if (changed !== object) memory.changed();
      if (invocation.policy.compiled.isReinvocable) memory.invoked(keyOfInvocation(invocation));
      object = changed;
    }
    if (refusals.length > 0) throw refused(request, refusals);
    return object;
  }

  /** The very same object if the policy changed nothing. Null: the policy was not invoked. */
  #invoke(
    { policy, binding, shownAs, param }: Invocation<MutatingPolicy>,
    request: AdmissionRequest,
    isRun: () => boolean,
    refusals: Refusal[],
    budget: Budget,
  ): JsonObject | null {
    const { compiled, isIgnored } = policy;
    const refuse = (problem: string): void => {
      const message = describe(policy.name, binding.name, problem);
      if (!isIgnored) refusals.push({ message, reason: 'Invalid' });
    };
    let seen = shown(request, shownAs);
    const input = { ...inputOf(seen, this.#deps), params: param };
    const met = meetsConditions(compiled.conditions, compiled.conditionScope, input, budget);
    if (typeof met !== 'boolean') refuse(met.problem);
    if (met !== true || !isRun()) return null;
    let { object } = request;
    for (const mutation of compiled.mutations) {
      if (!seen.object) continue;
      try {
        const view = { ...input, object: seen.object };
        const { composition } = compiled;
        const made = mutate(mutation, composition, view, seen.object, decodedAs(seen), budget);
        object = written(made, seen, { ...request, object });
        seen = shown({ ...request, object }, shownAs);
      } catch (error) {
        if (!(error instanceof MutationError)) throw error;
        refuse(error.message);
      }
    }
    return jsonEqual(object, request.object) ? request.object : object;
  }
}

function shown(request: AdmissionRequest, as: AdmissionRequest['definition']): DynamicAttributes {
  const attributes = attributesOfRequest(request);
  return as === request.definition ? attributes : convertAttributes(attributes, as);
}

/** The mutated object with defaults, converted to the version of the request. */
function written(made: JsonObject, seen: DynamicAttributes, request: AdmissionRequest): JsonObject {
  const complete = decodedAs(seen).rules.applyDefaults?.(made) ?? made;
  return objectOfRequest(request, backConverted(complete, seen));
}

function keyOfInvocation({ policy, binding, param }: Invocation<MutatingPolicy>): string {
  const namespace = param ? textOf(metadataOf(param)['namespace']) : '';
  return JSON.stringify([policy.name, binding.name, namespace, param ? nameOf(param) : '']);
}

function describe(policy: string, binding: string | null, problem: string): string {
  if (binding === null) return `policy ${JSON.stringify(policy)} denied request: ${problem}`;
  return `policy '${policy}' with binding '${binding}' denied request: ${problem}`;
}

/** The response has the message and reason of the first refusal; its causes list all of them. */
function refused(
  { definition, name }: AdmissionRequest,
  refusals: readonly Refusal[],
): StatusError {
  const causes = refusals.map(({ message }) => ({ message }));
  const { code, details } = forbidden(definition, name, '', causes);
  const [first] = refusals;
  return new StatusError(code, first?.reason || 'Forbidden', first?.message ?? '', details);
}
