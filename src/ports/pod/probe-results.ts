/**
 * The latest probe results of a pod. Status reporters read them when they pass a status to the status manager
 * (F-3).
 */
import type { Time } from '../../api/meta.ts';

export type ProbeOutcome = 'success' | 'failure' | 'unknown';

export interface PodProbes {
  /** Newest results by container ID. */
  readonly startup: ReadonlyMap<string, ProbeOutcome>;
  readonly readiness: ReadonlyMap<string, ProbeOutcome>;
  /** Names of the pod's containers that have a probe worker. */
  readonly startupProbed: ReadonlySet<string>;
  readonly readinessProbed: ReadonlySet<string>;
  /** When this podkeep process started to probe. */
  readonly since: Time;
}

export interface ProbeResults {
  of(podUid: string): PodProbes;
}
