/**
 * Writes DER (X.690), the encoding of certificates: each value is a tag, a length and its content. It has
 * only the types that certificates need.
 */

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

const CONTEXT = 0x80;
const CONSTRUCTED = 0x20;
const LONG_LENGTH = 0x80;
/** The last year that is written with two digits. */
const UTC_YEAR_MAX = 2049;

export function writeValue(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), writeLength(content.byteLength), content]);
}

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return writeValue(TAG.sequence, ...parts);
}

export function setOf(...parts: readonly Uint8Array[]): Buffer {
  // DER sorts the members of a set by their bytes.
  return writeValue(TAG.set, ...parts.toSorted((a, b) => Buffer.compare(a, b)));
}

/** A non-negative number, big-endian. */
export function integer(bytes: Uint8Array): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start === -1 ? Buffer.from([0]) : Buffer.from(bytes.subarray(start));
  // The first bit is the sign, so a number whose first bit is set gets a zero byte before it.
  const sign = (digits[0] ?? 0) >= 0x80 ? [0] : [];
  return writeValue(TAG.integer, Buffer.from(sign), digits);
}

export function boolean(value: boolean): Buffer {
  return writeValue(TAG.boolean, Buffer.from([value ? 0xff : 0]));
}

export function octetString(content: Uint8Array): Buffer {
  return writeValue(TAG.octetString, content);
}

export function bitString(content: Uint8Array, unusedBits = 0): Buffer {
  return writeValue(TAG.bitString, Buffer.from([unusedBits]), content);
}

export function utf8String(text: string): Buffer {
  return writeValue(TAG.utf8String, Buffer.from(text));
}

/** Such as `2.5.29.17`. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return writeValue(TAG.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** A value with a context-specific tag, `[0] …`, which holds other values or bytes. */
export function tagged(
  number: number,
  form: 'constructed' | 'primitive',
  ...contents: readonly Uint8Array[]
): Buffer {
  return writeValue(contextTag(number, form), ...contents);
}

export function contextTag(number: number, form: 'constructed' | 'primitive'): number {
  return CONTEXT + (form === 'constructed' ? CONSTRUCTED : 0) + number;
}

/** A time in whole seconds. */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  const year = Number(digits.slice(0, 4));
  return year <= UTC_YEAR_MAX
    ? writeValue(TAG.utcTime, Buffer.from(digits.slice(2)))
    : writeValue(TAG.generalizedTime, Buffer.from(digits));
}

function writeLength(length: number): Buffer {
  if (length < LONG_LENGTH) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([LONG_LENGTH + bytes.length, ...bytes]);
}

/** Seven bits per byte; all bytes but the last have the first bit set. */
function base128(value: number): readonly number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.unshift((rest % 128) + 128);
  }
  return bytes;
}
