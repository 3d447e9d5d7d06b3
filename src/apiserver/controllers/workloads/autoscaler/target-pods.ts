/** Finds the pods of an autoscaler's target, and whether another autoscaler scales them, too. */
import { matchesLabels } from '../../../../api/values/label-selector.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { textAt } from '../../../objects/field-path.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import { nameOf } from '../../../objects/metadata.ts';
import type { NamespacePods } from '../shared/namespace-pods.ts';
import type { AutoscalerView } from './autoscaler-plan.ts';
import type { RivalIndex } from './rival-index.ts';
import { parsedSelector } from './target-selector.ts';

export interface TargetPods {
  readonly pods: readonly JsonObject[];
  readonly matches: (object: JsonObject) => boolean;
  readonly problem: AutoscalerView['selectorProblem'];
}

export interface TargetPodsDeps {
  readonly pods: Pick<NamespacePods, 'in'>;
  readonly rivals: Pick<RivalIndex, 'rivalsOf'>;
}

const NO_PODS = { pods: [], matches: () => false };

export function targetPods(
  { pods, rivals: index }: TargetPodsDeps,
  autoscaler: JsonObject,
  selector: string,
): TargetPods {
  if (selector === '') {
    const condition = "the HPA target's scale is missing a selector";
    return {
      ...NO_PODS,
      problem: problemOf('SelectorRequired', 'selector is required', condition),
    };
  }
  const parsed = parsedSelector(selector);
  if (typeof parsed === 'string') {
    const message = `couldn't convert selector into a corresponding internal selector object: ${parsed}`;
    return { ...NO_PODS, problem: problemOf('InvalidSelector', message, message) };
  }
  const matches = (object: JsonObject): boolean => matchesLabels(parsed, labelsOf(object));
  const namespace = textAt(autoscaler, 'metadata.namespace');
  const selected = pods.in(namespace).filter(matches);
  const rivals = index.rivalsOf(autoscaler, selected);
  if (rivals.length === 0) return { pods: selected, matches, problem: null };
  const names = [nameOf(autoscaler), ...rivals].toSorted();
  const list = names.map((name) => `{${name} ${namespace}}`).join(' ');
  const message = `pods by selector ${selector} are controlled by multiple HPAs: [${list}]`;
  return { pods: selected, matches, problem: problemOf('AmbiguousSelector', message, message) };
}

function problemOf(reason: string, message: string, condition: string) {
  return { type: 'Warning' as const, reason, message, condition };
}
