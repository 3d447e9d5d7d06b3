/** Addresses and networks: `cidr('10.0.0.0/8').containsIP('10.1.2.3')`. */
import { parseIp } from '../../lib/ip.ts';
import { CelError } from '../fault.ts';
import { overload, type Overload } from '../overload.ts';
import { Opaque, type CidrParts, type IpParts, type CelValue } from '../value.ts';
import { cidrParts, ipParts, text } from './arguments.ts';
import { bytesOfIp, printIp } from './ip-bytes.ts';

function readIp(value: string): IpParts | undefined {
  const found = parseIp(value);
  // IPv4-mapped IPv6 addresses are refused, and so are leading zeros.
  const isPlain = found && (found.family === 6) === value.includes(':');
  if (!isPlain || /(?:^|\.)0\d+(?:\.|$)/.test(value)) return undefined;
  return { text: found.text, bytes: bytesOfIp(found.text) };
}

function readCidr(value: string): CidrParts | undefined {
  const [address = '', bits = '', ...rest] = value.split('/');
  const ip = readIp(address);
  if (!ip || rest.length > 0 || !/^(?:0|[1-9]\d{0,2})$/.test(bits)) return undefined;
  return Number(bits) <= ip.bytes.length * 8 ? { ip, bits: Number(bits) } : undefined;
}

function ip(value: CelValue | undefined): IpParts {
  if (typeof value !== 'string') return ipParts(value);
  const found = readIp(value);
  if (!found) {
    const shown = JSON.stringify(value);
    const why = `ParseAddr(${shown}): unable to parse IP`;
    throw new CelError(`IP Address ${shown} parse error during conversion from string: ${why}`);
  }
  return found;
}

function cidr(value: CelValue | undefined): CidrParts {
  if (typeof value !== 'string') return cidrParts(value);
  const found = readCidr(value);
  if (!found) {
    const why = value.includes('/') ? 'ParseAddr: unable to parse IP' : "no '/'";
    const given = 'network address parse error during conversion from string: ';
    throw new CelError(`${given}${given}netip.ParsePrefix(${JSON.stringify(value)}): ${why}`);
  }
  return found;
}

function madeIp(found: IpParts): CelValue {
  return new Opaque('IP', found);
}

function masked({ ip: { bytes }, bits }: CidrParts): IpParts {
  const kept = bytes.map((byte, index) => {
    const used = Math.min(8, Math.max(0, bits - index * 8));
    return byte & (0xff << (8 - used)) & 0xff;
  });
  return { bytes: kept, text: printIp(kept) };
}

function contains(net: CidrParts, address: IpParts): boolean {
  if (net.ip.bytes.length !== address.bytes.length) return false;
  return masked({ ip: address, bits: net.bits }).text === masked(net).text;
}

function printCidr(net: CidrParts): string {
  return `${net.ip.text}/${net.bits}`;
}

type Check = (bytes: readonly number[]) => boolean;

const isV4 = (bytes: readonly number[]): boolean => bytes.length === 4;

const isLoopback: Check = (bytes) =>
  isV4(bytes) ? bytes[0] === 127 : bytes.every((byte, index) => byte === (index === 15 ? 1 : 0));
const isUnspecified: Check = (bytes) => bytes.every((byte) => byte === 0);
const isLinkLocalMulticast: Check = ([a, b, c, ...rest]) =>
  rest.length === 1 ? a === 224 && b === 0 && c === 0 : a === 0xff && ((b ?? 0) & 0x0f) === 2;
const isLinkLocalUnicast: Check = ([a, b, ...rest]) =>
  rest.length === 2 ? a === 169 && b === 254 : a === 0xfe && ((b ?? 0) & 0xc0) === 0x80;
const isMulticast: Check = (bytes) =>
  isV4(bytes) ? ((bytes[0] ?? 0) & 0xf0) === 0xe0 : bytes[0] === 0xff;
const isGlobalUnicast: Check = (bytes) =>
  !isUnspecified(bytes) &&
  !isLoopback(bytes) &&
  !isMulticast(bytes) &&
  !isLinkLocalUnicast(bytes) &&
  !(isV4(bytes) && bytes.every((byte) => byte === 255));

const checks: readonly Overload[] = (
  [
    ['isUnspecified', isUnspecified],
    ['isLoopback', isLoopback],
    ['isLinkLocalMulticast', isLinkLocalMulticast],
    ['isLinkLocalUnicast', isLinkLocalUnicast],
    ['isGlobalUnicast', isGlobalUnicast],
  ] as const
).map(([name, check]) => overload(`IP.${name}(): bool`, ([a]) => check(ip(a).bytes)));

export const networks: readonly Overload[] = [
  overload('ip(string): IP', ([a]) => madeIp(ip(text(a)))),
  overload('isIP(string): bool', ([a]) => readIp(text(a)) !== undefined),
  overload('ip.isCanonical(string): bool', ([a]) => ip(text(a)).text === text(a)),
  overload('IP.family(): int', ([a]) => (isV4(ip(a).bytes) ? 4n : 6n)),
  overload('string(IP): string', ([a]) => ip(a).text),
  ...checks,
  overload('cidr(string): CIDR', ([a]) => new Opaque('CIDR', cidr(text(a)))),
  overload('isCIDR(string): bool', ([a]) => readCidr(text(a)) !== undefined),
  overload('CIDR.containsIP(string): bool', ([a, b]) => contains(cidr(a), ip(b))),
  overload('CIDR.containsIP(IP): bool', ([a, b]) => contains(cidr(a), ip(b))),
  overload('CIDR.containsCIDR(string): bool', ([a, b]) => holds(cidr(a), cidr(b))),
  overload('CIDR.containsCIDR(CIDR): bool', ([a, b]) => holds(cidr(a), cidr(b))),
  overload('CIDR.ip(): IP', ([a]) => madeIp(cidr(a).ip)),
  overload('CIDR.masked(): CIDR', ([a]) => {
    return new Opaque('CIDR', { ip: masked(cidr(a)), bits: cidr(a).bits });
  }),
  overload('CIDR.prefixLength(): int', ([a]) => BigInt(cidr(a).bits)),
  overload('string(CIDR): string', ([a]) => printCidr(cidr(a))),
];

function holds(outer: CidrParts, inner: CidrParts): boolean {
  return inner.bits >= outer.bits && contains(outer, inner.ip);
}
