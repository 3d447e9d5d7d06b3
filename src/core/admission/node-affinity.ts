/** Decides whether a pod's node selector and required node affinity match a node's labels and name. */
import {
  checkRequirement,
  matchesLabels,
  type LabelOperator,
  type Labels,
} from '../../api/values/label-selector.ts';
import type { Pod } from '../../api/pod.ts';
import {
  admissionSpecOf,
  type NodeSelectorRequirement,
  type NodeSelectorTerm,
} from './admission-view.ts';

export interface AffinityNode {
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

/**
 * True if the node matches the pod's nodeSelector and, if the pod has a required node affinity, one of its
 * terms.
 */
export function wantsNode(pod: Pod, node: AffinityNode): boolean {
  const { nodeSelector = {}, affinity } = admissionSpecOf(pod);
  const isSelected = Object.entries(nodeSelector).every(
    ([key, value]) => Object.hasOwn(node.labels, key) && node.labels[key] === value,
  );
  if (!isSelected) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!required) return true;
  return required.nodeSelectorTerms?.some((term) => holdsFor(term, node)) ?? false;
}

/** An empty term and an invalid term match no node. */
function holdsFor(term: NodeSelectorTerm, { name, labels }: AffinityNode): boolean {
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

/**
 * `metadata.name` is the only field of a node; every other field has the empty value. A requirement names one
 * value.
 */
function meetsField({ key, operator, values = [] }: NodeSelectorRequirement, name: string) {
  const [wanted] = values;
  if (wanted === undefined || values.length > 1) return false;
  const actual = key === NAME_FIELD ? name : '';
  if (operator === 'In') return actual === wanted;
  return operator === 'NotIn' && actual !== wanted;
}
