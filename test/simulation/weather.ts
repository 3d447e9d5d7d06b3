/**
 * What goes wrong in a history, and how often.
 *
 * Each history has a weather of its own: some faults never happen in it, others more than usual. A
 * world in which everything fails a little never gets far enough to show what one fault does alone.
 * When the storm is over, nothing goes wrong any more, and everything has to come right.
 */
import type { Chronicle } from './chronicle.ts';
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
} as const;

export type Fault = keyof typeof RATES;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a constant
export const FAULTS = Object.keys(RATES) as readonly Fault[];

/** How likely a fault is to be possible in a history at all. */
const PRESENT = 0.75;

export class Weather {
  readonly #dice: Dice;
  readonly #chronicle: Chronicle;
  readonly #rates = new Map<Fault, number>();

  constructor(dice: Dice, chronicle: Chronicle) {
    this.#dice = dice;
    this.#chronicle = chronicle;
    for (const fault of FAULTS) {
      const strength = dice.next() * 2;
      if (dice.chance(PRESENT)) this.#rates.set(fault, RATES[fault] * strength);
    }
  }

  /** Does it happen this time? Each time that it does is counted. */
  strikes(fault: Fault): boolean {
    const rate = this.#rates.get(fault);
    if (rate === undefined || !this.#dice.chance(rate)) return false;
    this.#chronicle.count(fault);
    return true;
  }

  /** How long something takes that strikes. */
  takesMs(low: number, high: number): number {
    return this.#dice.between(low, high);
  }

  clearUp(): void {
    this.#rates.clear();
  }
}
