/**
 * The model's memory of signals: since when a threshold is met, when a pressure was last observed, and
 * which measurements were acted on.
 */
import type { EventJournal } from '../event-journal.ts';
import { kindOf, type PlainThreshold, type Policy } from './eviction-policies.ts';

export interface Seen {
  readonly available: number;
  /** Null: not known. */
  readonly atMs: number | null;
}

const PRESSURES = {
  memory: 'MemoryPressure',
  disk: 'DiskPressure',
  inodes: 'DiskPressure',
  pids: 'PIDPressure',
} as const;

export class SignalMemory {
  readonly #policy: Policy;
  readonly #journal: EventJournal;
  readonly #sinceMs = new Map<PlainThreshold, number>();
  readonly #lastMs = new Map<string, number>();
  #met = new Set<PlainThreshold>();
  #actedOn: ReadonlyMap<string, Seen> = new Map();
  #pressures: readonly string[] = [];

  constructor(policy: Policy, journal: EventJournal) {
    this.#policy = policy;
    this.#journal = journal;
  }

  get pressures(): readonly string[] {
    return this.#pressures;
  }

  /** The thresholds that act now: of those with the highest precedence. */
  observe(
    seen: ReadonlyMap<string, Seen>,
    nowMs: number,
    mayAct: boolean,
  ): readonly PlainThreshold[] {
    const { thresholds, transitionMs } = this.#policy;
    const met = new Set<PlainThreshold>();
    for (const one of thresholds) {
      if (!this.#isMet(one, seen.get(one.signal))) {
        this.#sinceMs.delete(one);
        continue;
      }
      const sinceMs = this.#sinceMs.get(one) ?? nowMs;
      this.#sinceMs.set(one, sinceMs);
      this.#lastMs.set(PRESSURES[kindOf(one.signal)], nowMs);
      if (nowMs - sinceMs >= one.graceMs) met.add(one);
      else this.#journal.count('eviction: a soft threshold waits');
    }
    this.#met = met;
    const before = this.#pressures;
    this.#pressures = [...this.#lastMs].flatMap(([pressure, lastMs]) =>
      nowMs === lastMs || nowMs - lastMs < transitionMs ? [pressure] : [],
    );
    this.#countChanges(before, nowMs);
    if (!mayAct) return [];
    const acting = [...met].filter(({ signal }) => this.#isNew(signal, seen));
    this.#actedOn = seen;
    const best = Math.min(...acting.map(precedence));
    return acting.filter((one) => precedence(one) === best);
  }

  #isMet(one: PlainThreshold, now: Seen | undefined): boolean {
    if (!now) return false;
    if (now.available < one.amount) return true;
    const isKept = this.#met.has(one) && now.available < one.amount + one.minReclaim;
    if (isKept) this.#journal.count('eviction: too little was reclaimed');
    return isKept;
  }

  #isNew(signal: string, seen: ReadonlyMap<string, Seen>): boolean {
    const [now, before] = [seen.get(signal), this.#actedOn.get(signal)];
    if (!now || !before || now.atMs === null || before.atMs === null) return true;
    if (now.atMs > before.atMs) return true;
    this.#journal.count('eviction: old stats are not acted on');
    return false;
  }

  #countChanges(before: readonly string[], nowMs: number): void {
    for (const one of this.#pressures) {
      if (!before.includes(one)) this.#journal.count(`eviction: ${one} begins`);
      else if (this.#lastMs.get(one) !== nowMs) this.#journal.count('eviction: a pressure lasts');
    }
    for (const one of before) {
      if (!this.#pressures.includes(one)) this.#journal.count(`eviction: ${one} ends`);
    }
  }
}

/** Memory first, and hard thresholds before soft ones. */
function precedence({ signal, graceMs }: PlainThreshold): number {
  return (kindOf(signal) === 'memory' ? 0 : 2) + (graceMs === 0 ? 0 : 1);
}
