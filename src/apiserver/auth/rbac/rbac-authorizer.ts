/**
 * RBAC authorizer: allows a request if a role that is bound to the user or to one of its groups has a
 * matching rule.
 */
import type { AccessDecision, Attributes, User } from '../../objects/access.ts';
import { deny, joinErrors, type Authorizer, type RulesFound } from '../authorizer.ts';
import { ruleAllows, type PolicyRule } from './policy-rule.ts';
import type { Grant, RbacIndex, RoleReference } from './rbac-index.ts';

export class RbacAuthorizer implements Authorizer {
  readonly #index: RbacIndex;

  constructor(index: RbacIndex) {
    this.#index = index;
  }

  authorize(user: User, attributes: Attributes): AccessDecision {
    const namespace = 'path' in attributes ? '' : attributes.namespace;
    const errors: string[] = [];
    for (const grant of this.#index.grantsFor(user, namespace)) {
      const rules = this.#index.rulesOf(grant.roleRef, grant.namespace);
      if (!rules) errors.push(roleMissing(grant.roleRef));
      else if (rules.some((rule) => ruleAllows(rule, attributes))) {
        return { isAllowed: true, reason: `RBAC: allowed by ${describeGrant(grant)}` };
      }
    }
    return deny(errors.length === 0 ? '' : `RBAC: ${joinErrors(errors)}`);
  }

  rulesFor(user: User, namespace: string): RulesFound {
    const rules: PolicyRule[] = [];
    const errors: string[] = [];
    for (const grant of this.#index.grantsFor(user, namespace)) {
      const found = this.#index.rulesOf(grant.roleRef, grant.namespace);
      if (found) rules.push(...found);
      else errors.push(roleMissing(grant.roleRef));
    }
    return { rules, isIncomplete: false, errors };
  }
}

/** The message for a binding to a role that does not exist. */
export function roleMissing({ kind, name }: RoleReference): string {
  if (kind !== 'Role' && kind !== 'ClusterRole') {
    return `unsupported role reference kind: ${JSON.stringify(kind)}`;
  }
  return `${kind.toLowerCase()}.rbac.authorization.k8s.io ${JSON.stringify(name)} not found`;
}

function describeGrant({ roleRef, namespace, bindingName, subject }: Grant): string {
  const binding =
    namespace === ''
      ? `ClusterRoleBinding ${JSON.stringify(bindingName)}`
      : `RoleBinding ${JSON.stringify(`${bindingName}/${namespace}`)}`;
  const role = `${roleRef.kind} ${JSON.stringify(roleRef.name)}`;
  const isAccount = subject.kind === 'ServiceAccount';
  const name = isAccount ? `${subject.name}/${subject.namespace}` : subject.name;
  return `${binding} of ${role} to ${subject.kind} ${JSON.stringify(name)}`;
}
