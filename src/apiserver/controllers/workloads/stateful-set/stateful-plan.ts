/**
 * Decides the next steps of a StatefulSet. One sync performs them, and their changes trigger the next sync.
 *
 *     wanted ordinals, the lowest first    finished ──> delete    missing ──> create       pending ──> claims
 *     ordinals beyond the range            the highest first: set the owner of its claims, delete it
 *     then the update                      the highest first: delete a pod of an old revision
 *
 * OrderedReady: a pod that is missing, terminating or not available blocks all pods after it, so at most one
 * pod changes at a time. Parallel: all pods at once; only the update replaces one pod, or `maxUnavailable`
 * pods, at a time.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { isGiven, readObject } from '../../../../api/validation/json-reading.ts';
import { numberAt, textAt, valueAt } from '../../../objects/field-path.ts';
import { nameOf } from '../../../objects/metadata.ts';
import { isBeingDeleted } from '../../garbage/owner-reference.ts';
import { scaledAmount } from '../shared/amounts-of-replicas.ts';
import { isPodAvailable, isPodDone, isPodReady } from '../shared/pod-state.ts';
import { claimOwners, isLeftover } from './claim-retention.ts';
import { claimsAt, isWantedOrdinal, ordinalOf, ordinalRange, podNameAt } from './ordinals.ts';
import { hasIdentity, hasStorage, revisionOf } from './stateful-pod.ts';

export interface StatefulView {
  readonly set: JsonObject;
  /** The members of the StatefulSet. */
  readonly pods: readonly JsonObject[];
  /** The ControllerRevision of pods below the partition; `update`: that of the current template. */
  readonly current: JsonObject;
  readonly update: JsonObject;
  readonly claimNamed: (name: string) => JsonObject | undefined;
  readonly nowMs: number;
}

export type StatefulStep =
  | { readonly type: 'create'; readonly ordinal: number; readonly revision: JsonObject }
  | { readonly type: 'delete'; readonly pod: JsonObject }
  /** Creates missing claims of a pending pod. */
  | { readonly type: 'provide'; readonly pod: JsonObject }
  /** Corrects labels of the pod and owners of its claims. */
  | { readonly type: 'repair'; readonly pod: JsonObject }
  /** Corrects owners of the claims of a pod that is scaled away. */
  | { readonly type: 'settleClaims'; readonly pod: JsonObject };

/** Phases in order. After a failure in one phase, the later ones are skipped. */
export type StatefulPlan = readonly (readonly StatefulStep[])[];

/** At most this many pods are created in one sync. */
const BURST_MAX = 500;

export function planStatefulSet(view: StatefulView): StatefulPlan {
  const { set } = view;
  if (isBeingDeleted(set)) return [];
  const layout = layOut(view);
  const isOrdered = !isParallel(set);
  const { steps, isBlocked } = planWanted(view, layout, isOrdered);
  if (isBlocked) return [steps];
  const claims = layout.surplus
    .filter(({ pod, ordinal }) => needsClaimOwners(view, pod, ordinal))
    .map(({ pod }) => ({ type: 'settleClaims', pod }) as const);
  if (isOrdered && layout.surplus.length > 0) {
    return [steps, claims, planScaleDown(view, layout.surplus)];
  }
  const removals = layout.surplus
    .filter(({ pod }) => !isBeingDeleted(pod))
    .map(({ pod }) => ({ type: 'delete', pod }) as const);
  return [steps, claims, removals, planUpdate(view, layout)];
}

/** Whether pods do not wait for each other. */
export function isParallel(set: JsonObject): boolean {
  return textAt(set, 'spec.podManagementPolicy') === 'Parallel';
}

interface Member {
  readonly pod: JsonObject;
  readonly ordinal: number;
}

interface Layout {
  readonly wanted: ReadonlyMap<number, JsonObject>;
  /** The highest ordinal first. */
  readonly surplus: readonly Member[];
}

function layOut({ set, pods }: StatefulView): Layout {
  const range = ordinalRange(set);
  const members = pods.flatMap((pod) => {
    const ordinal = ordinalOf(set, pod);
    return ordinal === null ? [] : [{ pod, ordinal }];
  });
  const isWanted = ({ ordinal }: Member): boolean => isWantedOrdinal(ordinal, range);
  return {
    wanted: new Map(members.filter(isWanted).map(({ pod, ordinal }) => [ordinal, pod])),
    surplus: members
      .filter((member) => !isWanted(member))
      .toSorted((a, b) => b.ordinal - a.ordinal),
  };
}

function planWanted(view: StatefulView, { wanted }: Layout, isOrdered: boolean) {
  const { start, end } = ordinalRange(view.set);
  const steps: StatefulStep[] = [];
  let missing = 0;
  // spec.replicas has no limit, so the loop also ends when BURST_MAX pods are missing.
  for (let ordinal = start; ordinal < end && missing < BURST_MAX; ordinal++) {
    const pod = wanted.get(ordinal);
    if (!pod) missing += 1;
    steps.push(...stepsAt(view, pod, ordinal, isOrdered));
    const isHolding = !pod || isPodDone(pod) || isBeingDeleted(pod) || !isAvailable(view, pod);
    if (isOrdered && isHolding) return { steps, isBlocked: true };
  }
  return { steps, isBlocked: missing >= BURST_MAX };
}

function stepsAt(
  view: StatefulView,
  pod: JsonObject | undefined,
  ordinal: number,
  isOrdered: boolean,
): readonly StatefulStep[] {
  if (!pod) {
    const isWaiting = hasLeftoverClaim(view, ordinal);
    return isWaiting ? [] : [{ type: 'create', ordinal, revision: revisionAt(view, ordinal) }];
  }
  if (isPodDone(pod)) return isBeingDeleted(pod) ? [] : [{ type: 'delete', pod }];
  const isPending = textAt(pod, 'status.phase') === 'Pending';
  const claims: readonly StatefulStep[] =
    isPending && needsClaims(view, pod, ordinal) ? [{ type: 'provide', pod }] : [];
  const isBusy = isBeingDeleted(pod) || !isAvailable(view, pod);
  if (isOrdered && isBusy) return claims;
  return isMember(view, pod, ordinal) ? claims : [...claims, { type: 'repair', pod }];
}

function isMember(view: StatefulView, pod: JsonObject, ordinal: number): boolean {
  const { set } = view;
  return hasIdentity(set, pod) && hasStorage(set, pod) && !needsClaimOwners(view, pod, ordinal);
}

function needsClaims(view: StatefulView, pod: JsonObject, ordinal: number): boolean {
  const { set, claimNamed } = view;
  if (claimsAt(set, ordinal).some(({ name }) => !claimNamed(name))) return true;
  return needsClaimOwners(view, pod, ordinal);
}

function needsClaimOwners(
  { set, claimNamed }: StatefulView,
  pod: JsonObject,
  ordinal: number,
): boolean {
  return claimsAt(set, ordinal).some(({ name }) => {
    const claim = claimNamed(name);
    return claim !== undefined && claimOwners(claim, { set, pod, ordinal }) !== null;
  });
}

function hasLeftoverClaim({ set, claimNamed }: StatefulView, ordinal: number): boolean {
  const pod = { metadata: { name: podNameAt(set, ordinal) } };
  return claimsAt(set, ordinal).some(({ name }) => {
    const claim = claimNamed(name);
    return claim !== undefined && isLeftover(claim, { set, pod, ordinal });
  });
}

/**
 * Below the partition the current revision. Without a partition, as many pods as still have the current
 * revision get it.
 */
function revisionAt({ set, pods, current, update }: StatefulView, ordinal: number): JsonObject {
  if (!isRollingSet(set)) return update;
  const name = nameOf(current);
  const isCurrent = (pod: JsonObject): boolean => revisionOf(pod) === name && !isBeingDeleted(pod);
  const kept = hasPartition(set) ? partitionOf(set) : pods.filter(isCurrent).length;
  return ordinal < ordinalRange(set).start + kept ? current : update;
}

/**
 * One pod at a time, the highest first. It waits for pods that are not available, unless the pod to delete is
 * that one.
 */
function planScaleDown(view: StatefulView, surplus: readonly Member[]): readonly StatefulStep[] {
  const [highest] = surplus;
  if (!highest || isBeingDeleted(highest.pod)) return [];
  const firstUnavailable = surplus.findLast(({ pod }) => !isServing(view, pod));
  const isWaiting = !isAvailable(view, highest.pod) && highest !== firstUnavailable;
  return isWaiting ? [] : [{ type: 'delete', pod: highest.pod }];
}

function planUpdate(view: StatefulView, { wanted }: Layout): readonly StatefulStep[] {
  const { set } = view;
  if (!isRollingSet(set)) return [];
  const { start, end } = ordinalRange(set);
  const lowest = start + partitionOf(set);
  const maxUnavailable = valueAt(set, 'spec.updateStrategy.rollingUpdate.maxUnavailable');
  if (!isGiven(maxUnavailable)) return planNextUpdate(view, wanted, lowest, end);
  const available = [...wanted.values()].filter((pod) => isServing(view, pod)).length;
  const allowed = Math.max(scaledAmount(maxUnavailable, end - start, 'down'), 1);
  const count = Math.max(allowed - (end - start - available), 0);
  return [...wanted]
    .filter(([ordinal, pod]) => ordinal >= lowest && isOutdated(view, pod))
    .toSorted(([a], [b]) => b - a)
    .slice(0, count)
    .map(([, pod]) => ({ type: 'delete', pod }));
}

function planNextUpdate(
  view: StatefulView,
  wanted: ReadonlyMap<number, JsonObject>,
  lowest: number,
  end: number,
): readonly StatefulStep[] {
  for (let ordinal = end - 1; ordinal >= lowest; ordinal--) {
    const pod = wanted.get(ordinal);
    if (pod && isOutdated(view, pod)) return [{ type: 'delete', pod }];
    if (!pod || !isServing(view, pod)) return [];
  }
  return [];
}

function isOutdated({ update }: StatefulView, pod: JsonObject): boolean {
  return revisionOf(pod) !== nameOf(update) && !isBeingDeleted(pod);
}

function isServing(view: StatefulView, pod: JsonObject): boolean {
  return isPodAvailable(pod, minReadyOf(view.set), view.nowMs) && !isBeingDeleted(pod);
}

/** Whether the pod is running, ready, and ready for long enough. */
function isAvailable({ set, nowMs }: StatefulView, pod: JsonObject): boolean {
  return isRunningReady(pod) && isPodAvailable(pod, minReadyOf(set), nowMs);
}

export function isRunningReady(pod: JsonObject): boolean {
  return textAt(pod, 'status.phase') === 'Running' && isPodReady(pod);
}

export function minReadyOf(set: JsonObject): number {
  return numberAt(set, 'spec.minReadySeconds');
}

export function isRollingSet(set: JsonObject): boolean {
  return textAt(set, 'spec.updateStrategy.type') === 'RollingUpdate';
}

function hasPartition(set: JsonObject): boolean {
  return readObject(valueAt(set, 'spec.updateStrategy.rollingUpdate')) !== undefined;
}

function partitionOf(set: JsonObject): number {
  return numberAt(set, 'spec.updateStrategy.rollingUpdate.partition');
}
