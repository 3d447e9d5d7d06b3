/**
 * The real pod workers among stand-ins: a virtual clock, recipes that a script ends, a runtime that
 * shows what the test says, and an ear for everything that the workers tell.
 *
 * There is no jitter unless a test brings its own chance, so delays are what the rules say.
 */
import type { Pod } from '../../src/api/pod.ts';
import type { RuntimePod } from '../../src/api/runtime-pod.ts';
import { PodWorkers } from '../../src/kubelet/pod-workers/pod-workers.ts';
import type { PodWorkersOptions } from '../../src/kubelet/pod-workers/pod-workers.ts';
import type { DecisionRecord } from '../../src/ports/decision-log.ts';
import type { KnownPod } from '../../src/ports/pod-lookup.ts';
import { ScriptedPodSync } from './scripted-pod-sync.ts';
import type { SyncCall } from './scripted-pod-sync.ts';
import { VirtualClock } from './virtual-clock.ts';

/** One thing that the workers did or said. */
export type Told =
  | { readonly kind: 'started'; readonly call: SyncCall }
  | { readonly kind: 'canceled'; readonly call: SyncCall }
  | { readonly kind: 'wake'; readonly uid: string; readonly delayMs: number }
  | { readonly kind: 'decision'; readonly record: DecisionRecord }
  | { readonly kind: 'event'; readonly text: string }
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'warn'; readonly text: string }
  | { readonly kind: 'turn'; readonly operation: string; readonly seconds: number }
  | { readonly kind: 'podStarted'; readonly containers: number }
  /** What the one who plays with the workers saw of them. */
  | { readonly kind: 'note'; readonly text: string };

export class PodWorkersStage {
  readonly clock = new VirtualClock();
  readonly podSync = new ScriptedPodSync(
    (call) => this.#tell({ kind: 'started', call }),
    (call) => this.#tell({ kind: 'canceled', call }),
  );
  /** UIDs of which the runtime shows a running container. */
  readonly running = new Set<string>();
  /** UIDs of which the runtime cannot say anything now. */
  readonly unreadable = new Set<string>();
  /** The pods that all sources together know: those that the work queue may wake. */
  readonly pods = new Map<string, KnownPod>();
  readonly workers: PodWorkers;
  #told: Told[] = [];

  constructor(overrides: Partial<PodWorkersOptions> = {}) {
    this.workers = new PodWorkers({ ...this.#ports(), ...overrides });
  }

  /** What was told since the last time somebody asked, in order. */
  takeTold(): readonly Told[] {
    const told = this.#told;
    this.#told = [];
    return told;
  }

  /** Creates the pod, and makes it known to the sources of pods. */
  create(pod: Pod): Pod {
    this.pods.set(pod.metadata.uid ?? '', { pod });
    this.workers.updatePod({ updateType: 'create', pod });
    return pod;
  }

  note(text: string): void {
    this.#tell({ kind: 'note', text });
  }

  #tell(told: Told): void {
    this.#told.push(told);
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
          this.#tell({ kind: 'event', text: `${name} ${type} ${reason}: ${message}` }),
      },
      decisions: { record: (record) => this.#tell({ kind: 'decision', record }) },
      observer: {
        podStarted: (containers) => this.#tell({ kind: 'podStarted', containers }),
        turnEnded: (operation, seconds) => this.#tell({ kind: 'turn', operation, seconds }),
        wakeScheduled: (uid, delayMs) => this.#tell({ kind: 'wake', uid, delayMs }),
      },
      log: {
        debug: ignore,
        info: ignore,
        warn: (text) => this.#tell({ kind: 'warn', text }),
        error: (text) => this.#tell({ kind: 'error', text }),
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

/** Of all that was told, the things of one kind. */
export function only<Kind extends Told['kind']>(
  told: readonly Told[],
  kind: Kind,
): readonly Extract<Told, { kind: Kind }>[] {
  return told.filter((each): each is Extract<Told, { kind: Kind }> => each.kind === kind);
}

function ignore(): void {}
