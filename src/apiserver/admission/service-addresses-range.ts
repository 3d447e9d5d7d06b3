/**
 * Picks a free number from a range: node ports, and cluster IPs as numbers.
 *
 * Users who choose a number themselves mostly choose a low one, so low numbers are allocated last. Otherwise
 * the choice is random, so that a number that was just released is not reused at once.
 */
import type { Random } from '../../ports/random.ts';

export interface NumberRange {
  readonly first: number;
  readonly last: number;
  /** This many numbers at the start of the range are allocated only when all others are in use. */
  readonly lowCount: number;
}

export const SERVICE_CIDR = '10.96.0.0/12';
/** The range above without its network and broadcast addresses. */
export const SERVICE_ADDRESSES: NumberRange = {
  first: readIpv4('10.96.0.1'),
  last: readIpv4('10.111.255.254'),
  lowCount: 256,
};
export const NODE_PORT_RANGE_TEXT = '30000-32767';
export const NODE_PORTS: NumberRange = { first: 30_000, last: 32_767, lowCount: 86 };

/** Undefined: the whole range is in use. */
export function pickFree(
  range: NumberRange,
  random: Random,
  isFree: (number: number) => boolean,
): number | undefined {
  const { first, last, lowCount } = range;
  const middle = first + lowCount;
  return (
    pickBetween(middle, last, random, isFree) ?? pickBetween(first, middle - 1, random, isFree)
  );
}

export function isInRange({ first, last }: NumberRange, number: number): boolean {
  return number >= first && number <= last;
}

/** An IPv4 address as a number; NaN for anything else. */
export function readIpv4(text: string): number {
  const octets = text.split('.').map(Number);
  if (octets.length !== 4) return Number.NaN;
  return octets.reduce((sum, octet) => sum * 256 + octet, 0);
}

export function printIpv4(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}

function pickBetween(
  first: number,
  last: number,
  random: Random,
  isFree: (number: number) => boolean,
): number | undefined {
  const count = last - first + 1;
  const start = Math.floor(random.next() * count);
  for (let step = 0; step < count; step++) {
    const number = first + ((start + step) % count);
    if (isFree(number)) return number;
  }
  return undefined;
}
