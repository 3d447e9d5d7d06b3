/**
 * Names for events: that of the object, and the time in nanoseconds as a hexadecimal number.
 *
 * The clock knows milliseconds, and in one of them a pod has several events: each name takes a later
 * nanosecond than the one before, so no two are alike, and sorted by name they are sorted by time.
 */
import { isDns1123Subdomain } from '../../api/validation-names.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';

const NANOS_PER_MS = 1_000_000n;
/** What varies in a UUID of version 4: 30 digits and two bits. */
const TEMPLATE = 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx';

export class EventNames {
  readonly #clock: Clock;
  readonly #random: Random;
  #last = 0n;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  next(object: string): string {
    const now = BigInt(Math.floor(this.#clock.now())) * NANOS_PER_MS;
    this.#last = now > this.#last ? now : this.#last + 1n;
    const name = `${object}.${this.#last.toString(16)}`;
    // A pod's name may be so long that nothing fits behind it; then any unique name will do.
    return isDns1123Subdomain(name) ? name : this.#uuid();
  }

  #uuid(): string {
    const digit = (count: number): number => Math.floor(this.#random.next() * count);
    return TEMPLATE.replaceAll(/[xy]/g, (place) =>
      (place === 'x' ? digit(16) : 8 + digit(4)).toString(16),
    );
  }
}
