/**
 * Decides for the eviction manager when the node is under pressure, what it reclaims, and which pod it
 * evicts.
 *
 *     resting ──observed──> checkingLimits ──none above its limits──> reclaiming ──reclaimed──> ranking
 *        ▲                        │         (a threshold is met)                     │             │
 *        │<──nothing is met───────┤                        enough was reclaimed──────┤       measured
 *        │                        └──pods were evicted──> cleaning <──killed── evicting <──────────┤
 *        │                                                    │                  no pod may go─────┤
 *        └<──────────────────────cleaned──────────────────────┴<───────────────────────────────────┘
 *
 * A round begins with `observed`. The driver performs the effects in their order, and feeds their results
 * back; an event that does not belong to the phase is a mistake of the driver.
 *
 * Invariants:
 *   1. The pressures of the node follow from every observation, whatever else happens in the round.
 *   2. Pods above their own limits are evicted first; if there are any, no other pod is evicted in this
 *      round.
 *   3. The node reclaims what is unused (dead containers, images) before a pod is evicted.
 *   4. At most one pod a round is evicted for the node's pressure, and the next round waits until its
 *      resources are free.
 *   5. A threshold acts only on a signal that was measured since the last round.
 *   6. Static pods, mirror pods and critical pods are never evicted.
 */
import type { Pod } from '../../api/pod.ts';
import { assert, unreachable } from '../../lib/assert.ts';
import { isCriticalPod } from '../admission/critical-pod.ts';
import { evictionText, type EvictionText } from './eviction-message.ts';
import {
  resourceOf,
  type EvictionSignal,
  type Pressure,
  type StarvedResource,
} from './eviction-signal.ts';
import { isHardThreshold, type EvictionThreshold } from './eviction-threshold.ts';
import { reclaimSteps, type FileSystemLayout, type ReclaimStep } from './file-system-layout.ts';
import { EVICTION_GRACE_SECONDS } from './local-storage-decision.ts';
import {
  mergeThresholds,
  metThresholds,
  unresolvedThresholds,
  updatedThresholds,
  type Observations,
} from './observation.ts';
import type { EvictionCandidate } from './pod-usage.ts';
import { rankForEviction } from './ranking.ts';
import {
  byEvictionPriority,
  firstObserved,
  lastObserved,
  pastGracePeriod,
  pressuresAt,
  type FirstObserved,
  type LastObserved,
} from './threshold-timers.ts';

export interface EvictionPolicy {
  readonly thresholds: readonly EvictionThreshold[];
  /** How long a pressure lasts after it was last observed. */
  readonly transitionMs: number;
  /** The longest grace period of a pod that is evicted for a soft threshold. */
  readonly maxPodGraceSeconds: number;
  readonly layout: FileSystemLayout;
}

/** The state that is carried from round to round. */
export interface Memory {
  readonly firstObserved: FirstObserved;
  readonly lastObserved: LastObserved;
  /** Thresholds past their grace period of which not enough was reclaimed yet. */
  readonly met: readonly EvictionThreshold[];
  readonly observations: Observations;
  readonly pressures: readonly Pressure[];
}

/** The thresholds that a round acts on; the resource of the first one is reclaimed. */
interface Round {
  readonly thresholds: readonly EvictionThreshold[];
}

export type State =
  | { readonly phase: 'resting'; readonly memory: Memory }
  | ({ readonly phase: 'checkingLimits'; readonly memory: Memory } & Round)
  | ({ readonly phase: 'reclaiming'; readonly memory: Memory } & Round)
  | ({ readonly phase: 'ranking'; readonly memory: Memory } & Round)
  | { readonly phase: 'evicting'; readonly memory: Memory; readonly pod: Pod }
  | { readonly phase: 'cleaning'; readonly memory: Memory };

export type Event =
  /** `nowMs` is of a monotonic clock. */
  | {
      readonly type: 'observed';
      readonly observations: Observations;
      readonly nowMs: number;
      /** False: the pods are not known yet, so the round only updates the node's pressures. */
      readonly mayAct: boolean;
    }
  /** The pods that were evicted because they use more than their own limits allow. */
  | { readonly type: 'limitsChecked'; readonly evicted: readonly Pod[] }
  /** Null: the node could not be observed again. */
  | { readonly type: 'reclaimed'; readonly observations: Observations | null }
  /** Null: the usage of pods is not known. */
  | { readonly type: 'measured'; readonly candidates: readonly EvictionCandidate[] | null }
  | { readonly type: 'killed' }
  | { readonly type: 'cleaned' }
  /** The driver could not finish the round, or has to stop. */
  | { readonly type: 'interrupted' };

export type Effect =
  | { readonly type: 'setPressures'; readonly pressures: readonly Pressure[] }
  | { readonly type: 'checkLimits' }
  | { readonly type: 'recordThresholdMet'; readonly message: string }
  | { readonly type: 'reclaim'; readonly steps: readonly ReclaimStep[] }
  | { readonly type: 'measure'; readonly resource: StarvedResource }
  /** For the log. */
  | { readonly type: 'report'; readonly problem: EvictionProblem; readonly pod: Pod | null }
  /** Records the age of the observation that an eviction is based on. */
  | { readonly type: 'countStatsAge'; readonly signal: EvictionSignal; readonly atMs: number }
  | ({ readonly type: 'evict' } & PressureEviction)
  | { readonly type: 'awaitCleanup'; readonly pods: readonly Pod[] }
  /** The round is over. `isAtOnce`: the next round starts immediately. */
  | { readonly type: 'rest'; readonly isAtOnce: boolean };

export interface PressureEviction extends EvictionText {
  readonly pod: Pod;
  readonly signal: EvictionSignal;
  readonly graceSeconds: number;
}

export type EvictionProblem = 'criticalPod' | 'noActivePods' | 'noPodEvicted' | 'usageUnknown';

export interface Decision {
  readonly state: State;
  readonly effects: readonly Effect[];
}

export const initial: State = {
  phase: 'resting',
  memory: {
    firstObserved: new Map(),
    lastObserved: new Map(),
    met: [],
    observations: new Map(),
    pressures: [],
  },
};

export function decide(state: State, event: Event, policy: EvictionPolicy): Decision {
  switch (event.type) {
    case 'observed':
      assert(state.phase === 'resting', `observed while ${state.phase}`);
      return observed(state.memory, event, policy);
    case 'limitsChecked':
      assert(state.phase === 'checkingLimits', `limits were checked while ${state.phase}`);
      return limitsChecked(state, event.evicted, policy);
    case 'reclaimed':
      assert(state.phase === 'reclaiming', `reclaimed while ${state.phase}`);
      return reclaimed(state, event.observations, policy);
    case 'measured':
      assert(state.phase === 'ranking', `measured while ${state.phase}`);
      return measured(state, event.candidates, policy);
    case 'killed':
      assert(state.phase === 'evicting', `killed while ${state.phase}`);
      return clean(state.memory, [state.pod]);
    case 'cleaned':
      assert(state.phase === 'cleaning', `cleaned while ${state.phase}`);
      return rest(state.memory, true);
    case 'interrupted':
      return rest(state.memory, false);
    default:
      return unreachable(event);
  }
}

function observed(
  before: Memory,
  { observations, nowMs, mayAct }: Event & { readonly type: 'observed' },
  { thresholds: all, transitionMs }: EvictionPolicy,
): Decision {
  const below = metThresholds(all, observations);
  const current = mergeThresholds(below, unresolvedThresholds(before.met, observations));
  const first = firstObserved(current, before.firstObserved, nowMs);
  const last = lastObserved(current, before.lastObserved, nowMs);
  const met = pastGracePeriod(current, first, nowMs);
  const pressures = pressuresAt(last, transitionMs, nowMs);
  const memory = { firstObserved: first, lastObserved: last, met, observations, pressures };
  const set: Effect = { type: 'setPressures', pressures };
  if (!mayAct) {
    // No threshold has acted on these observations, so the next round must not treat them as already used.
    return giveUp({ ...memory, observations: before.observations }, [set]);
  }
  const updated = updatedThresholds(met, observations, before.observations);
  return {
    state: { phase: 'checkingLimits', memory, thresholds: byEvictionPriority(updated) },
    effects: [set, { type: 'checkLimits' }],
  };
}

function limitsChecked(
  { memory, thresholds }: State & { readonly phase: 'checkingLimits' },
  evicted: readonly Pod[],
  { layout }: EvictionPolicy,
): Decision {
  if (evicted.length > 0) return clean(memory, evicted);
  const [first] = thresholds;
  if (!first) return rest(memory, false);
  const message = `Attempting to reclaim ${resourceOf(first.signal)}`;
  const record: Effect = { type: 'recordThresholdMet', message };
  const steps = reclaimSteps(first.signal, layout);
  if (steps.length === 0) return rank(memory, thresholds, [record]);
  return {
    state: { phase: 'reclaiming', memory, thresholds },
    effects: [record, { type: 'reclaim', steps }],
  };
}

/** Enough was reclaimed if no threshold at all is met any more, soft ones without their grace periods. */
function reclaimed(
  { memory, thresholds }: State & { readonly phase: 'reclaiming' },
  observations: Observations | null,
  { thresholds: all }: EvictionPolicy,
): Decision {
  const isEnough = observations && unresolvedThresholds(all, observations).length === 0;
  return isEnough ? rest(memory, false) : rank(memory, thresholds, []);
}

function rank(
  memory: Memory,
  thresholds: readonly EvictionThreshold[],
  effects: readonly Effect[],
): Decision {
  const [first] = thresholds;
  assert(first !== undefined, 'pods are ranked for a threshold');
  return {
    state: { phase: 'ranking', memory, thresholds },
    effects: [...effects, { type: 'measure', resource: resourceOf(first.signal) }],
  };
}

function measured(
  { memory, thresholds }: State & { readonly phase: 'ranking' },
  candidates: readonly EvictionCandidate[] | null,
  policy: EvictionPolicy,
): Decision {
  const [first] = thresholds;
  assert(first !== undefined, 'pods are ranked for a threshold');
  if (candidates === null) return giveUp(memory, [report('usageUnknown')]);
  if (candidates.length === 0) return giveUp(memory, [report('noActivePods')]);
  const ranked = rankForEviction(candidates, first.signal, policy.layout);
  const ages = thresholds.flatMap(({ signal }): readonly Effect[] => {
    const atMs = memory.observations.get(signal)?.atMs ?? null;
    return atMs === null ? [] : [{ type: 'countStatsAge', signal, atMs }];
  });
  const index = ranked.findIndex(({ pod }) => !isCriticalPod(pod));
  const spared = ranked.slice(0, index < 0 ? undefined : index);
  const reports = spared.map(({ pod }) => report('criticalPod', pod));
  const chosen = ranked[index];
  if (!chosen) return giveUp(memory, [...ages, ...reports, report('noPodEvicted')]);
  const text = evictionText(chosen, resourceOf(first.signal), thresholds, memory.observations);
  const eviction: PressureEviction = {
    ...text,
    pod: chosen.pod,
    signal: first.signal,
    graceSeconds: graceSecondsOf(chosen.pod, first, policy),
  };
  return {
    state: { phase: 'evicting', memory, pod: chosen.pod },
    effects: [...ages, ...reports, { type: 'evict', ...eviction }],
  };
}

function graceSecondsOf(
  { spec: { terminationGracePeriodSeconds: own } }: Pod,
  threshold: EvictionThreshold,
  { maxPodGraceSeconds }: EvictionPolicy,
): number {
  if (isHardThreshold(threshold)) return EVICTION_GRACE_SECONDS;
  return Math.min(maxPodGraceSeconds, own ?? maxPodGraceSeconds);
}

function clean(memory: Memory, pods: readonly Pod[]): Decision {
  return { state: { phase: 'cleaning', memory }, effects: [{ type: 'awaitCleanup', pods }] };
}

function giveUp(memory: Memory, effects: readonly Effect[]): Decision {
  const end = rest(memory, false);
  return { ...end, effects: [...effects, ...end.effects] };
}

function rest(memory: Memory, isAtOnce: boolean): Decision {
  return { state: { phase: 'resting', memory }, effects: [{ type: 'rest', isAtOnce }] };
}

function report(problem: EvictionProblem, pod: Pod | null = null): Effect {
  return { type: 'report', problem, pod };
}
