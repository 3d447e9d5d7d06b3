/**
 * The real pod workers among fakes: a virtual clock, recipes that a script ends, a runtime that shows
 * what the test sets, and a record of everything that the workers report.
 *
 * There is no jitter unless a test brings its own randomness, so delays are those of the rules.
 */
import type { Pod } from '../../src/api/pod.ts';
import type { RuntimePod } from '../../src/api/runtime-pod.ts';
import { PodWorkers } from '../../src/kubelet/pod-workers/pod-workers.ts';
import type { PodWorkersOptions } from '../../src/kubelet/pod-workers/pod-workers.ts';
import type { DecisionRecord } from '../../src/ports/observe/decision-log.ts';
import type { KnownPod } from '../../src/ports/pod/pod-lookup.ts';
import { ScriptedPodSync } from './scripted-pod-sync.ts';
import type { SyncCall } from './scripted-pod-sync.ts';
import { VirtualClock } from './virtual-clock.ts';

/** One action or report of the workers. */
export type Notified =
  | { readonly kind: 'started'; readonly call: SyncCall }
  | { readonly kind: 'canceled'; readonly call: SyncCall }
  | { readonly kind: 'wake'; readonly uid: string; readonly delayMs: number }
  | { readonly kind: 'decision'; readonly record: DecisionRecord }
  | { readonly kind: 'event'; readonly text: string }
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'warn'; readonly text: string }
  | { readonly kind: 'turn'; readonly operation: string; readonly seconds: number }
  | { readonly kind: 'podStarted'; readonly containers: number }
  /** What the test observed of the workers. */
  | { readonly kind: 'note'; readonly text: string };

export class PodWorkersHarness {
  readonly clock = new VirtualClock();
  readonly podSync = new ScriptedPodSync(
    (call) => this.#notify({ kind: 'started', call }),
    (call) => this.#notify({ kind: 'canceled', call }),
  );
  /** UIDs of which the runtime shows a running container. */
  readonly running = new Set<string>();
  /** UIDs that the runtime currently cannot inspect. */
  readonly unreadable = new Set<string>();
  /** The pods that all sources together know: those that the work queue may wake. */
  readonly pods = new Map<string, KnownPod>();
  readonly workers: PodWorkers;
  #notified: Notified[] = [];

  constructor(overrides: Partial<PodWorkersOptions> = {}) {
    this.workers = new PodWorkers({ ...this.#ports(), ...overrides });
  }

  /** The reports since the last call, in order. */
  takeAcknowledged(): readonly Notified[] {
    const notified = this.#notified;
    this.#notified = [];
    return notified;
  }

  /** Creates the pod, and adds it to the sources of pods. */
  create(pod: Pod): Pod {
    this.pods.set(pod.metadata.uid ?? '', { pod });
    this.workers.updatePod({ updateType: 'create', pod });
    return pod;
  }

  note(text: string): void {
    this.#notify({ kind: 'note', text });
  }

  #notify(notified: Notified): void {
    this.#notified.push(notified);
  }

  #ports(): PodWorkersOptions {
    const { clock, podSync, pods } = this;
    return {
      clock,
      podSync,
      pods: { find: (uid) => pods.get(uid) },
      random: { next: () => 0 },
      podCache: {
        peek: (uid) => (this.unreadable.has(uid) ? null : this.#seen(uid)),
        newerThan: (uid) => Promise.resolve(this.#seen(uid)),
      },
      events: {
        record: ({ name }, type, reason, message) =>
          this.#notify({ kind: 'event', text: `${name} ${type} ${reason}: ${message}` }),
      },
      decisions: { record: (record) => this.#notify({ kind: 'decision', record }) },
      observer: {
        podStarted: (containers) => this.#notify({ kind: 'podStarted', containers }),
        turnEnded: (operation, seconds) => this.#notify({ kind: 'turn', operation, seconds }),
        wakeScheduled: (uid, delayMs) => this.#notify({ kind: 'wake', uid, delayMs }),
      },
      log: {
        debug: ignore,
        info: ignore,
        warn: (text) => this.#notify({ kind: 'warn', text }),
        error: (text) => this.#notify({ kind: 'error', text }),
      },
    };
  }

  #seen(uid: string): RuntimePod {
    const container = {
      id: `scripted://${uid}`,
      name: 'c0',
      state: 'running',
      restartCount: 0,
      image: 'image',
      imageRef: 'image',
      createdAt: '2030-01-02T03:04:05Z',
    } as const;
    return { sandboxes: [], containers: this.running.has(uid) ? [container] : [], ips: [] };
  }
}

/** The reports of one kind. */
export function only<Kind extends Notified['kind']>(
  notified: readonly Notified[],
  kind: Kind,
): readonly Extract<Notified, { kind: Kind }>[] {
  return notified.filter((each): each is Extract<Notified, { kind: Kind }> => each.kind === kind);
}

function ignore(): void {}
