/**
 * Determines which nodes a pod may run on, by nodeSelector and required node affinity, and which it prefers.
 */
import {
  checkRequirement,
  matchesLabels,
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  type LabelSelector,
} from '../../../api/values/label-selector.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { objectsAt, structAt, valueAt } from '../../objects/field-path.ts';
import {
  readNumber,
  readObject,
  readText,
  readTexts,
} from '../../../api/validation/json-reading.ts';

const NODE_AFFINITY = 'spec.affinity.nodeAffinity';
const REQUIRED = `${NODE_AFFINITY}.requiredDuringSchedulingIgnoredDuringExecution`;
const PREFERRED = `${NODE_AFFINITY}.preferredDuringSchedulingIgnoredDuringExecution`;
const NAME_FIELD = 'metadata.name';
const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
  ['Gt', 'gt'],
  ['Lt', 'lt'],
]);

export interface NodeIdentity {
  readonly name: string;
  readonly labels: Labels;
}

/** Whether a node matches. Parsed once, called for many nodes. */
export type NodeRequirement = (node: NodeIdentity) => boolean;

/** Whether the node matches the pod's nodeSelector and, if there is required affinity, one of its terms. */
export function wantsNode(pod: JsonObject, node: NodeIdentity): boolean {
  return readNodeRequirement(pod)(node);
}

export function readNodeRequirement(pod: JsonObject): NodeRequirement {
  const selector = Object.entries(structAt(pod, 'spec.nodeSelector'));
  const required = readObject(valueAt(pod, REQUIRED));
  const matchesTerms = required ? readNodeSelector(required) : null;
  return (node) => {
    const isSelected = selector.every(
      ([key, value]) => Object.hasOwn(node.labels, key) && node.labels[key] === value,
    );
    return isSelected && (matchesTerms === null || matchesTerms(node));
  };
}

/** A node matches if one of the selector's terms matches. */
export function readNodeSelector(selector: JsonObject): NodeRequirement {
  const terms = objectsAt(selector, 'nodeSelectorTerms').map(readNodeTerm);
  return (node) => terms.some((matches) => matches(node));
}

/** The sum of the weights of matching terms. Null: the pod has no preference. */
export function readNodePreference(pod: JsonObject): ((node: NodeIdentity) => number) | null {
  const given = valueAt(pod, PREFERRED);
  if (given === undefined || given === null) return null;
  const terms = objectsAt(pod, PREFERRED)
    .filter(({ weight }) => readNumber(weight) !== 0)
    .map((preferred) => ({
      weight: readNumber(preferred['weight']),
      matches: readNodeTerm(structAt(preferred, 'preference')),
    }));
  return (node) =>
    terms.reduce((sum, { weight, matches }) => (matches(node) ? sum + weight : sum), 0);
}

/**
 * The only candidates, if every term names nodes. Null: there is no such limit. Empty: the names contradict
 * each other.
 */
export function namedNodes(pod: JsonObject): ReadonlySet<string> | null {
  const terms = objectsAt(pod, `${REQUIRED}.nodeSelectorTerms`);
  if (terms.length === 0) return null;
  const names = new Set<string>();
  for (const term of terms) {
    const lists = objectsAt(term, 'matchFields')
      .filter(({ key, operator }) => key === NAME_FIELD && operator === 'In')
      .map(({ values }) => readTexts(values));
    const [first, ...others] = lists;
    if (!first) return null;
    const common = first.filter((name) => others.every((list) => list.includes(name)));
    for (const name of common) names.add(name);
  }
  return names;
}

/** An empty or invalid term matches no node. */
function readNodeTerm(term: JsonObject): NodeRequirement {
  const expressions = readRequirements(objectsAt(term, 'matchExpressions'), isValidExpression);
  // Node names may be longer than label values.
  const fields = readRequirements(objectsAt(term, 'matchFields'), ({ key }) => key === NAME_FIELD);
  if (expressions === null || fields === null) return () => false;
  if (expressions.length === 0 && fields.length === 0) return () => false;
  return ({ name, labels }) =>
    matchesLabels(expressions, labels) && matchesLabels(fields, { [NAME_FIELD]: name });
}

/** Null: one of them is invalid. */
function readRequirements(
  list: readonly JsonObject[],
  isValid: (requirement: LabelRequirement) => boolean,
): LabelSelector | null {
  const requirements = list.flatMap((expression) => {
    const operator = OPERATORS.get(readText(expression['operator']));
    if (!operator) return [];
    const key = readText(expression['key']);
    const requirement = { key, operator, values: readTexts(expression['values']) };
    return isValid(requirement) ? [requirement] : [];
  });
  return requirements.length === list.length ? requirements : null;
}

function isValidExpression(requirement: LabelRequirement): boolean {
  return checkRequirement(requirement) === undefined;
}
