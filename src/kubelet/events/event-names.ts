/**
 * Generates the names of events: the name of the object, and the time in nanoseconds as a hexadecimal number.
 *
 * The clock has a resolution of milliseconds, and a pod may have several events in one millisecond. So each
 * name gets a later nanosecond than the previous one: names are unique, and sorting by name sorts by time.
 */
import { isDns1123Subdomain } from '../../api/validation-names.ts';
import { uuidOf } from '../../lib/uuid.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdentityRandom } from '../../ports/random.ts';

const NANOS_PER_MS = 1_000_000n;
const UUID_BYTES = 16;

export class EventNames {
  readonly #clock: Clock;
  readonly #random: IdentityRandom;
  #last = 0n;

  constructor(clock: Clock, random: IdentityRandom) {
    this.#clock = clock;
    this.#random = random;
  }

  next(object: string): string {
    const now = BigInt(Math.floor(this.#clock.now())) * NANOS_PER_MS;
    this.#last = now > this.#last ? now : this.#last + 1n;
    const name = `${object}.${this.#last.toString(16)}`;
    // A pod's name may be too long to append anything; then any unique name is used.
    return isDns1123Subdomain(name) ? name : uuidOf(this.#random.bytes(UUID_BYTES));
  }
}
