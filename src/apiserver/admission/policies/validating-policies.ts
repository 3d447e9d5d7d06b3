/**
 * Admission plugin ValidatingAdmissionPolicy: evaluates all policies that match a request. The first denial
 * is the response; warnings and audit annotations come from all policies.
 */
import { Budget } from '../../../cel/cel.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Access } from '../../objects/access.ts';
import { forbidden, notFound, StatusError } from '../../objects/status.ts';
import {
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
} from '../../kinds/extension/admission-policy.ts';
import { replayed } from '../../objects/conversion-replay.ts';
import type { AdmissionRequest } from '../../registry/admission.ts';
import type { ValidatingStage } from '../../registry/dynamic-admission.ts';
import {
  attributesOfRequest,
  convertAttributes,
  isNamespaceRequest,
  type DynamicAttributes,
} from '../matching/dynamic-attributes.ts';
import { inputOf } from '../matching/expression-input.ts';
import { EvaluationTurns } from './evaluation-turns.ts';
import { AuditAnnotations } from './policy-audit.ts';
import { invocationsFor, isMisconfigured, type Invocation } from './policy-invocations.ts';
import type { ParamDeps } from './policy-params.ts';
import { PolicySource } from './policy-source.ts';
import {
  compileValidatingPolicy,
  evaluateValidations,
  type Denial,
  type ValidatingPolicy,
} from './validating-policy.ts';

export interface PolicyDeps extends ParamDeps {
  readonly authorize: Access['authorize'];
  readonly clock: Pick<Clock, 'turn'>;
}

/** The cost limit for all policies of a request. EvaluationTurns lets other requests run in between. */
export const REQUEST_COST_MAX = 30_000_000;
const CODES: Readonly<Record<string, number>> = { Forbidden: 403, RequestEntityTooLarge: 413 };
const INVALID = 422;

export class ValidatingPolicies implements ValidatingStage {
  readonly #deps: PolicyDeps;
  readonly #source: PolicySource<ValidatingPolicy>;

  constructor(deps: PolicyDeps) {
    this.#deps = deps;
    this.#source = new PolicySource(
      deps,
      validatingAdmissionPolicies,
      validatingAdmissionPolicyBindings,
      compileValidatingPolicy,
    );
  }

  concerns({ definition }: AdmissionRequest): boolean {
    return this.#source.hooksFor(definition).length > 0;
  }

  async validate(request: AdmissionRequest): Promise<void> {
    const attributes = attributesOfRequest(request);
    const hooks = this.#source.hooksFor(request.definition);
    const audit = new AuditAnnotations(request);
    const budget = new Budget(REQUEST_COST_MAX);
    const turns = new EvaluationTurns(this.#deps.clock, budget);
    let first: StatusError | null = null;
    const matching = await replayed(() => [...invocationsFor(hooks, attributes, this.#deps)]);
    for (const found of matching) {
      if (isMisconfigured(found)) {
        const { policy, binding, problem } = found;
        first ??= denied(request, policy.name, binding?.name ?? null, problem, '');
        continue;
      }
      const refusal = await this.#evaluate(found, attributes, audit, budget, turns);
      first ??= refusal;
    }
    audit.publish();
    if (first) throw first;
  }

  /** The first denial of this invocation that the binding enforces. */
  async #evaluate(
    { policy, binding, shownAs, param }: Invocation<ValidatingPolicy>,
    attributes: DynamicAttributes,
    audit: AuditAnnotations,
    budget: Budget,
    turns: EvaluationTurns,
  ): Promise<StatusError | null> {
    const { request } = attributes;
    requireNamespace(attributes, this.#deps);
    const seen =
      shownAs === request.definition
        ? attributes
        : await replayed(() => convertAttributes(attributes, shownAs));
    const input = { ...inputOf(seen, this.#deps), params: param };
    const spending = { request: budget, turns };
    const result = await evaluateValidations(policy.compiled, input, policy.isIgnored, spending);
    let first: StatusError | null = null;
    for (const denial of result.denials) {
      if (binding.actions.includes('Deny')) {
        first ??= denied(request, policy.name, binding.name, denial.message, denial.reason);
      }
      if (binding.actions.includes('Audit')) audit.failed(policy.name, binding, denial);
      if (binding.actions.includes('Warn')) warn(request, policy.name, binding.name, denial);
    }
    for (const [key, value] of result.annotations) audit.add(policy.name, key, value);
    for (const problem of result.annotationProblems) {
      first ??= denied(request, policy.name, binding.name, problem, '');
    }
    return first;
  }
}

/** Expressions can read the namespace, so a request in one that no longer exists is refused. */
export function requireNamespace(attributes: DynamicAttributes, { store }: ParamDeps): void {
  const { namespace } = attributes;
  if (namespace === '' || isNamespaceRequest(attributes)) return;
  if (store.get(`/core/namespaces/${namespace}`)) return;
  throw notFound({ group: '', resource: 'namespaces' }, namespace);
}

function warn(
  request: AdmissionRequest,
  policy: string,
  binding: string,
  { message }: Denial,
): void {
  const where = `ValidatingAdmissionPolicy '${policy}' with binding '${binding}'`;
  request.warn?.(`Validation failed for ${where}: ${message}`);
}

function denied(
  { definition, name }: AdmissionRequest,
  policy: string,
  binding: string | null,
  problem: string,
  reason: string,
): StatusError {
  const by = binding === null ? '' : ` with binding '${binding}'`;
  const message = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${problem}`;
  const { message: whole, details } = forbidden(definition, name, message, [{ message }]);
  return new StatusError(CODES[reason] ?? INVALID, reason || 'Invalid', whole, details);
}
