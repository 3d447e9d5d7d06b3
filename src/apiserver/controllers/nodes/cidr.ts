/** Ranges of IP addresses, such as `10.244.0.0/16`, as numbers. */
import { parseIp } from '../../../lib/ip.ts';
import { readAddress, writeAddress } from '../../../lib/x509/ip-bytes.ts';

export interface Cidr {
  readonly family: 4 | 6;
  /** The first address. */
  readonly first: bigint;
  /** How many bits all addresses share. */
  readonly prefix: number;
}

/** Bits after the prefix do not count. Undefined: it is no range. */
export function parseCidr(text: string): Cidr | undefined {
  const [address = '', length = '', ...rest] = text.split('/');
  const parsed = parseIp(address);
  if (!parsed || rest.length > 0 || !/^\d{1,3}$/.test(length)) return undefined;
  const prefix = Number(length);
  const bits = bitsOfFamily(parsed.family);
  if (prefix > bits) return undefined;
  const number = BigInt(`0x${writeAddress(parsed.text).toString('hex')}`);
  const size = sizeOfPrefix(parsed.family, prefix);
  return { family: parsed.family, first: number - (number % size), prefix };
}

export function formatCidr({ family, first, prefix }: Cidr): string {
  const digits = first.toString(16).padStart(bitsOfFamily(family) / 4, '0');
  return `${readAddress(Buffer.from(digits, 'hex'))}/${prefix}`;
}

/** How many addresses the range has. */
export function sizeOfCidr({ family, prefix }: Cidr): bigint {
  return sizeOfPrefix(family, prefix);
}

export function bitsOfFamily(family: 4 | 6): number {
  return family === 4 ? 32 : 128;
}

function sizeOfPrefix(family: 4 | 6, prefix: number): bigint {
  return 1n << BigInt(bitsOfFamily(family) - prefix);
}
