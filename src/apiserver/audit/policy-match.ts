/**
 * Finds the audit policy rule for a request: the first that matches. If none matches, the level is `None`.
 */
import type { Attributes, ResourceAttributes, User } from '../objects/access.ts';
import type {
  GroupResources,
  AuditLevel,
  AuditPolicy,
  AuditPolicyRule,
  AuditStage,
} from './policy.ts';

export interface AuditConfig {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

/** `user` null: the client could not be authenticated. */
export function evaluatePolicy(
  policy: AuditPolicy,
  user: User | null,
  attributes: Attributes,
): AuditConfig {
  const rule = policy.rules.find((one) => matches(one, user, attributes));
  return {
    level: rule?.level ?? 'None',
    omitStages: new Set([...policy.omitStages, ...(rule?.omitStages ?? [])]),
    omitManagedFields: rule?.omitManagedFields ?? policy.omitManagedFields,
  };
}

function matches(rule: AuditPolicyRule, user: User | null, attributes: Attributes): boolean {
  const { users, userGroups, verbs, namespaces, resources, nonResourceURLs } = rule;
  if (users.length > 0 && !(user && users.includes(user.name))) return false;
  if (userGroups.length > 0 && !user?.groups.some((group) => userGroups.includes(group))) {
    return false;
  }
  if (verbs.length > 0 && !verbs.includes(attributes.verb)) return false;
  if (namespaces.length > 0 || resources.length > 0) {
    return !('path' in attributes) && matchesResource(rule, attributes);
  }
  if (nonResourceURLs.length === 0) return true;
  return 'path' in attributes && nonResourceURLs.some((url) => matchesPath(url, attributes.path));
}

function matchesPath(url: string, path: string): boolean {
  if (url === '*' || url === path) return true;
  return url.endsWith('*') && path.startsWith(url.slice(0, -1));
}

function matchesResource(
  { namespaces, resources }: AuditPolicyRule,
  attributes: ResourceAttributes,
): boolean {
  // Cluster-scoped resources have an empty namespace.
  if (namespaces.length > 0 && !namespaces.includes(attributes.namespace)) return false;
  return resources.length === 0 || resources.some((one) => covers(one, attributes));
}

function covers(
  { group, resources, resourceNames }: GroupResources,
  attributes: ResourceAttributes,
): boolean {
  if (group !== '*' && group !== attributes.group) return false;
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(attributes.name)) return false;
  const { resource, subresource } = attributes;
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  return resources.some(
    (one) =>
      one === '*' ||
      one === whole ||
      (subresource !== '' && one === `*/${subresource}`) ||
      one === `${resource}/*`,
  );
}
