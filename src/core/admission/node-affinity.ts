/** Is this a node that the pod wants to be on, by its labels and its name? */
import {
  checkRequirement,
  matchesLabels,
  type LabelOperator,
  type Labels,
} from '../../api/label-selector.ts';
import type { Pod } from '../../api/pod.ts';
import {
  admissionSpecOf,
  type NodeSelectorRequirement,
  type NodeSelectorTerm,
} from './admission-view.ts';

export interface Place {
  readonly name: string;
  readonly labels: Labels;
}

const NAME_FIELD = 'metadata.name';
const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
  ['Gt', 'gt'],
  ['Lt', 'lt'],
]);

/** Its nodeSelector holds, and one of the terms of its required affinity, if it has any. */
export function wantsNode(pod: Pod, place: Place): boolean {
  const { nodeSelector = {}, affinity } = admissionSpecOf(pod);
  const isSelected = Object.entries(nodeSelector).every(
    ([key, value]) => Object.hasOwn(place.labels, key) && place.labels[key] === value,
  );
  if (!isSelected) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!required) return true;
  return required.nodeSelectorTerms?.some((term) => holdsFor(term, place)) ?? false;
}

/** A term that says nothing holds for no node, and neither does one that makes no sense. */
function holdsFor(term: NodeSelectorTerm, { name, labels }: Place): boolean {
  const { matchExpressions = [], matchFields = [] } = term;
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  return (
    matchExpressions.every((expression) => meets(expression, labels)) &&
    matchFields.every((field) => meetsField(field, name))
  );
}

function meets({ key, operator: name, values = [] }: NodeSelectorRequirement, labels: Labels) {
  const operator = OPERATORS.get(name);
  if (!operator) return false;
  const requirement = { key, operator, values };
  return checkRequirement(requirement) === undefined && matchesLabels([requirement], labels);
}

/** A field has one value, and a node has one field: any other one is the empty text. */
function meetsField({ key, operator, values = [] }: NodeSelectorRequirement, name: string) {
  const [wanted] = values;
  if (wanted === undefined || values.length > 1) return false;
  const actual = key === NAME_FIELD ? name : '';
  if (operator === 'In') return actual === wanted;
  return operator === 'NotIn' && actual !== wanted;
}
