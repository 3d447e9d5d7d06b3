/** Validates IP addresses and CIDRs that must be in canonical form. */
import { parseIp } from '../../lib/ip.ts';
import { invalidField, type FieldErrors } from './field-errors.ts';
import { validateIp } from './ip-addresses.ts';

/** The error messages about an address. Empty: it is valid. */
export function checkCanonicalIp(value: string): readonly string[] {
  const faults = [...validateIp(value, '')].map(({ detail }) => detail);
  if (faults.length > 0) return faults;
  const text = parseIp(value)?.text ?? value;
  return text === value ? [] : [canonicalSentence(text)];
}

export function* validateCanonicalCidr(value: string, field: string): FieldErrors {
  const [address = '', length = '', ...rest] = value.split('/');
  const parsed = parseIp(address);
  const bits = parsed?.family === 6 ? 128 : 32;
  const isRange = rest.length === 0 && /^\d{1,3}$/.test(length) && Number(length) <= bits;
  if (!parsed || !isRange) {
    const detail = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
    yield invalidField(field, value, detail);
    return;
  }
  const faults = [...validateIp(address, field)].map(({ detail }) => detail);
  if (faults.includes('must not have leading 0s') || /^0\d/.test(length)) {
    yield invalidField(field, value, 'must not have leading 0s in IP or prefix length');
  } else if (faults.length > 0) {
    yield invalidField(field, value, 'must not have an IPv4-mapped IPv6 address');
  } else if (hasBitsBeyond(parsed.text, Number(length))) {
    yield invalidField(field, value, 'must not have bits set beyond the prefix length');
  } else if (parsed.text !== address) {
    yield invalidField(field, value, canonicalSentence(`${parsed.text}/${length}`));
  }
}

/** Undefined: not a CIDR. */
export function familyOfCidr(value: string): 4 | 6 | undefined {
  return parseIp(value.split('/')[0] ?? '')?.family;
}

function canonicalSentence(text: string): string {
  return `must be in canonical form (${JSON.stringify(text)})`;
}

function hasBitsBeyond(address: string, length: number): boolean {
  return /1/.test(bitsOf(address).slice(length));
}

/** The bits of an address in its shortest form, as ones and zeros. */
function bitsOf(address: string): string {
  if (!address.includes(':')) {
    return address
      .split('.')
      .map((octet) => Number(octet).toString(2).padStart(8, '0'))
      .join('');
  }
  const [head = [], tail = []] = address
    .split('::')
    .map((side) => (side === '' ? [] : side.split(':')));
  const missing = 8 - head.length - tail.length;
  return [...head, ...Array<string>(missing).fill('0'), ...tail]
    .map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0'))
    .join('');
}
