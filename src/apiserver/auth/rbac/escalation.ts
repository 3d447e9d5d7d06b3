/**
 * Admission check against privilege escalation: a user who writes a role or binds it must already have all
 * its permissions, or the verb `escalate` or `bind`.
 */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { User } from '../../objects/access.ts';
import type { Admission, AdmissionRequest } from '../../registry/admission.ts';
import { objectsAt } from '../../objects/field-path.ts';
import { RBAC } from '../../kinds/rbac/rbac-role.ts';
import { readStruct, readText } from '../../../api/validation/json-reading.ts';
import { metadataOf } from '../../objects/metadata.ts';
import { forbidden, notFound, unexpected } from '../../objects/status.ts';
import { joinErrors, type Authorizer } from '../authorizer.ts';
import { isMaster } from '../../objects/groups.ts';
import { requestedNameOf } from '../requested-name.ts';
import { readRules, type PolicyRule } from './policy-rule.ts';
import { roleMissing } from './rbac-authorizer.ts';
import type { RbacIndex } from './rbac-index.ts';
import { describeRules, missingRules, quoteList } from './rule-coverage.ts';

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

export class EscalationCheck implements Admission {
  readonly #index: RbacIndex;
  /** RBAC alone: only permissions from roles count as held. */
  readonly #roles: Authorizer;
  /** All authorizers: they decide whether the user has the verb `escalate` or `bind`. */
  readonly #authorizer: Authorizer;

  constructor(index: RbacIndex, roles: Authorizer, authorizer: Authorizer) {
    this.#index = index;
    this.#roles = roles;
    this.#authorizer = authorizer;
  }

  admit(request: AdmissionRequest): JsonObject {
    const { verb, definition, object, old, user } = request;
    if (definition.group !== RBAC || verb === 'delete' || isMaster(user)) return object;
    if (old && isOnlyCollected(object, old)) return object;
    if (definition.kind.endsWith('Binding')) this.#checkBinding(request);
    else this.#checkRole(request);
    return object;
  }

  #checkRole(request: AdmissionRequest): void {
    const { definition, object, old, user, namespace, verb } = request;
    const { group, resource } = definition;
    // The path of a create has no name, so the check has none either.
    const name = verb === 'create' ? '' : request.name;
    const wanted = { verb: 'escalate', group, version: '*', resource, subresource: '' };
    if (this.#authorizer.authorize(user, { ...wanted, namespace, name }).isAllowed) return;
    this.#confirm(request, readRules(object));
    // The future rules of an aggregated role are unknown, so writing one requires all permissions.
    if (!isAggregated(object) && !(old && isAggregated(old))) return;
    if (missingRules(this.#rulesOf(user, namespace).rules, EVERYTHING).length === 0) return;
    const why = 'must have cluster-admin privileges to use the aggregationRule';
    throw forbidden(definition, requestedNameOf(request), why);
  }

  #checkBinding(request: AdmissionRequest): void {
    const { object, user, namespace } = request;
    const { apiGroup, kind, name } = readStruct(object['roleRef']);
    const roleRef = { kind: readText(kind), name: readText(name) };
    const isKnown = roleRef.kind === 'Role' || roleRef.kind === 'ClusterRole';
    const resource = roleRef.kind === 'Role' ? 'roles' : 'clusterroles';
    const wanted = { verb: 'bind', group: readText(apiGroup), version: '*', subresource: '' };
    const asked = { ...wanted, resource, namespace, name: roleRef.name };
    if (!isKnown) throw unexpected(roleMissing(roleRef));
    if (this.#authorizer.authorize(user, asked).isAllowed) return;
    const rules = this.#index.rulesOf(roleRef, namespace);
    // The role is missing, but kube-apiserver's error names the requested resource (the binding).
    if (!rules) throw notFound(request.definition, roleRef.name);
    this.#confirm(request, rules);
  }

  #confirm(request: AdmissionRequest, wanted: Rules): void {
    const { definition, user, namespace } = request;
    const { rules, errors } = this.#rulesOf(user, namespace);
    const missing = missingRules(rules, wanted);
    if (missing.length === 0) return;
    const who = `user ${JSON.stringify(user.name)} (groups=${quoteList(user.groups)})`;
    const what = 'is attempting to grant RBAC permissions not currently held:';
    const unsolved = errors.length === 0 ? '' : `; resolution errors: [${joinErrors(errors)}]`;
    const why = `${who} ${what}\n${describeRules(missing)}${unsolved}`;
    throw forbidden(definition, requestedNameOf(request), why);
  }

  #rulesOf(user: User, namespace: string): ReturnType<Authorizer['rulesFor']> {
    return this.#roles.rulesFor(user, namespace);
  }
}

type Rules = readonly PolicyRule[];

function isAggregated(role: JsonObject): boolean {
  return objectsAt(role, 'aggregationRule.clusterRoleSelectors').length > 0;
}

/** Whether only fields differ that the garbage collector changes. */
function isOnlyCollected(object: JsonObject, old: JsonObject): boolean {
  return jsonEqual(withoutCollected(object), withoutCollected(old));
}

function withoutCollected(object: JsonObject): JsonObject {
  const {
    ownerReferences: _owners,
    finalizers: _finalizers,
    resourceVersion: _version,
    managedFields: _managed,
    ...metadata
  } = metadataOf(object);
  return { ...object, metadata };
}
