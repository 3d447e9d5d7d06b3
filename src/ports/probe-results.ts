/** What the probes of a pod found last. Read at the moment a status is handed over (F-3). */
import type { Time } from '../api/meta.ts';

export type ProbeOutcome = 'success' | 'failure' | 'unknown';

export interface PodProbes {
  /** Newest results by container ID. */
  readonly startup: ReadonlyMap<string, ProbeOutcome>;
  readonly readiness: ReadonlyMap<string, ProbeOutcome>;
  /** Names of the pod's containers that a prober watches. */
  readonly startupProbed: ReadonlySet<string>;
  readonly readinessProbed: ReadonlySet<string>;
  /** When this podkeep began to watch. */
  readonly since: Time;
}

export interface ProbeResults {
  of(podUid: string): PodProbes;
}
