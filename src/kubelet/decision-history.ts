/**
 * Stores the last decisions about each pod, to explain its state.
 *
 * Every decision goes to the subscribers (logs, traces, a live timeline) as it is made; the newest ones of
 * each pod stay here. Both the decisions of a pod and the number of pods are limited; if there are too many
 * pods, the one whose newest decision is the oldest is dropped.
 *
 * When a wait is recorded again with one more attempt, the new record replaces the last one: a probe that
 * fails for a day must not displace everything else that happened to its pod.
 */
import type { PodReference } from '../api/pod-reference.ts';
import type { DecisionLog, DecisionRecord } from '../ports/observe/decision-log.ts';
import { withoutLastAnswer } from '../core/pod-waits/wait-names.ts';
import type { Log } from '../ports/log.ts';

export interface DecisionHistoryOptions {
  readonly log: Log;
  readonly recordsPerPodMax?: number;
  readonly podsMax?: number;
}

export type DecisionSubscriber = (decision: DecisionRecord) => void;

const RECORDS_PER_POD_MAX = 200;
const PODS_MAX = 1000;

export class DecisionHistory implements DecisionLog {
  readonly #log: Log;
  readonly #recordsPerPodMax: number;
  readonly #podsMax: number;
  /** In the order of each pod's last decision. */
  readonly #pods = new Map<string, DecisionRecord[]>();
  readonly #subscribers = new Set<DecisionSubscriber>();

  constructor(options: DecisionHistoryOptions) {
    this.#log = options.log;
    this.#recordsPerPodMax = options.recordsPerPodMax ?? RECORDS_PER_POD_MAX;
    this.#podsMax = options.podsMax ?? PODS_MAX;
  }

  record(decision: DecisionRecord): void {
    const { uid } = decision.pod;
    const records = withoutRepetition(this.#pods.get(uid) ?? [], decision);
    records.push(decision);
    if (records.length > this.#recordsPerPodMax) records.shift();
    this.#pods.delete(uid);
    this.#pods.set(uid, records);
    this.#dropSilent();
    for (const subscriber of this.#subscribers) this.#notify(subscriber, decision);
  }

  /** Oldest first. Empty for a pod without decisions, or whose last one is too long ago. */
  of(uid: string): readonly DecisionRecord[] {
    return [...(this.#pods.get(uid) ?? [])];
  }

  /** All stored decisions of all pods, oldest first. */
  all(): readonly DecisionRecord[] {
    return [...this.#pods.values()].flat().toSorted((a, b) => a.atMs - b.atMs);
  }

  /** The pod of this name with the newest decision; it may not exist any more. Undefined: there is none. */
  findByName(namespace: string, name: string): PodReference | undefined {
    const last = [...this.#pods.values()].findLast((records) => {
      const pod = records[0]?.pod;
      return pod?.namespace === namespace && pod.name === name;
    });
    return last?.[0]?.pod;
  }

  subscribe(subscriber: DecisionSubscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => void this.#subscribers.delete(subscriber);
  }

  #dropSilent(): void {
    if (this.#pods.size <= this.#podsMax) return;
    for (const uid of this.#pods.keys()) {
      this.#pods.delete(uid);
      return;
    }
  }

  /** A subscriber that fails must not affect the component that made the decision. */
  #notify(subscriber: DecisionSubscriber, decision: DecisionRecord): void {
    try {
      subscriber(decision);
    } catch (error) {
      this.#log.error('Subscriber of the decision history failed', { error });
    }
  }
}

/**
 * The records without the last repetition of the same wait, and without the machine's steps since then, which
 * belong to that attempt. The first record of the wait is kept.
 */
function withoutRepetition(
  records: readonly DecisionRecord[],
  { machine, waitsFor, sinceMs }: DecisionRecord,
): DecisionRecord[] {
  if (waitsFor === undefined) return [...records];
  const stem = withoutLastAnswer(waitsFor);
  const isSame = (one: DecisionRecord): boolean =>
    one.machine === machine &&
    one.sinceMs === sinceMs &&
    withoutLastAnswer(one.waitsFor ?? '') === stem;
  const first = records.findIndex(isSame);
  const last = records.findLastIndex(isSame);
  if (first === last) return [...records];
  return records.filter((one, index) => index < last || one.machine !== machine);
}
