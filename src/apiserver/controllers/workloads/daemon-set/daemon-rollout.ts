/**
 * Decides the next step of a DaemonSet's rolling update, within `maxUnavailable` or `maxSurge`.
 *
 *     maxUnavailable   old pods are deleted, unavailable ones first, and the next sync creates new ones
 *     maxSurge         new pods are created beside old ones, which are deleted when the new ones are available
 *
 * A DaemonSet has one of the two.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { textAt, valueAt } from '../../../objects/field-path.ts';
import { isBeingDeleted } from '../../garbage/owner-reference.ts';
import { scaledAmount } from '../shared/amounts-of-replicas.ts';
import { isPodAvailable } from '../shared/pod-state.ts';
import { isUpdated } from './daemon-pod.ts';
import { minReadyOfDaemon, surgeOf, type DaemonPlan, type DaemonView } from './daemon-plan.ts';

const NOTHING: DaemonPlan = { create: [], remove: [], ended: [] };

export function planDaemonRollout(view: DaemonView): DaemonPlan {
  const { set } = view;
  if (textAt(set, 'spec.updateStrategy.type') !== 'RollingUpdate') return NOTHING;
  const wanted = view.nodes.filter(({ fit }) => fit.mayStart).length;
  const surge = surgeOf(set, wanted);
  const given = valueAt(set, 'spec.updateStrategy.rollingUpdate.maxUnavailable');
  const unavailable = scaledAmount(given, wanted, 'up');
  // A DaemonSet with neither would never be updated.
  return surge === 0
    ? planReplacing(view, Math.max(unavailable, wanted > 0 ? 1 : 0))
    : planSurging(view, surge, wanted);
}

interface PodPair {
  readonly node: string;
  readonly mayStart: boolean;
  readonly newPod: JsonObject | undefined;
  readonly oldPod: JsonObject | undefined;
  /** True: the node has more than one old or new pod, which planDaemons deletes first. */
  readonly isUnclear: boolean;
}

function pairsOf({ set, nodes, strays, hash }: DaemonView): readonly PodPair[] {
  const pair = (node: string, mayStart: boolean, pods: readonly JsonObject[]): PodPair => {
    const staying = pods.filter((pod) => !isBeingDeleted(pod));
    const fresh = staying.filter((pod) => isUpdated(set, pod, hash));
    const old = staying.filter((pod) => !fresh.includes(pod));
    const isUnclear = fresh.length > 1 || old.length > 1;
    return { node, mayStart, newPod: fresh[0], oldPod: old[0], isUnclear };
  };
  return [
    ...nodes
      .filter(({ fit, pods }) => fit.mayStart || pods.length > 0)
      .map(({ name, fit, pods }) => pair(name, fit.mayStart, pods)),
    ...strays.map((pod) => pair('', false, [pod])),
  ];
}

function planReplacing(view: DaemonView, maxUnavailable: number): DaemonPlan {
  const isAvailable = availability(view);
  const broken: JsonObject[] = [];
  const candidates: JsonObject[] = [];
  let unavailable = 0;
  for (const { newPod, oldPod, isUnclear } of pairsOf(view)) {
    const [only, isPair] = [newPod ?? oldPod, newPod !== undefined && oldPod !== undefined];
    if (isUnclear || !only || isPair || !isAvailable(only)) unavailable += 1;
    if (isUnclear || !oldPod || isPair) continue;
    (isAvailable(oldPod) ? candidates : broken).push(oldPod);
  }
  const allowed = Math.max(maxUnavailable - unavailable, 0);
  return { ...NOTHING, remove: [...broken, ...candidates.slice(0, allowed)] };
}

function planSurging(view: DaemonView, maxSurge: number, wanted: number): DaemonPlan {
  const isAvailable = availability(view);
  const create: string[] = [];
  const candidates: string[] = [];
  const remove: JsonObject[] = [];
  const misplaced: JsonObject[] = [];
  let [surging, available] = [0, 0];
  for (const { node, mayStart, newPod, oldPod, isUnclear } of pairsOf(view)) {
    const counted = oldPod ?? newPod;
    if (isUnclear) surging += 1;
    else if (counted && isAvailable(counted)) available += 1;
    if (isUnclear || !oldPod) continue;
    if (newPod) {
      if (isAvailable(newPod)) remove.push(oldPod);
      else surging += 1;
    } else if (mayStart) (isAvailable(oldPod) ? candidates : create).push(node);
    else (isAvailable(oldPod) ? misplaced : remove).push(oldPod);
  }
  const allowed = Math.max(maxSurge - surging, 0);
  // Pods on nodes that are no longer eligible still serve until others do.
  const spare = Math.max(available - wanted, 0);
  return {
    ...NOTHING,
    create: [...create, ...candidates.slice(0, allowed)],
    remove: [...remove, ...misplaced.slice(0, spare)],
  };
}

function availability({ set, nowMs }: DaemonView): (pod: JsonObject) => boolean {
  const minReady = minReadyOfDaemon(set);
  return (pod) => isPodAvailable(pod, minReady, nowMs);
}
