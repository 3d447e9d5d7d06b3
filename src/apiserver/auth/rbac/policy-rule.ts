/** Parses a rule of a role (verbs on resources or paths), and checks whether it allows a request. */
import type { Attributes } from '../../objects/access.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { readObjects, readTexts } from '../../../api/validation/json-reading.ts';

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

const ALL = '*';
const NONE: readonly string[] = [];

export function readRules(role: JsonObject): readonly PolicyRule[] {
  return readObjects(role['rules']).map(readRule);
}

export function ruleAllows(rule: PolicyRule, wanted: Attributes): boolean {
  if (!includes(rule.verbs, wanted.verb)) return false;
  if ('path' in wanted) return pathMatches(rule, wanted.path);
  const { group, resource, subresource, name } = wanted;
  const { apiGroups = NONE, resourceNames = NONE } = rule;
  return (
    includes(apiGroups, group) &&
    resourceMatches(rule, resource, subresource) &&
    (resourceNames.length === 0 || resourceNames.includes(name))
  );
}

/** `*` matches every path; a pattern that ends in `*`, every path with that prefix. */
export function pathCovers(pattern: string, path: string): boolean {
  if (pattern === path) return true;
  return pattern.endsWith(ALL) && path.startsWith(pattern.replace(/\*+$/, ''));
}

function readRule(rule: JsonObject): PolicyRule {
  const verbs = readTexts(rule['verbs']);
  const [apiGroups, resources] = [readTexts(rule['apiGroups']), readTexts(rule['resources'])];
  const resourceNames = readTexts(rule['resourceNames']);
  const nonResourceURLs = readTexts(rule['nonResourceURLs']);
  return {
    verbs,
    ...(apiGroups.length > 0 && { apiGroups }),
    ...(resources.length > 0 && { resources }),
    ...(resourceNames.length > 0 && { resourceNames }),
    ...(nonResourceURLs.length > 0 && { nonResourceURLs }),
  };
}

function includes(list: readonly string[], wanted: string): boolean {
  return list.includes(ALL) || list.includes(wanted);
}

/** `pods/log` means one subresource; a star before the slash means that subresource of all resources. */
function resourceMatches(
  { resources = NONE }: PolicyRule,
  resource: string,
  part: string,
): boolean {
  if (part === '') return includes(resources, resource);
  return includes(resources, `${resource}/${part}`) || resources.includes(`${ALL}/${part}`);
}

function pathMatches({ nonResourceURLs = NONE }: PolicyRule, path: string): boolean {
  return nonResourceURLs.some((pattern) => pathCovers(pattern, path));
}
