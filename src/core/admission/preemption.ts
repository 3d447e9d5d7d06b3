/**
 * Chooses the pods to preempt so that a critical pod fits (preemption by the kubelet at admission, not by the
 * scheduler).
 *
 * It preempts as few pods as possible, by QoS class: a guaranteed pod only if all burstable and best-effort
 * pods together would not free enough, a burstable pod only if the best-effort pods would not. Within a class
 * it chooses the pod whose requests come closest to the missing resources, and among equals the smaller pod.
 */
import type { Pod, QosClass } from '../../api/pod.ts';
import { qosClass } from '../resources/qos-class.ts';
import { mayPreempt } from './critical-pod.ts';
import { missingOf, requestOf, type Shortage } from './resource-fit.ts';

interface Need {
  readonly resource: string;
  readonly amount: bigint;
}

export type PreemptionPlan =
  | { readonly victims: readonly Pod[] }
  | { readonly victims: null; readonly fault: string };

export function planPreemption(
  preemptor: Pod,
  others: readonly Pod[],
  shortages: readonly Shortage[],
): PreemptionPlan {
  const needs = shortages.map((one) => ({ resource: one.resource, amount: missingOf(one) }));
  const candidates = others.filter((other) => mayPreempt(preemptor, other));
  const unmet = without(needs, candidates);
  if (unmet.length > 0) return { victims: null, fault: describeFault(unmet) };
  const [bestEffort, burstable, guaranteed] = (
    ['BestEffort', 'Burstable', 'Guaranteed'] satisfies QosClass[]
  ).map((wanted) => candidates.filter((candidate) => qosClass(candidate) === wanted));
  const last = choose(guaranteed, without(needs, [...(bestEffort ?? []), ...(burstable ?? [])]));
  const middle = choose(burstable, without(needs, [...(bestEffort ?? []), ...last]));
  const first = choose(bestEffort, without(needs, [...middle, ...last]));
  return { victims: [...first, ...middle, ...last] };
}

/** The resources that would still be missing after these pods were preempted. */
function without(needs: readonly Need[], pods: readonly Pod[]): readonly Need[] {
  return needs
    .map(({ resource, amount }) => ({
      resource,
      amount: pods.reduce((rest, pod) => rest - requestOf(pod, resource), amount),
    }))
    .filter(({ amount }) => amount > 0n);
}

/** The caller has checked that all pods together free enough. */
function choose(pods: readonly Pod[] = [], needs: readonly Need[]): readonly Pod[] {
  const pool = [...pods];
  const chosen: Pod[] = [];
  let rest = needs;
  while (rest.length > 0) {
    const [best] = pool.map((pod) => ({ pod, distance: distanceOf(pod, rest) })).sort(byUsefulness);
    if (!best) break;
    pool.splice(pool.indexOf(best.pod), 1);
    chosen.push(best.pod);
    rest = without(rest, [best.pod]);
  }
  return chosen;
}

interface Candidate {
  readonly pod: Pod;
  readonly distance: number;
}

function byUsefulness(a: Candidate, b: Candidate): number {
  if (a.distance !== b.distance) return a.distance - b.distance;
  for (const resource of ['memory', 'cpu']) {
    const difference = requestOf(a.pod, resource) - requestOf(b.pod, resource);
    if (difference !== 0n) return difference < 0n ? -1 : 1;
  }
  return 0;
}

/** How far the requests of this pod alone are from the missing resources; each resource has the same weight. */
function distanceOf(pod: Pod, needs: readonly Need[]): number {
  return needs.reduce((sum, { resource, amount }) => {
    const rest = amount - requestOf(pod, resource);
    return rest > 0n ? sum + (Number(rest) / Number(amount)) ** 2 : sum;
  }, 0);
}

function describeFault(unmet: readonly Need[]): string {
  const list = unmet.map(({ resource, amount }) => `(res: ${resource}, q: ${amount}), `).join('');
  return (
    'preemption: error finding a set of pods to preempt: ' +
    `no set of running pods found to reclaim resources: [${list}]`
  );
}
