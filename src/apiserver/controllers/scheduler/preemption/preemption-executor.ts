/**
 * Performs a preemption: clears nominations of lower priority for the same node, then deletes the victims.
 * The scheduler does not try the pod again until all of that is written.
 */
import type { Log } from '../../../../ports/log.ts';
import type { Cluster } from '../cluster.ts';
import type { PodView } from '../pod-view.ts';
import type { PodWriter } from '../pod-writer.ts';
import type { Candidate } from './victims.ts';

export class PreemptionExecutor {
  readonly #cluster: Cluster;
  readonly #writer: PodWriter;
  readonly #log: Log;
  /** By the key of the pod for which others are preempted. */
  readonly #running = new Map<string, Promise<void>>();

  constructor(cluster: Cluster, writer: PodWriter, log: Log) {
    this.#cluster = cluster;
    this.#writer = writer;
    this.#log = log;
  }

  /** Undefined: no preemption is running for the pod. */
  of(key: string): Promise<void> | undefined {
    return this.#running.get(key);
  }

  start(pod: PodView, candidate: Candidate, onFailure: () => void): void {
    const run = this.#preempt(pod, candidate)
      .catch((error: unknown) => {
        this.#log.warn('Error occurred during preemption', { key: pod.key, error });
        onFailure();
      })
      .then(() => {
        this.#running.delete(pod.key);
      });
    this.#running.set(pod.key, run);
  }

  /** Resolves when no preemption is running. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async #preempt(pod: PodView, { node, victims }: Candidate): Promise<void> {
    const lower = this.#cluster.nominations
      .on(node)
      .filter(({ priority }) => priority < pod.priority);
    for (const other of lower) this.#cluster.nominations.delete(other.key);
    await Promise.all(lower.map((other) => this.#writer.clearNomination(other)));
    const alive = victims.filter(({ isBeingDeleted }) => !isBeingDeleted);
    await Promise.all(alive.map((victim) => this.#writer.preempt(victim, pod, node)));
  }
}
