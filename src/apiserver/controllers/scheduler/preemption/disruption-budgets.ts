/** Determines which of the potential victims would violate a PodDisruptionBudget if they were preempted. */
import { matchesLabels, type LabelSelector } from '../../../../api/values/label-selector.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { numberAt, structAt, valueAt } from '../../../objects/field-path.ts';
import { metadataOf, textOf } from '../../../objects/metadata.ts';
import { readTermSelector } from '../affinity-term.ts';
import type { PodView } from '../pod-view.ts';

export interface DisruptionBudget {
  readonly namespace: string;
  readonly selector: LabelSelector;
  readonly allowed: number;
  /** Pods whose eviction the budget has already counted. */
  readonly disrupted: ReadonlySet<string>;
}

/** Null: the budget selects no pods. */
export function readBudget(object: JsonObject): DisruptionBudget | null {
  const selector = readTermSelector(valueAt(object, 'spec.selector'));
  if (selector === null || selector.length === 0) return null;
  return {
    namespace: textOf(metadataOf(object)['namespace']),
    selector,
    allowed: numberAt(object, 'status.disruptionsAllowed'),
    disrupted: new Set(Object.keys(structAt(object, 'status.disruptedPods'))),
  };
}

/** `pods`: the most important first. */
export function splitByBudgets(
  pods: readonly PodView[],
  budgets: readonly DisruptionBudget[],
): { readonly violating: readonly PodView[]; readonly free: readonly PodView[] } {
  const left = budgets.map(({ allowed }) => allowed);
  const violating: PodView[] = [];
  const free: PodView[] = [];
  for (const pod of pods) {
    let isViolated = false;
    for (const [index, budget] of budgets.entries()) {
      if (!covers(budget, pod)) continue;
      const rest = (left[index] ?? 0) - 1;
      left[index] = rest;
      if (rest < 0) isViolated = true;
    }
    (isViolated ? violating : free).push(pod);
  }
  return { violating, free };
}

function covers({ namespace, selector, disrupted }: DisruptionBudget, pod: PodView): boolean {
  if (namespace !== pod.namespace || Object.keys(pod.labels).length === 0) return false;
  return matchesLabels(selector, pod.labels) && !disrupted.has(pod.name);
}
