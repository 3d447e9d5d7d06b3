/**
 * The probe manager: probes the containers of all pods on this node, with one worker for each container and
 * kind of probe (KL-70). It holds the newest results for the statuses, and notifies the sync loop of changes
 * (KL-58).
 *
 *     status manager ──podUpdated──> workers ──> results ──subscribe──> sync loop ──> status manager
 *                                                   └──of, liveness──> statuses and syncs
 *
 * A pod keeps its workers, including those that have ended, from `addPod` to `removePod`. (Kubernetes'
 * kubelet forgets an ended worker and creates it again at the next sync; the result of the new worker then
 * causes another sync.) A container that has not started keeps this state when its startup probe is stopped
 * during termination.
 */
import type { Pod, PodStatus } from '../../api/pod.ts';
import { formatTime } from '../../api/values/time.ts';
import type { Time } from '../../api/meta.ts';
import { firstDelayMs, type ProbeKind } from '../../core/probes/probe-worker.ts';
import type { Random } from '../../ports/random.ts';
import type { PodProbes, ProbeOutcome } from '../../ports/pod/probe-results.ts';
import type { Prober } from '../../ports/pod/prober.ts';
import type { StatusSubscriber } from '../../ports/observe/status-subscriber.ts';
import { probesOf, settingOf } from './probe-spec.ts';
import { ProbeWorker, type ProbeWorkerDeps } from './probe-worker.ts';
import { ResultCache } from './result-cache.ts';

export interface ProbeManagerOptions extends ProbeWorkerDeps {
  readonly random: Random;
}

/** A result that is new or has changed (KL-77). */
export interface ProbeResultChange {
  readonly podUid: string;
  readonly containerID: string;
  readonly kind: ProbeKind;
  readonly outcome: ProbeOutcome;
}

interface ProbedPod {
  readonly workers: readonly ProbeWorker[];
  readonly results: ResultCache;
}

export class ProbeManager implements Prober, StatusSubscriber {
  readonly #options: ProbeManagerOptions;
  readonly #pods = new Map<string, ProbedPod>();
  readonly #listeners = new Set<(change: ProbeResultChange) => void>();
  readonly #since: Time;
  readonly #startMs: number;

  constructor(options: ProbeManagerOptions) {
    this.#options = options;
    this.#since = formatTime(options.clock.now());
    this.#startMs = options.clock.monotonic();
  }

  addPod(pod: Pod): void {
    const { uid = '' } = pod.metadata;
    if (this.#pods.has(uid)) return;
    const results = new ResultCache((kind, containerID, outcome) => {
      this.#notify({ podUid: uid, containerID, kind, outcome });
    });
    const workers = this.#workersOf(pod, results);
    this.#pods.set(uid, { workers, results });
    for (const worker of workers) worker.begin(this.#firstDelayMs(worker));
  }

  removePod({ metadata: { uid = '' } }: Pod): void {
    this.#remove(uid);
  }

  stopLivenessAndStartup({ metadata: { uid = '' }, spec }: Pod): void {
    const regular = new Set(spec.containers.map(({ name }) => name));
    for (const worker of this.#pods.get(uid)?.workers ?? []) {
      const { kind, container } = worker.assignment;
      if (kind !== 'readiness' && regular.has(container.name)) worker.stop();
    }
  }

  /** Stops probing every pod whose UID is not in `desired` (KL-64). */
  cleanUp(desired: ReadonlySet<string>): void {
    for (const uid of this.#pods.keys()) if (!desired.has(uid)) this.#remove(uid);
  }

  /** Stops all probes. */
  stop(): void {
    this.cleanUp(new Set());
  }

  of(podUid: string): PodProbes {
    return {
      startup: this.#resultsOf(podUid, 'startup'),
      readiness: this.#resultsOf(podUid, 'readiness'),
      startupProbed: this.#namesOf(podUid, 'startup'),
      readinessProbed: this.#namesOf(podUid, 'readiness'),
      since: this.#since,
    };
  }

  liveness(podUid: string): ReadonlyMap<string, ProbeOutcome> {
    return this.#resultsOf(podUid, 'liveness');
  }

  /** Calls the listener for every result that is new or has changed. Returns a function that unsubscribes. */
  subscribe(listener: (change: ProbeResultChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  podUpdated(pod: Pod, _status: PodStatus): void {
    for (const worker of this.#pods.get(pod.metadata.uid ?? '')?.workers ?? []) {
      worker.statusChanged();
    }
  }

  /** No container of the pod is left to probe. */
  podRemoved(pod: Pod): void {
    this.removePod(pod);
  }

  #workersOf(pod: Pod, results: ResultCache): readonly ProbeWorker[] {
    return probesOf(pod).map(({ container, kind, probe }) => {
      const assignment = {
        kind,
        pod,
        container,
        initialDelaySeconds: probe.initialDelaySeconds ?? 0,
        periodMs: settingOf(probe, 'periodSeconds') * 1000,
        successThreshold: settingOf(probe, 'successThreshold'),
        failureThreshold: settingOf(probe, 'failureThreshold'),
        since: this.#since,
      };
      return new ProbeWorker(this.#options, assignment, probe, results);
    });
  }

  #firstDelayMs({ assignment: { periodMs } }: ProbeWorker): number {
    const { clock, random } = this.#options;
    return firstDelayMs(periodMs, clock.monotonic() - this.#startMs, random.next());
  }

  #remove(uid: string): void {
    const probed = this.#pods.get(uid);
    this.#pods.delete(uid);
    for (const worker of probed?.workers ?? []) worker.stop();
  }

  #notify(change: ProbeResultChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#options.log.error('Probe result subscriber failed', { ...change, error });
      }
    }
  }

  #resultsOf(uid: string, kind: ProbeKind): ReadonlyMap<string, ProbeOutcome> {
    return this.#pods.get(uid)?.results.of(kind) ?? new Map();
  }

  #namesOf(uid: string, kind: ProbeKind): ReadonlySet<string> {
    const workers = this.#pods.get(uid)?.workers ?? [];
    const meant = workers.filter(({ assignment }) => assignment.kind === kind);
    return new Set(meant.map(({ assignment }) => assignment.container.name));
  }
}
