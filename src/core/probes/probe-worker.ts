/**
 * Decides what a probe worker does next for one probe of one container (KL-72 to KL-77).
 *
 *               woke            woke, triggered: probe
 *     waiting ────────> resting ───────────────────────> probing
 *                         ▲ │                               │
 *                         │ │ nothing to do: wait a period  │ probed: count, report
 *                         └─┴───────────────────────────────┘
 *     ended <── the pod or the container is over for good, or the worker was stopped
 *
 * A worker checks the pod's status once in each period, counted from its first check. If a check is due while
 * a probe runs, it is made right after the probe; further missed checks are skipped. A trigger causes a check
 * immediately, and the periods count from there (KL-80), unless the worker still waits for its first check.
 *
 * `kubelet/probes/probe-worker.ts` sets the timer, probes the container and stores the results. `nowMs` is a
 * reading of a monotonic clock; only `View.nowMs` is the time of day, because it is compared with the start
 * of a container.
 *
 * Invariants:
 *   1. At most one probe is under way, and none for a container that does not run.
 *   2. Outcomes of one container never count for the next container (in Kubernetes' kubelet this can happen,
 *      KL-75).
 *   3. A result is reported only for the container that the pod's status shows at that time.
 *   4. After a liveness probe failed, or a startup probe has a result, the worker pauses until there is a new
 *      container (KL-76).
 *   5. While it waits or rests, exactly one timer is set.
 */
import { isConditionTrue } from '../../api/condition.ts';
import type { Time } from '../../api/meta.ts';
import type { Container, ContainerStatus, Pod, PodStatus } from '../../api/pod.ts';
import { parseTime, secondsBetween } from '../../api/values/time.ts';
import { assert, unreachable } from '../../lib/assert.ts';
import { ALL_CONTAINERS_RESTARTING } from '../pod-status/condition-ownership.ts';
import {
  findStatus,
  initAndRegularContainers,
  isBeingDeleted,
  isTerminalPhase,
} from '../pod/pod-facts.ts';
import type { ProbeResult } from '../pod-status/probe-status.ts';
import { restartsAfterExit, restartsAllContainers } from '../pod-actions/restart-policy.ts';

export type ProbeKind = 'liveness' | 'readiness' | 'startup';

/** The probe of one worker. Fixed when it begins, as in the kubelet (KL-70). */
export interface Assignment {
  readonly kind: ProbeKind;
  readonly pod: Pod;
  readonly container: Container;
  readonly initialDelaySeconds: number;
  readonly periodMs: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
  /** When this podkeep process started. */
  readonly since: Time;
}

export interface State {
  readonly phase: 'waiting' | 'resting' | 'probing' | 'ended';
  /** The container seen last. Empty: none yet. */
  readonly containerID: string;
  /** How often in a row the probe of this container had the same outcome. */
  readonly run: { readonly outcome: 'success' | 'failure'; readonly count: number } | null;
  /** The probe pauses until there is a new container. */
  readonly isOnHold: boolean;
  readonly nextLookMs: number;
}

/** What a check reads. */
export interface View {
  /** The pod's status as podkeep reports it. Undefined: there is none. */
  readonly status: PodStatus | undefined;
  /** The time of day. */
  readonly nowMs: number;
}

export type Event =
  | { readonly type: 'began'; readonly delayMs: number }
  | { readonly type: 'woke'; readonly view: View }
  /** A check is likely to find a change now. */
  | { readonly type: 'triggered'; readonly view: View }
  | { readonly type: 'probed'; readonly outcome: Outcome; readonly view: View }
  | { readonly type: 'stopped' };

/** `errored`: the probe could not run, so its outcome is unknown (KL-74). */
export type Outcome = 'success' | 'failure' | 'errored';

export type Effect =
  | { readonly type: 'probe'; readonly containerID: string; readonly status: PodStatus }
  | { readonly type: 'setResult'; readonly containerID: string; readonly result: ProbeResult }
  | { readonly type: 'removeResult'; readonly containerID: string }
  /** Replaces the timer that is set, if any. */
  | { readonly type: 'wakeAfter'; readonly delayMs: number }
  | { readonly type: 'end' };

export interface Decision {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/** The results until the first probe has a result (KL-72). */
const INITIAL_RESULTS = { readiness: 'failure', liveness: 'success', startup: 'unknown' } as const;

/**
 * Containers that started more than this long before podkeep keep their readiness until they are probed
 * (KL-79).
 */
const RESTART_WINDOW_SECONDS = 10;

export const initial: State = {
  phase: 'waiting',
  containerID: '',
  run: null,
  isOnHold: false,
  nextLookMs: 0,
};

/**
 * How long a new worker waits for its first check. Just after the start of podkeep all workers begin
 * together; they are spread over their periods, so that not all probes run at the same time (KL-72).
 */
export function firstDelayMs(periodMs: number, uptimeMs: number, chance: number): number {
  return uptimeMs < periodMs ? chance * periodMs : 0;
}

export function decide(
  assignment: Assignment,
  state: State,
  event: Event,
  nowMs: number,
): Decision {
  if (state.phase === 'ended') return { state, effects: [] };
  switch (event.type) {
    case 'began':
      return rest({ ...state, nextLookMs: nowMs + event.delayMs }, nowMs);
    case 'woke':
      if (state.phase === 'probing') return { state, effects: [] };
      return look(assignment, withNextLook(assignment, state, nowMs), event.view, nowMs);
    case 'triggered': {
      if (state.phase === 'waiting') return { state, effects: [] };
      // While a probe is under way, this makes a check due at its end; the periods then count from there.
      const due = { ...state, nextLookMs: nowMs };
      if (state.phase === 'probing') return { state: due, effects: [] };
      return look(assignment, withNextLook(assignment, due, nowMs), event.view, nowMs);
    }
    case 'probed':
      assert(state.phase === 'probing', `an answer came while the worker was ${state.phase}`);
      return decideResult(assignment, { ...state, phase: 'resting' }, event, nowMs);
    case 'stopped':
      return end(state);
    default:
      return unreachable(event);
  }
}

/** Missed checks are skipped. A timer that fires a little early counts as on time. */
function withNextLook({ periodMs }: Assignment, state: State, nowMs: number): State {
  const periods = Math.max(Math.floor((nowMs - state.nextLookMs) / periodMs) + 1, 1);
  return { ...state, phase: 'resting', nextLookMs: state.nextLookMs + periods * periodMs };
}

/** The order of the checks is that of KL-73. */
function look(assignment: Assignment, before: State, view: View, nowMs: number): Decision {
  const { status } = view;
  if (!status) return rest(before, nowMs);
  if (isTerminalPhase(status.phase)) return end(before);
  const container = identified(status, assignment.container.name);
  if (!container) return rest(before, nowMs);
  const met = meet(assignment, before, container);
  const { state, effects } = met;
  if (state.isOnHold) return rest(state, nowMs, effects);
  if (!container.state?.running) {
    const reported = [...effects, setResult(state, 'failure')];
    return mayRunAgain(assignment, status, container)
      ? rest(state, nowMs, reported)
      : end(state, reported);
  }
  if (isBeingDeleted(assignment.pod) && assignment.kind !== 'readiness') {
    // A last success, so that a terminating container is not restarted.
    return end(state, [...effects, setResult(state, 'success')]);
  }
  if (!isDue(assignment, container, view.nowMs)) return rest(state, nowMs, effects);
  const { containerID } = state;
  const probe: Effect = { type: 'probe', containerID, status };
  return { state: { ...state, phase: 'probing' }, effects: [...effects, probe] };
}

/**
 * The status of the container if it has been created: before that there is nothing to probe. Sidecars count,
 * too.
 */
function identified(status: PodStatus, name: string): ContainerStatus | undefined {
  const regular = findStatus(status.containerStatuses, name);
  if (regular?.containerID) return regular;
  const init = findStatus(status.initContainerStatuses, name);
  return init?.containerID ? init : undefined;
}

/** If the container has a new ID, everything about the old container is dropped (KL-72). */
function meet(assignment: Assignment, state: State, container: ContainerStatus): Decision {
  const { containerID = '' } = container;
  if (containerID === state.containerID) return { state, effects: [] };
  const met: State = { ...state, containerID, run: null, isOnHold: false };
  const effects: Effect[] = forget(state);
  const first = firstResult(assignment, container);
  if (first) effects.push(setResult(met, first));
  return { state: met, effects };
}

/** Null: the container started before podkeep, and its previous state counts until it is probed. */
function firstResult(assignment: Assignment, container: ContainerStatus): ProbeResult | null {
  const { kind, since } = assignment;
  const startedAt = container.state?.running?.startedAt;
  const isOlder = startedAt && secondsBetween(startedAt, since) > RESTART_WINDOW_SECONDS;
  if (!isOlder) return INITIAL_RESULTS[kind];
  // Whether a sidecar has started decides when the next containers start, so it needs a result.
  const isSidecar = assignment.container.restartPolicy === 'Always' && isInit(assignment);
  return isSidecar && kind === 'startup' && container.started === true ? 'success' : null;
}

function isInit({ pod, container }: Assignment): boolean {
  return pod.spec.initContainers?.some(({ name }) => name === container.name) ?? false;
}

/**
 * A container that has not terminated may still run; after that it may restart, alone or with all others
 * (E-6, E-7).
 */
function mayRunAgain(
  { pod, container }: Assignment,
  status: PodStatus,
  { state }: ContainerStatus,
): boolean {
  const ended = state?.terminated;
  if (!ended || restartsAfterExit(container, pod.spec, ended.exitCode)) return true;
  if (isConditionTrue(status.conditions, ALL_CONTAINERS_RESTARTING)) return true;
  return initAndRegularContainers(pod.spec).some((other) => {
    const shown =
      findStatus(status.containerStatuses, other.name) ??
      findStatus(status.initContainerStatuses, other.name);
    const exitCode = shown?.state?.terminated?.exitCode;
    return exitCode !== undefined && restartsAllContainers(other, exitCode);
  });
}

/** A startup probe runs until the container has started; the others run from then on. */
function isDue(
  { kind, initialDelaySeconds }: Assignment,
  { state, started }: ContainerStatus,
  nowMs: number,
): boolean {
  const startedAt = state?.running?.startedAt;
  const ageMs = startedAt ? nowMs - parseTime(startedAt).ms : Infinity;
  if (Math.floor(ageMs / 1000) < initialDelaySeconds) return false;
  return (started === true) !== (kind === 'startup');
}

function decideResult(
  assignment: Assignment,
  state: State,
  { outcome, view }: Extract<Event, { type: 'probed' }>,
  nowMs: number,
): Decision {
  if (outcome === 'errored') return rest(state, nowMs);
  const shown = view.status && identified(view.status, assignment.container.name);
  // The container was replaced while it was probed: the outcome does not count.
  if (shown?.containerID !== state.containerID) return rest(state, nowMs);
  const { kind, successThreshold, failureThreshold } = assignment;
  const count = state.run?.outcome === outcome ? state.run.count + 1 : 1;
  const threshold = outcome === 'success' ? successThreshold : failureThreshold;
  if (count < threshold) return rest({ ...state, run: { outcome, count } }, nowMs);
  const isOnHold = kind === 'startup' || (kind === 'liveness' && outcome === 'failure');
  const decided: State = { ...state, run: { outcome, count }, isOnHold };
  return rest(decided, nowMs, [setResult(state, outcome)]);
}

function rest(state: State, nowMs: number, effects: readonly Effect[] = []): Decision {
  const delayMs = Math.max(state.nextLookMs - nowMs, 0);
  return { state, effects: [...effects, { type: 'wakeAfter', delayMs }] };
}

function end(state: State, effects: readonly Effect[] = []): Decision {
  return {
    state: { ...state, phase: 'ended' },
    effects: [...effects, ...forget(state), { type: 'end' }],
  };
}

function forget({ containerID }: State): Effect[] {
  return containerID === '' ? [] : [{ type: 'removeResult', containerID }];
}

function setResult({ containerID }: State, result: ProbeResult): Effect {
  return { type: 'setResult', containerID, result };
}
