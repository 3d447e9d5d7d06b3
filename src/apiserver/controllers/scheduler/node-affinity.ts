/** Which nodes a pod wants to be on, by their labels and names. */
import {
  checkRequirement,
  matchesLabels,
  type LabelOperator,
  type Labels,
} from '../../../api/label-selector.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { objectsAt, structAt, valueAt } from '../../kinds/field-path.ts';
import { readObject, readText, readTexts } from '../../kinds/validation/json-reading.ts';

const REQUIRED = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution';
const NAME_FIELD = 'metadata.name';
const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
  ['Gt', 'gt'],
  ['Lt', 'lt'],
]);

export interface Place {
  readonly name: string;
  readonly labels: Labels;
}

/** Its nodeSelector holds, and one of the terms of its required affinity, if it has any. */
export function wantsNode(pod: JsonObject, node: Place): boolean {
  const selector = Object.entries(structAt(pod, 'spec.nodeSelector'));
  const isSelected = selector.every(
    ([key, value]) => Object.hasOwn(node.labels, key) && node.labels[key] === value,
  );
  if (!isSelected) return false;
  const required = readObject(valueAt(pod, REQUIRED));
  if (!required) return true;
  return objectsAt(required, 'nodeSelectorTerms').some((term) => holdsFor(term, node));
}

/**
 * The only nodes that come into question because every term names nodes; null: no such limit. Empty:
 * the names contradict each other.
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

/** A term that says nothing holds for no node. */
function holdsFor(term: JsonObject, { name, labels }: Place): boolean {
  const expressions = objectsAt(term, 'matchExpressions');
  const fields = objectsAt(term, 'matchFields');
  if (expressions.length === 0 && fields.length === 0) return false;
  return (
    expressions.every((expression) => meets(expression, labels)) &&
    fields.every((field) => field['key'] === NAME_FIELD && meets(field, { [NAME_FIELD]: name }))
  );
}

function meets(expression: JsonObject, labels: Labels): boolean {
  const operator = OPERATORS.get(readText(expression['operator']));
  if (!operator) return false;
  const key = readText(expression['key']);
  const requirement = { key, operator, values: readTexts(expression['values']) };
  if (checkRequirement(requirement) !== undefined) return false;
  return matchesLabels([requirement], labels);
}
