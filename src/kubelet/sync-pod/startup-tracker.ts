/**
 * Tracks the starts of API pods for the metrics of start-up latency, from their watch events and image pulls;
 * core/pod/startup-latency.ts decides. Static pods are not tracked.
 */
import type { Pod } from '../../api/pod.ts';
import { observeStartup, type Pull, type StartupState } from '../../core/pod/startup-latency.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PodStartMetrics } from '../metrics/pod-start-metrics.ts';

export interface StartupTrackerOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly metrics: Pick<PodStartMetrics, 'startConfirmed'>;
}

interface Tracked {
  readonly state: StartupState;
  readonly pulls: Pull[];
}

export class StartupTracker {
  readonly #options: StartupTrackerOptions;
  readonly #pods = new Map<string, Tracked>();

  constructor(options: StartupTrackerOptions) {
    this.#options = options;
  }

  /** The watch delivered the pod. */
  watched(pod: Pod): void {
    const { clock, metrics } = this.#options;
    const uid = pod.metadata.uid ?? '';
    const { state: before, pulls = [] } = this.#pods.get(uid) ?? {};
    const { state, latency } = observeStartup(before, pod, pulls, clock.now());
    // Pulls of restarts do not count any more.
    this.#pods.set(uid, { state, pulls: state === 'tracked' ? pulls : [] });
    if (latency) metrics.startConfirmed(latency);
  }

  /** An image of the pod is being pulled. Returns a function that ends the pull. */
  pulling(podUid: string): () => void {
    const { clock } = this.#options;
    const tracked = this.#pods.get(podUid);
    if (tracked?.state !== 'tracked') return () => {};
    const beganAtMs = clock.now();
    return () => tracked.pulls.push({ beganAtMs, endedAtMs: clock.now() });
  }

  forget(podUid: string): void {
    this.#pods.delete(podUid);
  }
}
