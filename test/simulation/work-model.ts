/**
 * The model's own record of podkeep's work for each pod: which work is in flight, which phase the pod has
 * reached, and its grace period. (Invariants 1, 2, 3, 13, 15, 22 and 23.)
 */
import type { Pod } from '../../src/api/pod.ts';
import type { DecisionRecord } from '../../src/ports/observe/decision-log.ts';
import type { EventJournal } from './event-journal.ts';
import type { RuntimeRecords } from './runtime-records.ts';

export type Work = 'sync' | 'stop' | 'release';

const ROAD = ['forgotten', 'waiting', 'syncing', 'terminating', 'terminated', 'finished'];
/** In these phases a static pod has its full name. */
const HOLDS: ReadonlySet<string> = new Set(['syncing', 'terminating', 'terminated']);
const STAGES: readonly Work[] = ['sync', 'stop', 'release'];

export interface InFlight {
  readonly work: Work;
  readonly graceSeconds: number | null;
  readonly signal: AbortSignal;
}

/** The last spec that the workers got of a pod, and the one they acted on. */
interface Words {
  notified: Pod | null;
  actedOn: Pod | null;
  /** Podkeep inspects the runtime before it acts, or failed to. */
  isLooking: boolean;
}

interface Journey {
  phase: string;
  readonly name: string;
  /** The furthest work that has begun. */
  harness: Work;
  graceSeconds: number | null;
  /** Its containers have been stopped, and nothing may start again. */
  isStopped: boolean;
}

export class WorkModel {
  readonly #journal: EventJournal;
  readonly #runtime: RuntimeRecords;
  readonly #inFlight = new Map<string, InFlight>();
  readonly #journeys = new Map<string, Journey>();
  readonly #failed = new Set<string>();
  readonly #words = new Map<string, Words>();

  constructor(journal: EventJournal, runtime: RuntimeRecords) {
    this.#journal = journal;
    this.#runtime = runtime;
  }

  get isIdle(): boolean {
    return this.#inFlight.size === 0;
  }

  /** Pods whose last work failed, so that it will be retried. */
  get failed(): readonly string[] {
    return [...this.#failed];
  }

  /** What is being done now, by UID. */
  get inFlight(): ReadonlyMap<string, InFlight> {
    return this.#inFlight;
  }

  /** The workers get a pod. */
  notified(uid: string, pod: Pod): void {
    this.#wordsOf(uid).notified = pod;
  }

  /** The pod is inspected in the runtime, which comes before all work and may fail. */
  looks(uid: string): void {
    this.#wordsOf(uid).isLooking = true;
  }

  /** Did it get an update that it has not acted on, although no work is in flight for it? */
  ignores(uid: string): boolean {
    const words = this.#words.get(uid);
    if (!words || words.isLooking || !words.actedOn || this.#inFlight.has(uid)) return false;
    return words.notified !== words.actedOn;
  }

  /** Work begins, for the pod as last given; none if there is no spec. */
  actsOn(uid: string, pod: Pod | null): void {
    const words = this.#wordsOf(uid);
    words.actedOn = pod;
    words.isLooking = false;
  }

  /** Its containers were stopped in this life of podkeep, and it has not been forgotten since. */
  isStopped(uid: string): boolean {
    return this.#journeys.get(uid)?.isStopped === true;
  }

  /** A static pod that waits although no other has its name (V-7). */
  findForgottenInLine(): string | undefined {
    const journeys = [...this.#journeys];
    return journeys.find(([, { phase, name }]) => {
      if (phase !== 'waiting') return false;
      return !journeys.some(([, other]) => other.name === name && HOLDS.has(other.phase));
    })?.[0];
  }

  began(uid: string, { work, graceSeconds, signal }: InFlight): void {
    const grace = graceSeconds === null ? '' : ` within ${graceSeconds} s`;
    this.#journal.notify('work', `${uid}: ${work} begins${grace}`);
    const other = this.#inFlight.get(uid);
    if (other) this.#breaks(1, `${uid}: ${work} began while ${other.work} ran`);
    this.#inFlight.set(uid, { work, graceSeconds, signal });
    const journey = this.#journeyOf(uid);
    if (STAGES.indexOf(work) < STAGES.indexOf(journey.harness)) {
      this.#breaks(2, `${uid}: ${work} began after ${journey.harness}`);
    }
    journey.harness = work;
    if (work === 'stop') this.#hurry(uid, journey, graceSeconds);
  }

  ended(uid: string, work: Work, how: string): void {
    this.#journal.notify('work', `${uid}: ${work} ${how}`);
    this.#inFlight.delete(uid);
    if (how === 'is done') this.#failed.delete(uid);
    else this.#failed.add(uid);
    if (work !== 'stop' || how !== 'is done') return;
    this.#journeyOf(uid).isStopped = true;
    const running = this.#runtime.running(uid);
    if (running.length > 0) this.#breaks(15, `${uid}: stopped, but ${running[0]?.id} runs`);
  }

  /** A step of the pod worker's machine. */
  decided({ pod, from, to }: DecisionRecord): void {
    const { uid } = pod;
    if (to === 'parked') {
      this.#breaks(13, `${uid}: parked`);
      return;
    }
    const journey = this.#journeyOf(uid, pod.name);
    if (journey.phase !== from) this.#breaks(2, `${uid}: was ${journey.phase}, left ${from}`);
    if (to === 'forgotten') {
      if (from === 'syncing' || from === 'terminated') this.#breaks(2, `${uid}: forgot ${from}`);
      this.#journeys.delete(uid);
      this.#words.delete(uid);
      this.#failed.delete(uid);
      return;
    }
    if (ROAD.indexOf(to) < ROAD.indexOf(from)) this.#breaks(2, `${uid}: from ${from} to ${to}`);
    journey.phase = to;
  }

  /** A container is about to run. */
  starts(uid: string, name: string): void {
    if (this.#journeys.get(uid)?.isStopped === true) {
      this.#breaks(15, `${uid}: ${name} starts after its pod was stopped`);
    }
    const twin = this.#runtime.running(uid).find((container) => container.name === name);
    if (twin) this.#breaks(15, `${uid}: ${name} starts while ${twin.id} runs`);
  }

  lifeEnded(): void {
    this.#inFlight.clear();
    this.#failed.clear();
    this.#words.clear();
    this.#journeys.clear();
  }

  #hurry(uid: string, journey: Journey, graceSeconds: number | null): void {
    const { graceSeconds: before } = journey;
    if (before !== null && (graceSeconds === null || graceSeconds > before)) {
      this.#breaks(3, `${uid}: had ${before} s to stop, now ${graceSeconds ?? 'any time'}`);
    }
    journey.graceSeconds = graceSeconds;
  }

  #wordsOf(uid: string): Words {
    let words = this.#words.get(uid);
    if (!words) {
      words = { notified: null, actedOn: null, isLooking: false };
      this.#words.set(uid, words);
    }
    return words;
  }

  #journeyOf(uid: string, name = ''): Journey {
    let journey = this.#journeys.get(uid);
    if (!journey) {
      journey = {
        phase: 'forgotten',
        name,
        harness: 'sync',
        graceSeconds: null,
        isStopped: false,
      };
      this.#journeys.set(uid, journey);
    }
    return journey;
  }

  #breaks(invariant: number, what: string): void {
    this.#journal.breaks(invariant, what);
  }
}
