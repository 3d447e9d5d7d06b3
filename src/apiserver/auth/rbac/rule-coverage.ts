/**
 * Finds the permissions that one set of rules has and another lacks, and prints them as kube-apiserver does.
 *
 * The wanted rules are split into single permissions. One held rule must cover each of them completely.
 */
import { pathCovers, type PolicyRule } from './policy-rule.ts';

const ALL = '*';
const NONE: readonly string[] = [];

/** The single permissions of `wanted` that no rule of `held` covers. */
export function missingRules(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): readonly PolicyRule[] {
  return wanted.flatMap(takeApart).filter((one) => !held.some((rule) => covers(rule, one)));
}

/** One line for each resource, sorted, as kube-apiserver prints them. */
export function describeRules(rules: readonly PolicyRule[]): string {
  const lines = joinVerbs(rules).map(describe);
  return [...new Set(lines)].toSorted().join('\n');
}

function takeApart(rule: PolicyRule): readonly PolicyRule[] {
  const { verbs, apiGroups = NONE, resources = NONE } = rule;
  const { resourceNames = NONE, nonResourceURLs = NONE } = rule;
  const named = resourceNames.length === 0 ? [{}] : resourceNames.map(onlyNamed);
  const ofResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        named.map((names) => ({
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          ...names,
        })),
      ),
    ),
  );
  const ofPaths = nonResourceURLs.flatMap((path) =>
    verbs.map((verb) => ({ verbs: [verb], nonResourceURLs: [path] })),
  );
  return [...ofResources, ...ofPaths];
}

function onlyNamed(name: string): Pick<PolicyRule, 'resourceNames'> {
  return { resourceNames: [name] };
}

/** `one`: a single permission: one verb, one group, one resource or path. */
function covers(rule: PolicyRule, one: PolicyRule): boolean {
  const { resourceNames = NONE, nonResourceURLs = NONE } = rule;
  const names = one.resourceNames ?? NONE;
  return (
    hasAll(rule.verbs, one.verbs) &&
    hasAll(rule.apiGroups ?? NONE, one.apiGroups ?? NONE) &&
    (one.resources ?? NONE).every((resource) => hasResource(rule.resources ?? NONE, resource)) &&
    (one.nonResourceURLs ?? NONE).every((path) =>
      nonResourceURLs.some((pattern) => pathCovers(pattern, path)),
    ) &&
    (resourceNames.length === 0 || (names.length > 0 && hasExactly(resourceNames, names)))
  );
}

function hasAll(list: readonly string[], wanted: readonly string[]): boolean {
  return list.includes(ALL) || hasExactly(list, wanted);
}

function hasExactly(list: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((one) => list.includes(one));
}

function hasResource(list: readonly string[], resource: string): boolean {
  if (list.includes(ALL) || list.includes(resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && list.includes(`${ALL}${resource.slice(slash)}`);
}

/** Joins permissions on the same resource into one rule with several verbs. */
function joinVerbs(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const joined = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const { verbs, ...rest } = rule;
    // Permissions on paths are not joined.
    const key = JSON.stringify(rule.nonResourceURLs ? rule : rest);
    const before = joined.get(key);
    joined.set(key, before ? { ...before, verbs: [...before.verbs, ...verbs] } : rule);
  }
  return [...joined.values()];
}

const SHOWN = [
  ['apiGroups', 'APIGroups'],
  ['resources', 'Resources'],
  ['nonResourceURLs', 'NonResourceURLs'],
  ['resourceNames', 'ResourceNames'],
  ['verbs', 'Verbs'],
] as const;

function describe(rule: PolicyRule): string {
  const parts = SHOWN.flatMap(([field, label]) => {
    const values = rule[field] ?? NONE;
    return values.length === 0 ? [] : [`${label}:${quoteList(values)}`];
  });
  return `{${parts.join(', ')}}`;
}

/** The list as Go prints quoted strings. */
export function quoteList(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
}
