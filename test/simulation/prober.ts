/**
 * The probes of one life of podkeep: probes every probed container once a second and reports changes.
 * Results are in memory only; a new podkeep begins with none.
 */
import type { Container } from '../../src/api/pod.ts';
import { formatTime } from '../../src/api/values/time.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { PodProbes, ProbeOutcome, ProbeResults } from '../../src/ports/pod/probe-results.ts';
import type { MemoryPodManager } from '../support/memory-pod-manager.ts';
import type { EventJournal } from './event-journal.ts';
import type { Health } from './health.ts';
import type { RuntimeRecords } from './runtime-records.ts';

const PERIOD_MS = 1000;

export interface ProberOptions {
  readonly clock: Clock;
  readonly pods: MemoryPodManager;
  readonly runtime: RuntimeRecords;
  readonly health: Health;
  readonly journal: EventJournal;
  readonly isEnding: (uid: string) => boolean;
  readonly changed: (change: ProbeChange) => void;
}

export interface ProbeChange {
  readonly kind: 'startup' | 'readiness' | 'liveness';
  readonly uid: string;
  readonly containerID: string;
  readonly outcome: ProbeOutcome;
}

interface Results {
  readonly startup: Map<string, ProbeOutcome>;
  readonly readiness: Map<string, ProbeOutcome>;
  readonly liveness: Map<string, ProbeOutcome>;
}

export class Prober implements ProbeResults {
  readonly #options: ProberOptions;
  readonly #results = new Map<string, Results>();
  readonly #since: string;
  /** Results stay valid while a pod terminates, even after its source has removed it. */
  readonly #specs = new Map<string, readonly Container[]>();

  constructor(options: ProberOptions) {
    this.#options = options;
    this.#since = formatTime(options.clock.now());
    this.#waitForNext();
  }

  of(uid: string): PodProbes {
    const { startup, readiness } = this.#resultsOf(uid);
    const containers = this.#containersOf(uid);
    const probed = (key: 'startupProbe' | 'readinessProbe'): ReadonlySet<string> =>
      new Set(containers.filter((each) => each[key]).map(({ name }) => name));
    return {
      startup: new Map(startup),
      readiness: new Map(readiness),
      startupProbed: probed('startupProbe'),
      readinessProbed: probed('readinessProbe'),
      since: this.#since,
    };
  }

  liveness(uid: string): ReadonlyMap<string, ProbeOutcome> {
    return this.#resultsOf(uid).liveness;
  }

  readiness(uid: string): ReadonlyMap<string, ProbeOutcome> {
    return this.#resultsOf(uid).readiness;
  }

  #waitForNext(): void {
    this.#options.clock.after(PERIOD_MS, () => {
      const { pods } = this.#options;
      for (const uid of pods.uids()) this.#probe(uid);
      this.#waitForNext();
    });
  }

  #probe(uid: string): void {
    const { runtime, isEnding } = this.#options;
    const specs = this.#containersOf(uid).filter(isProbed);
    if (specs.length === 0) return;
    for (const { id, name } of runtime.running(uid)) {
      const spec = specs.find((each) => each.name === name);
      if (spec) this.#probeContainer(uid, id, spec, isEnding(uid));
    }
  }

  #probeContainer(uid: string, id: string, spec: Container, isEnding: boolean): void {
    const { health } = this.#options;
    if (spec.startupProbe && !isEnding) {
      if (!health.isStarted(id)) return;
      this.#found({ kind: 'startup', uid, containerID: id, outcome: 'success' });
    }
    if (spec.readinessProbe) {
      const outcome = health.isReady(id) ? 'success' : 'failure';
      this.#found({ kind: 'readiness', uid, containerID: id, outcome });
    }
    if (spec.livenessProbe && !isEnding) {
      const outcome = health.isAlive(id) ? 'success' : 'failure';
      this.#found({ kind: 'liveness', uid, containerID: id, outcome });
    }
  }

  #found(change: ProbeChange): void {
    const { kind, uid, containerID, outcome } = change;
    const results = this.#resultsOf(uid)[kind];
    if (results.get(containerID) === outcome) return;
    results.set(containerID, outcome);
    this.#options.journal.notify('probe', `${uid}: ${kind} of ${containerID} is a ${outcome}`);
    this.#options.changed(change);
  }

  #containersOf(uid: string): readonly Container[] {
    const pod = this.#options.pods.find(uid)?.pod;
    if (pod) this.#specs.set(uid, [...(pod.spec.initContainers ?? []), ...pod.spec.containers]);
    return this.#specs.get(uid) ?? [];
  }

  #resultsOf(uid: string): Results {
    let results = this.#results.get(uid);
    if (!results) {
      results = { startup: new Map(), readiness: new Map(), liveness: new Map() };
      this.#results.set(uid, results);
    }
    return results;
  }
}

function isProbed({ startupProbe, readinessProbe, livenessProbe }: Container): boolean {
  return Boolean(startupProbe ?? readinessProbe ?? livenessProbe);
}
