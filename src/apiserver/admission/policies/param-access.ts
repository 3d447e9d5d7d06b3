/**
 * Checks that a user who writes a policy or a binding may read its parameters: otherwise refusals could
 * reveal the contents of objects that the user has no permission to read.
 *
 * A policy requires `get` on all objects of its paramKind, a binding `get` or `list` on the objects of its
 * paramRef. An unchanged paramKind or paramRef is not checked again.
 */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import { goText } from '../../../api/managed-fields/typed-value-error.ts';
import { forbiddenField } from '../../../api/validation/field-errors.ts';
import { readObject, readText } from '../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ObjectStore } from '../../../ports/api/object-store.ts';
import {
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
} from '../../kinds/extension/admission-policy.ts';
import type { Access, User } from '../../objects/access.ts';
import { valueAt } from '../../objects/field-path.ts';
import { isMaster } from '../../objects/groups.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import { invalid } from '../../objects/status.ts';
import type { Admission, AdmissionRequest } from '../../registry/admission.ts';
import type { Catalog } from '../../registry/catalog.ts';
import { keyOf } from '../../registry/registry.ts';
import { findKind } from './kind-finder.ts';

export interface ParamAccessDeps {
  readonly store: ObjectStore;
  readonly catalog: Catalog;
  readonly authorize: Access['authorize'];
}

/** The resource that the user must be allowed to read; `*` where it is not known. */
interface ParamResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

const POLICIES: ReadonlySet<KindDefinition> = new Set([
  validatingAdmissionPolicies,
  mutatingAdmissionPolicies,
]);
const POLICIES_OF_BINDINGS: ReadonlyMap<KindDefinition, KindDefinition> = new Map([
  [validatingAdmissionPolicyBindings, validatingAdmissionPolicies],
  [mutatingAdmissionPolicyBindings, mutatingAdmissionPolicies],
]);
const EVERYTHING: ParamResource = { group: '*', version: '*', resource: '*' };

export class ParamAccess implements Admission {
  readonly #deps: ParamAccessDeps;

  constructor(deps: ParamAccessDeps) {
    this.#deps = deps;
  }

  admit({ object }: AdmissionRequest): JsonObject {
    return object;
  }

  review(request: AdmissionRequest): void {
    const { verb, definition, subresource, user } = request;
    if (verb === 'delete' || subresource !== null || isMaster(user)) return;
    if (POLICIES.has(definition)) this.#reviewPolicy(request);
    const policies = POLICIES_OF_BINDINGS.get(definition);
    if (policies) this.#reviewBinding(request, policies);
  }

  #reviewPolicy(request: AdmissionRequest): void {
    const { object, user } = request;
    const paramKind = readObject(valueAt(object, 'spec.paramKind'));
    if (!paramKind || isUnchanged(request, ['spec.paramKind'])) return;
    const wanted = { verb: 'get', namespace: '*', name: '*', subresource: '' };
    if (this.#isAllowed(user, { ...this.#resourceOf(paramKind), ...wanted })) return;
    const [apiVersion, kind] = [readText(paramKind['apiVersion']), readText(paramKind['kind'])];
    const what = `must have "get" permission on all objects of the referenced paramKind`;
    const why = `user ${printUser(user)} ${what} (kind=${kind}, apiVersion=${apiVersion})`;
    refuse(request, 'spec.paramKind', why);
  }

  #reviewBinding(request: AdmissionRequest, policies: KindDefinition): void {
    const { object, user } = request;
    const ref = readObject(valueAt(object, 'spec.paramRef'));
    if (!ref || isUnchanged(request, ['spec.paramRef', 'spec.policyName'])) return;
    const name = readText(ref['name']);
    const verb = name === '' ? 'list' : 'get';
    const policyName = readText(valueAt(object, 'spec.policyName'));
    const key = keyOf({ definition: policies, namespace: '', name: policyName });
    const policy = this.#deps.store.get(key)?.value;
    const paramKind = policy && readObject(valueAt(policy, 'spec.paramKind'));
    const found = paramKind ? this.#resourceOf(paramKind) : EVERYTHING;
    const wanted = { verb, namespace: readText(ref['namespace']), name, subresource: '' };
    if (this.#isAllowed(user, { ...found, ...wanted })) return;
    const minimum = 'to determine minimum required permissions and user';
    const all = `does not have "${verb}" permission for all groups, versions and resources`;
    const who = printUser(user);
    const why = !policy
      ? `unable to get policy ${policyName} ${minimum} ${who} ${all}`
      : paramKind && found.resource === '*'
        ? `unable to resolve paramKind ${printKind(paramKind)} ${minimum} ${who} ${all}`
        : `user ${who} does not have "${verb}" permission on the object referenced by paramRef`;
    refuse(request, 'spec.paramRef', why);
  }

  #isAllowed(user: User, wanted: Parameters<Access['authorize']>[1]): boolean {
    return this.#deps.authorize(user, wanted).isAllowed;
  }

  /** If the kind is not served: all resources of the group. */
  #resourceOf(paramKind: JsonObject): ParamResource {
    const apiVersion = readText(paramKind['apiVersion']);
    const [version = '', group = ''] = apiVersion.split('/').toReversed();
    const found = findKind(this.#deps.catalog, apiVersion, readText(paramKind['kind']));
    return { group, version, resource: found?.resource ?? '*' };
  }
}

function isUnchanged({ object, old }: AdmissionRequest, paths: readonly string[]): boolean {
  if (!old) return false;
  return paths.every((path) =>
    jsonEqual(valueAt(object, path) ?? null, valueAt(old, path) ?? null),
  );
}

function refuse({ definition, name }: AdmissionRequest, field: string, why: string): never {
  throw invalid(definition, name, [forbiddenField(field, why)]);
}

/** The user as Go prints it. */
function printUser({ name, uid = '', groups, extra = {} }: User): string {
  return `&{${name} ${uid} ${goText(groups)} ${goText(extra)}}`;
}

function printKind(paramKind: JsonObject): string {
  return `&ParamKind{APIVersion:${readText(paramKind['apiVersion'])},Kind:${readText(paramKind['kind'])},}`;
}
