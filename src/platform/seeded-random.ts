/**
 * A random number generator for tests and simulations: the same seed gives the same numbers on every machine.
 *
 * It is a Weyl sequence (a counter with an odd step, so that all 2^32 states are visited) whose values are
 * scrambled by the finaliser of MurmurHash3. It must not be used for secrets.
 */
import type { IdentityRandom } from '../ports/random.ts';

const STEP = 0x9e3779b9;
const RANGE = 2 ** 32;

export function seededRandom(seed: number): IdentityRandom {
  let counter = seed >>> 0;
  const draw = (): number => {
    counter = (counter + STEP) >>> 0;
    return scramble(counter);
  };
  return {
    next: () => draw() / RANGE,
    bytes: (length) => Uint8Array.from({ length }, () => draw() >>> 24),
  };
}

function scramble(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
