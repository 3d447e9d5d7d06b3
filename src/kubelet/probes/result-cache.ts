/**
 * Holds the newest result of each probe of one pod, by container ID. The listener is called for results that
 * are new or have changed, but not for removals (KL-77).
 */
import type { ProbeKind } from '../../core/probes/probe-worker.ts';
import type { ProbeOutcome } from '../../ports/pod/probe-results.ts';

export type ResultListener = (kind: ProbeKind, containerID: string, outcome: ProbeOutcome) => void;

export class ResultCache {
  readonly #notify: ResultListener;
  readonly #results: Readonly<Record<ProbeKind, Map<string, ProbeOutcome>>> = {
    liveness: new Map(),
    readiness: new Map(),
    startup: new Map(),
  };

  constructor(notify: ResultListener) {
    this.#notify = notify;
  }

  /** A snapshot: later results do not change it. */
  of(kind: ProbeKind): ReadonlyMap<string, ProbeOutcome> {
    return new Map(this.#results[kind]);
  }

  get(kind: ProbeKind, containerID: string): ProbeOutcome | undefined {
    return this.#results[kind].get(containerID);
  }

  set(kind: ProbeKind, containerID: string, outcome: ProbeOutcome): void {
    if (this.get(kind, containerID) === outcome) return;
    this.#results[kind].set(containerID, outcome);
    this.#notify(kind, containerID, outcome);
  }

  remove(kind: ProbeKind, containerID: string): void {
    this.#results[kind].delete(containerID);
  }
}
