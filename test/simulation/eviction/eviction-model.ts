/**
 * An independent model of eviction: from what podkeep was shown of the node it determines what podkeep
 * has to do, and compares. It shares no code with core/eviction. (Invariants 25 to 32.)
 */
import type { Pod } from '../../../src/api/pod.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { EventJournal } from '../event-journal.ts';
import { kindOf, type Kind, type Layout, type PlainThreshold } from './eviction-policies.ts';
import type { Policy } from './eviction-policies.ts';
import { firstOf, type Ranked } from './eviction-rank.ts';
import { traitsOf } from './pod-traits.ts';
import { SignalMemory, type Seen } from './signal-memory.ts';

const RESOURCES: Readonly<Record<Kind, string>> = {
  memory: 'memory',
  disk: 'ephemeral-storage',
  inodes: 'inodes',
  pids: 'pids',
};

const ROUND_MS = 10_000;
const CLEANUP_MS_MAX = 30_000;
const POLL_MS = 1000;

interface Round {
  readonly mayAct: boolean;
  /** The thresholds that have to act, those with the highest precedence only. */
  readonly acting: readonly PlainThreshold[];
  /** Null: they were not checked. */
  forLimits: readonly string[] | null;
  resource: string | null;
  readonly steps: string[];
  /** The node was observed again, after it had reclaimed something. */
  isObservedAgain: boolean;
  /** Enough was reclaimed. */
  isEnough: boolean;
  /** Undefined: the usage of pods was not read. Null: it is not known. */
  candidates: readonly Ranked[] | null | undefined;
  readonly evicted: string[];
  isBroken: boolean;
  /** When the last evicted pod had stopped. */
  stoppedAtMs: number | null;
  /** When nothing of the evicted pods was left. */
  cleanedAtMs: number | null;
}

export interface ModelDeps {
  readonly clock: Clock;
  readonly journal: EventJournal;
  readonly layout: Layout;
}

export class EvictionModel {
  readonly #deps: ModelDeps;
  readonly #isCleanedUp: (uid: string) => boolean;
  readonly #policy: Policy;
  readonly #memory: SignalMemory;
  #round: Round | null = null;
  #lastMs = 0;

  /** One for each life of podkeep, which remembers nothing of the one before. */
  constructor(deps: ModelDeps, policy: Policy, isCleanedUp: (uid: string) => boolean) {
    this.#deps = deps;
    this.#policy = policy;
    this.#isCleanedUp = isCleanedUp;
    this.#memory = new SignalMemory(policy, deps.journal);
  }

  /** Podkeep begins to observe the node: a new round, or the same one after it reclaimed something. */
  asked(): void {
    const round = this.#round;
    if (!round || isReclaiming(round)) return;
    this.#finish(round);
    const waitedMs = this.#deps.clock.monotonic() - this.#lastMs;
    const gone = [...round.evicted, ...(round.forLimits ?? [])];
    if (gone.length === 0) {
      if (round.mayAct && waitedMs !== ROUND_MS) this.#breaks(26, `waited ${waitedMs} ms`);
      return;
    }
    const left = gone.find((uid) => !this.#isCleanedUp(uid));
    const sinceMs = this.#deps.clock.monotonic() - (round.stoppedAtMs ?? 0);
    if (left !== undefined && sinceMs < CLEANUP_MS_MAX) {
      this.#breaks(26, `a new round after ${sinceMs} ms, but ${left} is not cleaned up`);
    }
    const freeAtMs = Math.max(round.cleanedAtMs ?? Infinity, round.stoppedAtMs ?? 0);
    const restMs = this.#deps.clock.monotonic() - freeAtMs;
    if (sinceMs > CLEANUP_MS_MAX + POLL_MS || restMs > POLL_MS) {
      this.#breaks(26, `a new round after ${sinceMs} ms, ${restMs} ms after the cleanup`);
    }
  }

  /** What podkeep was shown; null: the node could not be observed. */
  observed(seen: ReadonlyMap<string, Seen> | null, mayAct: boolean): void {
    this.#lastMs = this.#deps.clock.monotonic();
    const round = this.#round;
    if (round && isReclaiming(round)) {
      this.#afterReclaim(round, seen);
      return;
    }
    if (!seen) {
      this.#round = { ...this.#begin([], mayAct), isBroken: true };
      return;
    }
    const acting = this.#memory.observe(seen, this.#lastMs, mayAct);
    this.#round = this.#begin(mayAct ? acting : [], mayAct);
  }

  limitsChecked(evicted: readonly string[], wanted: ReadonlySet<string> | null): void {
    const round = this.#current('checks limits');
    if (!round) return;
    round.forLimits = evicted;
    round.stoppedAtMs = this.#deps.clock.monotonic();
    this.#lastMs = round.stoppedAtMs;
    const missed = [...(wanted ?? [])].find((uid) => !evicted.includes(uid));
    if (missed !== undefined) this.#breaks(31, `${missed} is above its limits, and stays`);
  }

  evictsForLimits(pod: Pod, isAbove: boolean, graceSeconds: number | undefined): void {
    const { uid = '' } = pod.metadata;
    if (traitsOf(pod).isCritical) this.#breaks(25, `${uid} is critical`);
    if (!isAbove) this.#breaks(31, `${uid} is within its limits`);
    if (graceSeconds !== 1) this.#breaks(29, `${uid} gets ${graceSeconds} s`);
    this.#deps.journal.count('eviction: above its own limits');
  }

  thresholdMet(message: string): void {
    const round = this.#current('reclaims');
    if (!round) return;
    const { acting, forLimits } = round;
    const resources = new Set(acting.map(({ signal }) => RESOURCES[kindOf(signal)]));
    round.resource = message.replace('Attempting to reclaim ', '');
    if (forLimits === null || forLimits.length > 0) {
      this.#breaks(31, `reclaims although ${forLimits?.join() ?? 'no limit was checked'}`);
    }
    if (acting.length === 0) this.#breaks(29, `${message}, but no threshold has to act`);
    else if (!resources.has(round.resource)) {
      this.#breaks(29, `${message}, and not ${[...resources].join()}`);
    }
  }

  reclaims(step: string): void {
    const round = this.#current('reclaims');
    if (!round) return;
    this.#lastMs = this.#deps.clock.monotonic();
    round.steps.push(step);
    const isFine = round.acting.some((one) => this.#stepsOf(one).includes(step));
    if (!isFine || round.resource === null) this.#breaks(32, `reclaims ${step}`);
  }

  /** Null: the usage is not known. */
  measured(candidates: readonly Ranked[] | null): void {
    const round = this.#current('ranks pods');
    if (!round) return;
    this.#lastMs = this.#deps.clock.monotonic();
    round.candidates = candidates;
    if (round.isEnough) this.#breaks(32, 'enough was reclaimed, but pods are ranked');
    const mustReclaim = round.acting.every((one) => this.#stepsOf(one).length > 0);
    if (mustReclaim && round.steps.length === 0) this.#breaks(32, 'nothing was reclaimed before');
  }

  evicts(pod: Pod, graceSeconds: number | undefined, message: string): void {
    const { journal, layout } = this.#deps;
    const { uid = '' } = pod.metadata;
    const round = this.#current(`evicts ${uid}`);
    if (!round) return;
    if (traitsOf(pod).isCritical) this.#breaks(25, `${uid} is critical`);
    if (round.evicted.length > 0) this.#breaks(26, `${uid} and ${round.evicted.join()}`);
    if (round.isEnough) this.#breaks(32, `${uid}, although enough was reclaimed`);
    if ((round.forLimits ?? []).length > 0) this.#breaks(31, `${uid} goes, too`);
    if (!round.candidates) this.#breaks(28, `${uid} goes, but no usage is known`);
    round.evicted.push(uid);
    const mayGo = round.acting
      .filter(({ signal }) => RESOURCES[kindOf(signal)] === round.resource)
      .map((one) => ({ one, first: firstOf(round.candidates ?? [], one.signal, layout) }));
    const cause = mayGo.find(({ first }) => first?.pod.metadata.uid === uid)?.one;
    if (!cause) {
      const others = mayGo.map(({ first }) => first?.pod.metadata.uid).join();
      this.#breaks(27, `${uid} goes for ${round.resource}, and not ${others}`);
      return;
    }
    const text = `The node was low on resource: ${round.resource}. Threshold quantity: `;
    if (!message.startsWith(text)) this.#breaks(27, `${uid}: ${message}`);
    const own = pod.spec.terminationGracePeriodSeconds ?? 0;
    const grace = cause.graceMs === 0 ? 1 : Math.min(this.#policy.maxPodGraceSeconds, own);
    if (graceSeconds !== grace) this.#breaks(29, `${uid} gets ${graceSeconds} s, not ${grace}`);
    journal.count(`eviction: ${cause.graceMs === 0 ? 'hard' : 'soft'} ${kindOf(cause.signal)}`);
  }

  stopped(): void {
    if (this.#round) this.#round.stoppedAtMs = this.#deps.clock.monotonic();
  }

  /** Between two steps: the node has just the pressures that it must have. */
  check(found: ReadonlySet<string>): void {
    const round = this.#round;
    const gone = [...(round?.evicted ?? []), ...(round?.forLimits ?? [])];
    if (round && gone.length > 0 && gone.every((uid) => this.#isCleanedUp(uid))) {
      round.cleanedAtMs ??= this.#deps.clock.monotonic();
    }
    const [is, must] = [[...found].toSorted().join(), this.#memory.pressures.toSorted().join()];
    if (is !== must) this.#breaks(30, `the node has [${is}], not [${must}]`);
  }

  #begin(acting: readonly PlainThreshold[], mayAct: boolean): Round {
    return {
      mayAct,
      acting,
      forLimits: null,
      resource: null,
      steps: [],
      isObservedAgain: false,
      isEnough: false,
      candidates: undefined,
      evicted: [],
      isBroken: false,
      stoppedAtMs: null,
      cleanedAtMs: null,
    };
  }

  #afterReclaim(round: Round, seen: ReadonlyMap<string, Seen> | null): void {
    const { journal } = this.#deps;
    const due = round.acting.map((one) => this.#stepsOf(one).join());
    if (!due.includes(round.steps.join())) this.#breaks(32, `reclaims ${round.steps.join()}`);
    round.isObservedAgain = true;
    round.isBroken = !seen;
    if (!seen || seen.size === 0) return;
    round.isEnough = this.#policy.thresholds.every((one) => {
      const now = seen.get(one.signal);
      return !now || now.available >= one.amount + one.minReclaim;
    });
    if (round.isEnough) journal.count('eviction: enough was reclaimed');
  }

  /** A round that ended did all that it had to. */
  #finish(round: Round): void {
    const { journal } = this.#deps;
    const { acting, forLimits, candidates, evicted } = round;
    if (round.isBroken || !round.mayAct) return;
    if (forLimits === null) this.#breaks(31, 'limits were not checked');
    if (acting.length === 0 || (forLimits ?? []).length > 0) return;
    if (round.resource === null) {
      this.#breaks(29, `${acting[0]?.signal} is met, and nothing happens`);
    }
    if (round.isEnough) return;
    if (candidates === undefined) this.#breaks(29, 'pods were not ranked');
    if (!candidates || evicted.length > 0) return;
    const stays = candidates.find(({ pod }) => !traitsOf(pod).isCritical);
    if (stays) this.#breaks(29, `${stays.pod.metadata.uid} could go, and stays`);
    journal.count('eviction: only critical pods are left');
  }

  #stepsOf({ signal }: PlainThreshold): readonly string[] {
    const [fileSystem = ''] = signal.split('.');
    if (kindOf(signal) === 'memory' || kindOf(signal) === 'pids') return [];
    const { layout } = this.#deps;
    if (layout === 'dedicated' && fileSystem === 'nodefs') return [];
    if (layout === 'split') return fileSystem === 'imagefs' ? ['images'] : ['containers'];
    return ['containers', 'images'];
  }

  #current(what: string): Round | null {
    if (!this.#round) this.#breaks(29, `${what} outside a round`);
    return this.#round;
  }

  #breaks(invariant: number, what: string): void {
    this.#deps.journal.breaks(invariant, what);
  }
}

function isReclaiming({ steps, isObservedAgain }: Round): boolean {
  return steps.length > 0 && !isObservedAgain;
}
