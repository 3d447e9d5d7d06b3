/**
 * Recordings of the kubelet's eviction manager (src/core/eviction/recorded-*.jsonl), and the machine's
 * answers to the same inputs. Unit tests and mutants share them.
 */
import type { Pod, PodStatus } from '../../src/api/pod.ts';
import { formatQuantity } from '../../src/api/values/quantity-text.ts';
import { pressureEvictedStatus } from '../../src/core/eviction/evicted-status.ts';
import {
  decide,
  initial,
  type Effect,
  type Event,
  type EvictionPolicy,
  type State,
} from '../../src/core/eviction/eviction-machine.ts';
import type { EvictionSignal } from '../../src/core/eviction/eviction-signal.ts';
import {
  withContainerFsThresholds,
  type FileSystemLayout,
} from '../../src/core/eviction/file-system-layout.ts';
import {
  decideLocalStorageEviction,
  type EvictionDecision,
  type LocalStorageUsage,
} from '../../src/core/eviction/local-storage-decision.ts';
import { localStorageLimits } from '../../src/core/eviction/local-storage-limits.ts';
import type { Observation, Observations } from '../../src/core/eviction/observation.ts';
import type { PodUsageStats } from '../../src/core/eviction/pod-usage.ts';
import {
  parseEvictionSettings,
  type EvictionSettings,
} from '../../src/core/eviction/threshold-settings.ts';

export interface RecordedRound {
  readonly afterMs: number;
  readonly observations: Readonly<Record<string, Observation>>;
  /** What is observed after the node has reclaimed something. */
  readonly reclaimed: Readonly<Record<string, Observation>>;
  /** By UID. Null: the kubelet had no stats of the pod. */
  readonly stats: Readonly<Record<string, PodUsageStats | null>>;
  readonly result: {
    readonly pressures: readonly string[];
    /** Of the node; empty: none. */
    readonly event: string;
    readonly steps: readonly string[];
    /** The UID of the pod; empty: none. */
    readonly evicted: string;
    readonly graceSeconds: number;
    readonly message: string;
    readonly condition: string;
    readonly annotations: Readonly<Record<string, string>> | null;
  };
}

export interface RecordedHistory extends EvictionSettings {
  readonly layout: FileSystemLayout;
  readonly transitionMs: number;
  readonly maxPodGraceSeconds: number;
  readonly pods: readonly Pod[];
  readonly rounds: readonly RecordedRound[];
}

export interface RecordedParse {
  readonly hard?: Readonly<Record<string, string>>;
  readonly soft?: Readonly<Record<string, string>>;
  readonly grace?: Readonly<Record<string, string>>;
  readonly reclaim?: Readonly<Record<string, string>>;
  readonly allocatable?: boolean;
  readonly error?: string;
  readonly thresholds?: readonly unknown[];
}

/** A pod, what it uses, and what the eviction manager of the kubelet did with it. */
export interface RecordedDecision {
  readonly name: string;
  readonly pod: Pod;
  readonly usage: Omit<LocalStorageUsage, 'volumes'> & {
    readonly volumes: Readonly<Record<string, number>>;
  };
  /** Null: it was left alone. */
  readonly evicted: {
    readonly signal: string;
    readonly message: string;
    readonly graceSeconds: number;
    readonly status: PodStatus;
  } | null;
}

const SECONDS: Readonly<Record<string, number>> = { '1m': 60, '1m30s': 90 };

/** The driver in short: answers every effect from the recording, and notes what was decided. */
export function playRounds(history: RecordedHistory): readonly RecordedRound['result'][] {
  const { layout, transitionMs, maxPodGraceSeconds } = history;
  const configured = parseEvictionSettings(history);
  const { thresholds } = withContainerFsThresholds(configured, layout);
  const policy: EvictionPolicy = { thresholds, layout, transitionMs, maxPodGraceSeconds };
  let state: State = initial;
  let nowMs = 0;
  return history.rounds.map((round) => {
    nowMs += round.afterMs;
    const observations = observationsOf(round.observations);
    const effects: Effect[] = [];
    let event: Event | null = { type: 'observed', observations, nowMs, mayAct: true };
    while (event) {
      const decision = decide(state, event, policy);
      state = decision.state;
      effects.push(...decision.effects);
      event = answer(decision.effects.at(-1), history.pods, round);
    }
    return resultOf(effects);
  });
}

function answer(
  effect: Effect | undefined,
  pods: readonly Pod[],
  { reclaimed, stats }: RecordedRound,
): Event | null {
  const type = effect?.type;
  if (type === 'checkLimits') return { type: 'limitsChecked', evicted: [] };
  if (type === 'reclaim') return { type: 'reclaimed', observations: observationsOf(reclaimed) };
  if (type === 'evict') return { type: 'killed' };
  if (type === 'awaitCleanup') return { type: 'cleaned' };
  if (type !== 'measure') return null;
  const candidates = pods.map((pod) => ({ pod, stats: stats[pod.metadata.uid ?? ''] ?? null }));
  return { type: 'measured', candidates };
}

function resultOf(effects: readonly Effect[]): RecordedRound['result'] {
  const result = { pressures: [] as string[], event: '', steps: [] as string[] };
  const none = { evicted: '', graceSeconds: 0, message: '', condition: '', annotations: null };
  let eviction: Omit<RecordedRound['result'], keyof typeof result> = none;
  for (const effect of effects) {
    if (effect.type === 'setPressures') result.pressures = effect.pressures.toSorted();
    if (effect.type === 'reclaim') result.steps = [...effect.steps];
    if (effect.type === 'recordThresholdMet') {
      result.event = `Warning EvictionThresholdMet ${effect.message}`;
    }
    if (effect.type === 'evict') {
      const { pod, graceSeconds, message, annotations } = effect;
      const status = pressureEvictedStatus(pod, {}, message, '2026-01-01T00:00:00Z');
      const [one] = status.conditions ?? [];
      const condition = `${one?.type} ${one?.status} ${one?.reason} ${one?.message}`;
      const evicted = pod.metadata.uid ?? '';
      eviction = { evicted, graceSeconds, message: status.message ?? '', condition, annotations };
    }
  }
  return { ...result, ...eviction };
}

function observationsOf(recorded: Readonly<Record<string, Observation>>): Observations {
  return new Map(Object.entries(recorded) as [EvictionSignal, Observation][]);
}

/** Throws as the kubelet refuses it. */
export function parseRecorded(recorded: RecordedParse): readonly unknown[] {
  const { hard = {}, soft = {}, grace = {}, reclaim = {}, allocatable = false } = recorded;
  const periods = Object.entries(grace).map(([name, text]) => [name, (SECONDS[text] ?? 0) * 1000]);
  const found = parseEvictionSettings({
    hard,
    soft,
    softGraceMs: Object.fromEntries(periods),
    minimumReclaim: reclaim,
    enforcesAllocatable: allocatable,
  });
  return found.map(({ signal, value, graceMs, minReclaim }) => ({
    signal,
    graceMs,
    ...(typeof value === 'number' ? { part: value } : { amount: formatQuantity(value) }),
    ...(typeof minReclaim === 'number' && { reclaimPart: minReclaim }),
    ...(minReclaim !== null &&
      typeof minReclaim !== 'number' && { reclaimAmount: formatQuantity(minReclaim) }),
  }));
}

/** Null: the pod is left alone. */
export function decideRecorded({ pod, usage: used }: RecordedDecision): EvictionDecision | null {
  const limits = localStorageLimits(pod);
  const usage = { ...used, volumes: new Map(Object.entries(used.volumes)) };
  return limits && decideLocalStorageEviction(pod, limits, usage);
}
