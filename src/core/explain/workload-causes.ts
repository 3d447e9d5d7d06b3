/**
 * Finds the causes that explanations of Deployments, StatefulSets and DaemonSets share: no controller, a
 * controller that lags behind, and the causes of the worst pod.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { ExplainedCause, Explanation } from './explanation.ts';
import { quoted, toCause } from './finding.ts';
import { countAt, msAt } from './loose-json.ts';

export type WorkloadKind = 'Deployment' | 'StatefulSet' | 'DaemonSet';

/** The worst state first. States that are not listed are fine. */
const WORST = [
  'Failed',
  'Restarting',
  'NotScheduled',
  'NotStarted',
  'Unknown',
  'NotReady',
  'NotGone',
];

/** A controller sets observedGeneration when it first syncs the object. */
export function hasController(object: JsonObject): boolean {
  return countAt(object, 'status', 'observedGeneration') > 0;
}

export function noController(kind: WorkloadKind, object: JsonObject): ExplainedCause {
  return toCause('no-controller', {
    what: `No controller acts on the ${kind}: none has ever looked at it.`,
    sinceMs: msAt(object, 'metadata', 'creationTimestamp'),
    next: `nothing happens until a ${kind} controller runs`,
    advice: [
      `Check that \`--controllers\` of \`podkeep up\` does not leave out \`${kind.toLowerCase()}\`, and which controller manager holds the Lease kube-system/kube-controller-manager.`,
    ],
  });
}

export function controllerBehind(
  kind: WorkloadKind,
  object: JsonObject,
): readonly ExplainedCause[] {
  const generation = countAt(object, 'metadata', 'generation');
  const observed = countAt(object, 'status', 'observedGeneration');
  if (observed >= generation) return [];
  const what = `The ${kind} controller has not seen the newest change: it knows generation ${observed} of ${generation}.`;
  const advice = [`Check the ${kind} controller: podkeep's, or that of kube-controller-manager.`];
  return [toCause('controller-behind', { what, advice })];
}

export function worstPodCauses(pods: readonly Explanation[]): readonly ExplainedCause[] {
  const rank = ({ state }: Explanation): number => {
    const at = WORST.indexOf(state);
    return at === -1 ? WORST.length : at;
  };
  const [worst] = pods.toSorted((a, b) => rank(a) - rank(b));
  if (!worst || rank(worst) === WORST.length) return [];
  const { subject, causes } = worst;
  return causes.map((cause) => ({ ...cause, what: `Pod ${quoted(subject.name)}: ${cause.what}` }));
}
