/**
 * The last decisions about each pod, for those who ask why it is as it is.
 *
 * Every decision goes to the subscribers (logs, traces, a live timeline) as it is made; the newest
 * ones of each pod stay here. Both are bounded: a pod that flaps for days, and a node that has seen
 * thousands of pods, cost no more than their share. The pods that were silent longest go first.
 */
import type { DecisionLog, DecisionRecord } from '../ports/decision-log.ts';
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
  /** In the order in which the pods were last spoken of. */
  readonly #pods = new Map<string, DecisionRecord[]>();
  readonly #subscribers = new Set<DecisionSubscriber>();

  constructor(options: DecisionHistoryOptions) {
    this.#log = options.log;
    this.#recordsPerPodMax = options.recordsPerPodMax ?? RECORDS_PER_POD_MAX;
    this.#podsMax = options.podsMax ?? PODS_MAX;
  }

  record(decision: DecisionRecord): void {
    const { uid } = decision.pod;
    const records = this.#pods.get(uid) ?? [];
    records.push(decision);
    if (records.length > this.#recordsPerPodMax) records.shift();
    this.#pods.delete(uid);
    this.#pods.set(uid, records);
    this.#dropSilent();
    for (const subscriber of this.#subscribers) this.#tell(subscriber, decision);
  }

  /** Oldest first. Empty for a pod that nothing was decided about, or too long ago. */
  of(uid: string): readonly DecisionRecord[] {
    return [...(this.#pods.get(uid) ?? [])];
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

  /** Whoever listens must not be able to stop those who decide. */
  #tell(subscriber: DecisionSubscriber, decision: DecisionRecord): void {
    try {
      subscriber(decision);
    } catch (error) {
      this.#log.error('A subscriber of decisions failed', { error });
    }
  }
}
