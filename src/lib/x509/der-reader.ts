/**
 * Reads DER, the encoding of certificates, from untrusted input: every length is checked before it is used.
 */
import { defineError } from '../errors.ts';
import { TAG } from './der.ts';

export interface DerValue {
  readonly tag: number;
  readonly content: Uint8Array;
  /** The bytes of the value with its tag and length. */
  readonly raw: Uint8Array;
}

export const derBroken = defineError<{ reason: string }>({
  code: 'DER_BROKEN',
  retry: 'never',
  message: ({ reason }) => `the bytes are not valid DER: ${reason}`,
  hint: () => 'Make the certificate or the request again, for example with openssl.',
});

const LENGTH_BYTES_MAX = 4;

/** The single value of these bytes. */
export function readDer(bytes: Uint8Array): DerValue {
  const value = readFirst(bytes);
  if (value.raw.byteLength !== bytes.byteLength) throw derBroken({ reason: 'bytes are left over' });
  return value;
}

/** The values inside a value, one after the other. */
export function childrenOf({ content }: DerValue): readonly DerValue[] {
  const values: DerValue[] = [];
  for (let rest = content; rest.byteLength > 0;) {
    const value = readFirst(rest);
    values.push(value);
    rest = rest.subarray(value.raw.byteLength);
  }
  return values;
}

/** A child that must be present. */
export function childAt(value: DerValue, index: number): DerValue {
  const child = childrenOf(value)[index];
  if (!child) throw derBroken({ reason: `a part is missing (number ${index + 1})` });
  return child;
}

/** Such as `2.5.29.17`. */
export function readOid({ content }: DerValue): string {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of content) {
    number = number * 128 + (byte % 128);
    if (byte >= 128) continue;
    numbers.push(number);
    number = 0;
  }
  const [head = 0, ...rest] = numbers;
  const first = Math.min(2, Math.floor(head / 40));
  return [first, head - first * 40, ...rest].join('.');
}

const TWO_DIGITS = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;
const FOUR_DIGITS = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;

/** In milliseconds. */
export function readDerTime({ tag, content }: DerValue): number {
  const text = Buffer.from(content).toString('latin1');
  const found = (tag === TAG.utcTime ? TWO_DIGITS : FOUR_DIGITS).exec(text);
  if (!found) throw derBroken({ reason: `"${text}" is no time` });
  const [year = 0, month = 0, day, hour, minute, second] = found.slice(1).map(Number);
  const century = tag === TAG.utcTime ? (year < 50 ? 2000 : 1900) : 0;
  return Date.UTC(century + year, month - 1, day, hour, minute, second);
}

function readFirst(bytes: Uint8Array): DerValue {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined) throw derBroken({ reason: 'it ends too early' });
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  if (first === 0x80 || lengthBytes > LENGTH_BYTES_MAX) {
    throw derBroken({ reason: 'a length is not written as it should be' });
  }
  const start = 2 + lengthBytes;
  const length =
    lengthBytes === 0 ? first : bytes.subarray(2, start).reduce((sum, byte) => sum * 256 + byte, 0);
  if (start + length > bytes.byteLength) throw derBroken({ reason: 'it ends too early' });
  const raw = bytes.subarray(0, start + length);
  return { tag, content: raw.subarray(start), raw };
}
