/**
 * Lists what must be evaluated for a request: each matching policy with each of its matching bindings and
 * each parameter. Misconfigured policies and bindings are listed with the reason.
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import type { DynamicAttributes } from '../matching/dynamic-attributes.ts';
import { meetCriteria } from './policy-criteria.ts';
import { ConfigurationError } from './policy-errors.ts';
import { collectParams, findParamKind, type ParamDeps } from './policy-params.ts';
import type { AdmissionPolicy, Binding, Hook } from './policy-source.ts';

export interface Invocation<Compiled> {
  readonly policy: AdmissionPolicy<Compiled>;
  readonly binding: Binding;
  /** The kind in the version that the policy's rule names. */
  readonly shownAs: KindDefinition;
  /** Null: the policy has no parameters, or the binding names none. */
  readonly param: JsonObject | null;
}

export interface Misconfigured<Compiled> {
  readonly policy: AdmissionPolicy<Compiled>;
  /** Null: the policy itself is misconfigured. */
  readonly binding: Binding | null;
  readonly problem: string;
}

type Found<Compiled> = Invocation<Compiled> | Misconfigured<Compiled>;

export function isMisconfigured<Compiled>(
  found: Found<Compiled>,
): found is Misconfigured<Compiled> {
  return 'problem' in found;
}

/**
 * In the order of policies and bindings. A policy with failurePolicy Ignore is never listed as misconfigured.
 */
export function* invocationsFor<Compiled>(
  hooks: readonly Hook<Compiled>[],
  attributes: DynamicAttributes,
  deps: ParamDeps,
): Generator<Found<Compiled>> {
  for (const { policy, bindings } of hooks) {
    const usable = attempt(() => {
      const seen = meetCriteria(policy.criteria, attributes, deps.store, deps.catalog);
      return seen && { seen, paramKind: findParamKind(policy.paramKind, deps) };
    });
    if (typeof usable === 'string') {
      const problem = `failed to configure policy: ${usable}`;
      if (!policy.isIgnored) yield { policy, binding: null, problem };
    } else if (usable) {
      for (const binding of bindings) {
        yield* invocationsOf(policy, binding, usable, attributes, deps);
      }
    }
  }
}

function* invocationsOf<Compiled>(
  policy: AdmissionPolicy<Compiled>,
  binding: Binding,
  {
    seen,
    paramKind,
  }: { readonly seen: DynamicAttributes; readonly paramKind: KindDefinition | null },
  attributes: DynamicAttributes,
  deps: ParamDeps,
): Generator<Found<Compiled>> {
  const { criteria, paramRef } = binding;
  const params = attempt(() => {
    const isFor = !criteria || meetCriteria(criteria, attributes, deps.store, deps.catalog);
    return isFor ? collectParams(paramKind, paramRef, attributes.namespace, deps) : [];
  });
  if (typeof params === 'string') {
    const problem = `failed to configure binding: ${params}`;
    if (!policy.isIgnored) yield { policy, binding, problem };
    return;
  }
  for (const param of params) yield { policy, binding, shownAs: seen.shownAs, param };
}

/** The result, or the message of a ConfigurationError. */
function attempt<Result>(act: () => Result): Result | string {
  try {
    return act();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
}
