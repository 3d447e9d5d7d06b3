/**
 * Follows the admission policies and their bindings in the store, and finds those for a resource, sorted by
 * name.
 *
 *     store ──watch──> policies, bindings ──> index by the resources that their rules name
 *
 * 1. A policy without a binding is not evaluated.
 * 2. A policy is read once for each change, and compiled when the first request needs it.
 * 3. A request considers only policies whose rules name its resource or any resource, so other policies cost
 *    it nothing.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { readObject, readText, readTexts } from '../../../api/validation/json-reading.ts';
import type { ObjectStore } from '../../../ports/api/object-store.ts';
import { structAt, textAt, valueAt } from '../../objects/field-path.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import { nameOf } from '../../objects/metadata.ts';
import type { Catalog } from '../../registry/catalog.ts';
import { follow } from '../../registry/object-feed.ts';
import { prefixOf } from '../../registry/registry.ts';
import { equivalentsOf } from '../matching/dynamic-attributes.ts';
import { readCriteria, type Criteria } from './policy-criteria.ts';

export interface AdmissionPolicy<Compiled> {
  readonly name: string;
  readonly spec: JsonObject;
  readonly criteria: Criteria;
  readonly isIgnored: boolean;
  /** Null: the policy has no parameters. */
  readonly paramKind: JsonObject | null;
  readonly compiled: Compiled;
}

export interface Binding {
  readonly name: string;
  readonly policyName: string;
  /** Null: the binding applies to all requests that match the policy. */
  readonly criteria: Criteria | null;
  readonly paramRef: JsonObject | null;
  /** Deny, Warn, Audit. */
  readonly actions: readonly string[];
}

export interface Hook<Compiled> {
  readonly policy: AdmissionPolicy<Compiled>;
  readonly bindings: readonly Binding[];
}

interface Index<Compiled> {
  /** By `group/resource`. */
  readonly named: ReadonlyMap<string, readonly Hook<Compiled>[]>;
  /** The policies with a rule for any group or any resource. */
  readonly general: readonly Hook<Compiled>[];
}

/** Reviews are never stored, and refusing them may break the cluster, so no policy applies to them. */
const EXCLUDED: ReadonlySet<string> = new Set([
  'selfsubjectreviews',
  'tokenreviews',
  'localsubjectaccessreviews',
  'selfsubjectaccessreviews',
  'selfsubjectrulesreviews',
  'subjectaccessreviews',
]);
const REVIEW_GROUPS: ReadonlySet<string> = new Set([
  'authentication.k8s.io',
  'authorization.k8s.io',
]);

export class PolicySource<Compiled> {
  readonly #catalog: Catalog;
  readonly #policies = new Map<string, AdmissionPolicy<Compiled>>();
  readonly #bindings = new Map<string, Binding>();
  #index: Index<Compiled> | null = null;
  #found = new Map<KindDefinition, readonly Hook<Compiled>[]>();
  #catalogVersion = -1;

  constructor(
    { store, catalog }: { readonly store: ObjectStore; readonly catalog: Catalog },
    policies: KindDefinition,
    bindings: KindDefinition,
    compile: (policy: JsonObject) => Compiled,
  ) {
    this.#catalog = catalog;
    follow(store, prefixOf(policies, ''), ({ type, key, value }) => {
      if (type === 'delete') this.#policies.delete(key);
      else this.#policies.set(key, readPolicy(value, compile));
      this.#index = null;
    });
    follow(store, prefixOf(bindings, ''), ({ type, key, value }) => {
      if (type === 'delete') this.#bindings.delete(key);
      else this.#bindings.set(key, readBinding(value));
      this.#index = null;
    });
  }

  /** The policies whose rules may match objects of this kind. */
  hooksFor(definition: KindDefinition): readonly Hook<Compiled>[] {
    if (this.#bindings.size === 0 || isExcluded(definition)) return [];
    const index = this.#currentIndex();
    const found = this.#found.get(definition);
    if (found) return found;
    const kinds = [definition, ...equivalentsOf(definition, this.#catalog)];
    const hooks = new Set([
      ...index.general,
      ...kinds.flatMap(({ group, resource }) => index.named.get(`${group}/${resource}`) ?? []),
    ]);
    const sorted = [...hooks].toSorted((a, b) => (a.policy.name < b.policy.name ? -1 : 1));
    this.#found.set(definition, sorted);
    return sorted;
  }

  #currentIndex(): Index<Compiled> {
    const { version } = this.#catalog;
    if (this.#index && this.#catalogVersion === version) return this.#index;
    this.#catalogVersion = version;
    this.#found = new Map();
    this.#index ??= indexed(this.#policies.values(), this.#bindings);
    return this.#index;
  }
}

function isExcluded({ group, resource }: KindDefinition): boolean {
  return REVIEW_GROUPS.has(group) && EXCLUDED.has(resource);
}

function readPolicy<Compiled>(
  policy: JsonObject,
  compile: (policy: JsonObject) => Compiled,
): AdmissionPolicy<Compiled> {
  const spec = structAt(policy, 'spec');
  let compiled: { readonly value: Compiled } | null = null;
  return {
    name: nameOf(policy),
    spec,
    criteria: readCriteria(structAt(spec, 'matchConstraints')),
    isIgnored: spec['failurePolicy'] === 'Ignore',
    paramKind: readObject(spec['paramKind']) ?? null,
    get compiled() {
      compiled ??= { value: compile(policy) };
      return compiled.value;
    },
  };
}

function readBinding(binding: JsonObject): Binding {
  const match = readObject(valueAt(binding, 'spec.matchResources'));
  return {
    name: nameOf(binding),
    policyName: textAt(binding, 'spec.policyName'),
    criteria: match ? readCriteria(match) : null,
    paramRef: readObject(valueAt(binding, 'spec.paramRef')) ?? null,
    actions: readTexts(valueAt(binding, 'spec.validationActions')),
  };
}

function indexed<Compiled>(
  policies: Iterable<AdmissionPolicy<Compiled>>,
  bindings: ReadonlyMap<string, Binding>,
): Index<Compiled> {
  const bound = new Map<string, Binding[]>();
  for (const [, binding] of [...bindings].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const others = bound.get(binding.policyName);
    if (others) others.push(binding);
    else bound.set(binding.policyName, [binding]);
  }
  const named = new Map<string, Hook<Compiled>[]>();
  const general: Hook<Compiled>[] = [];
  for (const policy of policies) {
    const own = bound.get(policy.name);
    if (!own) continue;
    const hook = { policy, bindings: own };
    const resources = resourcesOf(policy.criteria);
    if (!resources) general.push(hook);
    for (const resource of resources ?? []) {
      const others = named.get(resource);
      if (others) others.push(hook);
      else named.set(resource, [hook]);
    }
  }
  return { named, general };
}

/** Each as `group/resource`, a subresource counted as its resource. Null: any resource. */
function resourcesOf({ rules }: Criteria): ReadonlySet<string> | null {
  const found = new Set<string>();
  for (const rule of rules) {
    const resources = readTexts(rule['resources']).map((text) => readText(text.split('/')[0]));
    for (const group of readTexts(rule['apiGroups'])) {
      for (const resource of resources) {
        if (group === '*' || resource === '*') return null;
        found.add(`${group}/${resource}`);
      }
    }
  }
  return found;
}
