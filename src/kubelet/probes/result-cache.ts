/**
 * The newest result of each probe of one pod, by container ID. Whoever listens hears of a result that is
 * new or has changed; that one was removed is no news (KL-77).
 */
import type { ProbeKind } from '../../core/probe-worker.ts';
import type { ProbeOutcome } from '../../ports/probe-results.ts';

export type ResultListener = (kind: ProbeKind, containerID: string, outcome: ProbeOutcome) => void;

export class ResultCache {
  readonly #tell: ResultListener;
  readonly #results: Readonly<Record<ProbeKind, Map<string, ProbeOutcome>>> = {
    liveness: new Map(),
    readiness: new Map(),
    startup: new Map(),
  };

  constructor(tell: ResultListener) {
    this.#tell = tell;
  }

  /** As it is now; it does not change under the reader's hands. */
  of(kind: ProbeKind): ReadonlyMap<string, ProbeOutcome> {
    return new Map(this.#results[kind]);
  }

  get(kind: ProbeKind, containerID: string): ProbeOutcome | undefined {
    return this.#results[kind].get(containerID);
  }

  set(kind: ProbeKind, containerID: string, outcome: ProbeOutcome): void {
    if (this.get(kind, containerID) === outcome) return;
    this.#results[kind].set(containerID, outcome);
    this.#tell(kind, containerID, outcome);
  }

  remove(kind: ProbeKind, containerID: string): void {
    this.#results[kind].delete(containerID);
  }
}
