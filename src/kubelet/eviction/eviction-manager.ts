/**
 * The eviction manager: observes the node every 10 s and evicts pods under pressure.
 * core/eviction/eviction-machine.ts decides.
 *
 *     every 10 s: observe the node ──> pressures ──> node conditions, admission
 *                        └──> limits of pods ──> reclaim ──> rank ──> evict one ──> await its cleanup
 *
 * After an eviction the next round follows as soon as the pod's resources are free, and after 30 s at the
 * latest. A round that fails is logged, and the next one starts with the previous observations.
 *
 * Invariants:
 *   1. One round runs at a time; `wake` starts the next one early.
 *   2. After `stop` no pod is evicted, and no timer is left.
 *   3. A persistent problem is logged once, not every ten seconds.
 */
import type { Pod } from '../../api/pod.ts';
import { formatTime } from '../../api/values/time.ts';
import {
  decide,
  initial,
  type Effect,
  type Event,
  type EvictionPolicy,
  type EvictionProblem,
  type PressureEviction,
  type State,
} from '../../core/eviction/eviction-machine.ts';
import { pressureEvictedStatus } from '../../core/eviction/evicted-status.ts';
import type { EvictionSignal, Pressure } from '../../core/eviction/eviction-signal.ts';
import type { EvictionThreshold } from '../../core/eviction/eviction-threshold.ts';
import {
  withContainerFsThresholds,
  type FileSystemLayout,
  type ReclaimStep,
} from '../../core/eviction/file-system-layout.ts';
import { EVICTED } from '../../core/eviction/local-storage-decision.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { EventRecorder } from '../../ports/observe/event-recorder.ts';
import type { NodeEvents } from '../node/node-events.ts';
import { Wake } from '../node/wake.ts';
import type { KillPodOptions } from '../pod-workers/kill-pod-now.ts';
import { referenceOf } from '../pod-workers/update-options.ts';
import { pause } from '../waiting/pause.ts';
import type { LocalStorageEviction } from './local-storage-eviction.ts';
import type { NodeObserver } from './node-observer.ts';
import type { PodUsageReader } from './pod-usage-reader.ts';

export interface EvictionManagerDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly nodeEvents?: NodeEvents | undefined;
  readonly metrics: {
    podEvicted(signal: EvictionSignal): void;
    statsUsed(signal: EvictionSignal, ageSeconds: number): void;
  };
  readonly observer: Pick<NodeObserver, 'observe' | 'layout'>;
  readonly usage: Pick<PodUsageReader, 'read' | 'release' | 'stop'>;
  /** Absent: limits on local storage are switched off. */
  readonly limits?: Pick<LocalStorageEviction, 'check' | 'stop'> | undefined;
  /** With their allocated resources. */
  readonly activePods: () => readonly Pod[];
  /** Removes containers or images that no pod needs. */
  readonly reclaim: Readonly<Record<ReclaimStep, () => Promise<void>>>;
  /** Settles when the containers of the pod have stopped, or that takes too long. */
  readonly killPod: (pod: Pod, options: KillPodOptions) => Promise<void>;
  /** Nothing of the pod is left on the node. */
  readonly isCleanedUp: (podUid: string) => boolean;
  /** A pressure has come or gone. */
  readonly changed: () => void;
  readonly settings: EvictionManagerSettings;
}

export interface EvictionManagerSettings extends Omit<EvictionPolicy, 'layout'> {
  readonly thresholds: readonly EvictionThreshold[];
}

/** The kubelet's monitoring interval. */
const ROUND_MS = 10_000;
const CLEANUP_MS_MAX = 30_000;
const CLEANUP_POLL_MS = 1000;

const PROBLEMS: Readonly<Record<EvictionProblem, string>> = {
  criticalPod: 'Eviction manager: cannot evict a critical pod',
  noActivePods:
    'Eviction manager: eviction thresholds have been met, but no pods are active to evict',
  noPodEvicted: 'Eviction manager: unable to evict any pods from the node',
  usageUnknown: 'Eviction manager: failed to get summary stats',
};

export class EvictionManager {
  readonly #deps: EvictionManagerDeps;
  readonly #abort = new AbortController();
  readonly #wake: Wake;
  #state: State = initial;
  #policy: EvictionPolicy;
  #layout: FileSystemLayout | null = null;
  #pressures: ReadonlySet<Pressure> = new Set();
  #isStarted = false;
  #isAtOnce = false;
  /** The error of the last attempt to read the usage of pods. */
  #usageError: unknown = null;
  /** Problems of this round and of the one before. */
  #reported = new Set<string>();
  #reportedBefore: ReadonlySet<string> = new Set();

  constructor(deps: EvictionManagerDeps) {
    this.#deps = deps;
    this.#wake = new Wake(deps.clock);
    this.#policy = { ...deps.settings, layout: 'single' };
  }

  /** As of the last round. */
  pressures(): ReadonlySet<Pressure> {
    return this.#pressures;
  }

  /**
   * Determines the pressures before the pods are known. After `start` it does nothing, because the rounds do
   * that.
   */
  async observe(): Promise<void> {
    if (!this.#isStarted) await this.#round(false);
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#deps.log.debug('Eviction manager: starting control loop');
    void this.#run();
  }

  /** The next round comes now. */
  wake(): void {
    this.#wake.call();
  }

  async stop(): Promise<void> {
    this.#isStarted = true;
    this.#abort.abort();
    await this.#deps.limits?.stop();
    await this.#deps.usage.stop();
  }

  /** One round. It never rejects. */
  synchronize(): Promise<void> {
    return this.#round(true);
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      await this.synchronize();
      if (!this.#isAtOnce) await this.#wake.sleep(ROUND_MS, signal);
    }
  }

  async #round(mayAct: boolean): Promise<void> {
    const { clock, log, observer, usage } = this.#deps;
    const { signal } = this.#abort;
    this.#isAtOnce = false;
    this.#reportedBefore = this.#reported;
    this.#reported = new Set();
    try {
      await this.#settlePolicy();
      const observations = await observer.observe();
      const nowMs = clock.monotonic();
      let event: Event | null = { type: 'observed', observations, nowMs, mayAct };
      while (event && !signal.aborted) event = await this.#take(event);
      if (!this.#pressures.has('DiskPressure')) await usage.release();
    } catch (error) {
      log.error('Eviction manager: failed to synchronize', { error });
    }
    if (this.#state.phase !== 'resting') {
      this.#state = decide(this.#state, { type: 'interrupted' }, this.#policy).state;
    }
  }

  /** Determines the file system layout as soon as the runtime answers, and the thresholds that depend on it. */
  async #settlePolicy(): Promise<void> {
    const { observer, settings, log } = this.#deps;
    if (this.#layout) return;
    this.#layout = await observer.layout();
    const layout = this.#layout ?? 'single';
    const { thresholds, warnings } = withContainerFsThresholds(settings.thresholds, layout);
    this.#policy = { ...settings, thresholds, layout };
    if (!this.#layout) return;
    for (const warning of warnings) {
      log.warn('Eviction manager: found conflicting containerfs eviction. Ignoring.', { warning });
    }
  }

  /** Decides on the event, and performs the effects. Null: the round is over. */
  async #take(event: Event): Promise<Event | null> {
    const { signal } = this.#abort;
    const { state, effects } = decide(this.#state, event, this.#policy);
    this.#state = state;
    if (event.type === 'reclaimed' && state.phase === 'resting') {
      const { log } = this.#deps;
      log.info('Eviction manager: able to reduce resource pressure without evicting pods.');
    }
    let next: Event | null = null;
    for (const effect of effects) {
      if (signal.aborted) return null;
      next = (await this.#perform(effect)) ?? next;
    }
    return next;
  }

  async #perform(effect: Effect): Promise<Event | null> {
    const { log, nodeEvents, metrics, clock } = this.#deps;
    switch (effect.type) {
      case 'setPressures':
        this.#setPressures(effect.pressures);
        return null;
      case 'checkLimits':
        return { type: 'limitsChecked', evicted: await this.#checkLimits() };
      case 'recordThresholdMet':
        log.info(`Eviction manager: ${effect.message}`);
        nodeEvents?.recordNode('Warning', 'EvictionThresholdMet', effect.message);
        return null;
      case 'reclaim':
        return this.#reclaim(effect.steps);
      case 'measure':
        return this.#measure(effect);
      case 'report':
        this.#report(effect.problem, effect.pod);
        return null;
      case 'countStatsAge':
        metrics.statsUsed(effect.signal, Math.max(clock.now() - effect.atMs, 0) / 1000);
        return null;
      case 'evict':
        await this.#evict(effect);
        return { type: 'killed' };
      case 'awaitCleanup':
        await this.#awaitCleanup(effect.pods);
        return { type: 'cleaned' };
      case 'rest':
        this.#isAtOnce = effect.isAtOnce;
        return null;
    }
  }

  #setPressures(pressures: readonly Pressure[]): void {
    const before = this.#pressures;
    this.#pressures = new Set(pressures);
    const isSame = before.size === pressures.length && pressures.every((one) => before.has(one));
    if (!isSame) this.#deps.changed();
  }

  /** Resolves when the containers of the evicted pods have stopped. */
  async #checkLimits(): Promise<readonly Pod[]> {
    const { limits, log } = this.#deps;
    try {
      const { pods, killed } = (await limits?.check()) ?? { pods: [], killed: null };
      await killed;
      return pods;
    } catch (error) {
      log.warn('Eviction manager: failed to check local storage limits of pods', { error });
      return [];
    }
  }

  async #reclaim(steps: readonly ReclaimStep[]): Promise<Event> {
    const { reclaim, observer, log } = this.#deps;
    for (const step of steps) {
      await reclaim[step]().catch((error: unknown) => {
        const message =
          'Eviction manager: unexpected error when attempting to reduce resource pressure';
        log.warn(message, { step, error });
      });
    }
    const observations = await observer.observe();
    // Without any observation it is not known whether enough was reclaimed.
    return { type: 'reclaimed', observations: observations.size > 0 ? observations : null };
  }

  async #measure({ resource }: Effect & { readonly type: 'measure' }): Promise<Event> {
    const { usage, activePods, log } = this.#deps;
    log.info('Eviction manager: must evict pod(s) to reclaim', { resourceName: resource });
    try {
      return { type: 'measured', candidates: await usage.read(activePods(), resource) };
    } catch (error) {
      this.#usageError = error;
      return { type: 'measured', candidates: null };
    }
  }

  async #evict(eviction: PressureEviction): Promise<void> {
    const { log, events, killPod, metrics, clock } = this.#deps;
    const { pod, message, annotations, graceSeconds, signal } = eviction;
    const reference = referenceOf(pod);
    events.record(reference, 'Warning', EVICTED, message, annotations);
    log.info('Evicting pod', { pod: reference, message });
    const now = formatTime(clock.now());
    try {
      await killPod(pod, {
        evict: true,
        graceSeconds,
        overrideStatus: (status) => pressureEvictedStatus(pod, status, message, now),
      });
      log.info('Eviction manager: pod is evicted successfully', { pod: reference });
    } catch (error) {
      log.error('Eviction manager: pod failed to evict', { pod: reference, error });
    }
    metrics.podEvicted(signal);
  }

  async #awaitCleanup(pods: readonly Pod[]): Promise<void> {
    const { clock, log, isCleanedUp } = this.#deps;
    const { signal } = this.#abort;
    const references = pods.map(referenceOf);
    const untilMs = clock.monotonic() + CLEANUP_MS_MAX;
    while (!signal.aborted && !references.every(({ uid }) => isCleanedUp(uid))) {
      if (clock.monotonic() >= untilMs) {
        const message = 'Eviction manager: timed out waiting for pods to be cleaned up';
        log.info(message, { pods: references });
        return;
      }
      await pause(clock, CLEANUP_POLL_MS, signal);
    }
  }

  #report(problem: EvictionProblem, pod: Pod | null): void {
    const { log } = this.#deps;
    const key = `${problem} ${pod?.metadata.uid ?? ''}`;
    this.#reported.add(key);
    if (this.#reportedBefore.has(key)) return;
    const facts = {
      ...(pod && { pod: referenceOf(pod) }),
      ...(problem === 'usageUnknown' && { error: this.#usageError }),
    };
    if (problem === 'noPodEvicted') log.info(PROBLEMS[problem], facts);
    else log.error(PROBLEMS[problem], facts);
  }
}
