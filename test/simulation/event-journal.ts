/**
 * Everything that happened in one history, in order, and how often each kind of thing did.
 *
 * Events are what the world does and what reaches it: requests, answers, deliveries, containers, users.
 * Decisions of podkeep's machines are recorded between them, but are not counted as events. The same seed
 * must give the same journal, to the last line.
 */
import type { Clock } from '../../src/ports/clock.ts';
import type { DecisionRecord } from '../../src/ports/observe/decision-log.ts';

export type Actor = 'user' | 'api' | 'watch' | 'runtime' | 'probe' | 'podkeep' | 'status' | 'work';

interface Line {
  readonly atMs: number;
  readonly who: string;
  readonly what: string;
}

/** A rule that did not hold. The number is that of the list in invariants.ts. */
export interface Breach {
  readonly invariant: number;
  readonly what: string;
}

export class EventJournal {
  readonly #clock: Clock;
  readonly #lines: Line[] = [];
  #events = 0;
  #breach: Breach | null = null;
  /** How often each transition, fault and act occurred, by name. */
  readonly counts = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get events(): number {
    return this.#events;
  }

  /** The first rule that broke. Later events prove nothing. */
  get breach(): Breach | null {
    return this.#breach;
  }

  notify(who: Actor, what: string): void {
    this.#events += 1;
    this.#write(who, what);
  }

  decided({ machine, pod, from, to, why }: DecisionRecord): void {
    this.#write(machine, `${pod.uid || pod.name}: ${from} → ${to} (${why})`);
  }

  count(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  breaks(invariant: number, what: string): void {
    if (this.#breach !== null) return;
    this.#write('BROKEN', `invariant ${invariant}: ${what}`);
    this.#breach = { invariant, what };
  }

  /** Readable, one line for each event; only the last ones if a number is given. */
  lines(last = this.#lines.length): readonly string[] {
    return this.#lines.slice(-last).map(({ atMs, who, what }) => {
      const seconds = (atMs / 1000).toFixed(3).padStart(9);
      return `${seconds} ${who.padEnd(14)} ${what}`;
    });
  }

  #write(who: string, what: string): void {
    if (this.#breach !== null) return;
    this.#lines.push({ atMs: this.#clock.monotonic(), who, what });
  }
}
