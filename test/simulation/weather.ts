/**
 * What goes wrong in a history, and how often.
 *
 * Each history has its own weather: some faults never happen in it, others more than usual. A world in
 * which everything fails a little never gets far enough to show what one fault does alone. After the
 * storm there are no more faults, and everything has to converge.
 */
import type { EventJournal } from './event-journal.ts';
import type { Dice } from './dice.ts';

/** Every fault of the world, with how often it strikes where it can. */
const RATES = {
  'api: slow answer': 0.25,
  'api: very slow answer': 0.05,
  'api: 409 conflict': 0.03,
  'api: 404 although it is there': 0.01,
  'api: 429 too many requests': 0.03,
  'api: 500 server error': 0.04,
  'api: cut before the request took effect': 0.03,
  'api: cut after the request took effect': 0.04,
  'api: request takes effect late': 0.015,
  'watch: lags': 0.15,
  'watch: cut and listed again': 0.01,
  'runtime: network not ready': 0.04,
  'runtime: sandbox fails': 0.04,
  'runtime: start fails': 0.06,
  'runtime: start is slow': 0.2,
  'runtime: init container fails': 0.2,
  'runtime: stop fails': 0.1,
  'runtime: stop hangs until aborted': 0.08,
  'runtime: stop is slow': 0.15,
  'runtime: container ignores SIGTERM': 0.3,
  'runtime: mount fails': 0.05,
  'runtime: mount hangs until aborted': 0.05,
  'runtime: unmount fails': 0.1,
  'runtime: unmount is slow': 0.1,
  'runtime: pod cannot be read': 0.02,
  'runtime: pod is read slowly': 0.05,
  'runtime: pods cannot be listed': 0.05,
  'runtime: event is lost': 0.1,
  'work: status takes a while to compute': 0.1,
  'mirror: request fails': 0.1,
  'source: removal without a word': 0.1,
  'node: is observed slowly': 0.1,
  'node: cannot be observed': 0.05,
  'node: a signal is missing': 0.03,
  'node: a signal was measured before': 0.1,
  'node: a signal has no time': 0.03,
  'node: usage of pods is not known': 0.1,
  'node: cannot reclaim': 0.3,
  'node: disks cannot be measured': 0.1,
} as const;

export type Fault = keyof typeof RATES;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a constant
export const FAULTS = Object.keys(RATES) as readonly Fault[];

/** How likely it is that a history can have a fault. */
const PRESENT = 0.75;

export class Weather {
  readonly #dice: Dice;
  readonly #journal: EventJournal;
  readonly #rates = new Map<Fault, number>();

  constructor(dice: Dice, journal: EventJournal) {
    this.#dice = dice;
    this.#journal = journal;
    for (const fault of FAULTS) {
      const strength = dice.next() * 2;
      if (dice.chance(PRESENT)) this.#rates.set(fault, RATES[fault] * strength);
    }
  }

  /** Does it happen this time? Each time that it does is counted. */
  strikes(fault: Fault): boolean {
    const rate = this.#rates.get(fault);
    if (rate === undefined || !this.#dice.chance(rate)) return false;
    this.#journal.count(fault);
    return true;
  }

  /** How long an operation takes that a fault slows down. */
  takesMs(low: number, high: number): number {
    return this.#dice.between(low, high);
  }

  clearUp(): void {
    this.#rates.clear();
  }
}
