/**
 * Encodes and decodes base64, the form that bytes have in JSON.
 *
 * Decoding accepts exactly what Go accepts: the standard alphabet with padding, and line breaks anywhere.
 */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const CODES = Uint8Array.from(ALPHABET, (letter) => letter.charCodeAt(0));
const PADDING = '='.charCodeAt(0);
const NO_VALUE = 64;
const VALUES = new Uint8Array(128).fill(NO_VALUE);
for (const [value, code] of CODES.entries()) VALUES[code] = value;

const latin = new TextDecoder('latin1');

export function encodeBase64(bytes: Uint8Array): string {
  const letters = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(PADDING);
  let at = 0;
  for (let index = 0; index < bytes.length; index += 3) {
    const left = bytes.length - index;
    const bits =
      ((bytes[index] ?? 0) << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0);
    letters[at] = CODES[bits >>> 18] ?? 0;
    letters[at + 1] = CODES[(bits >>> 12) & 63] ?? 0;
    if (left > 1) letters[at + 2] = CODES[(bits >>> 6) & 63] ?? 0;
    if (left > 2) letters[at + 3] = CODES[bits & 63] ?? 0;
    at += 4;
  }
  return latin.decode(letters);
}

/** The bytes. Undefined: the text is not base64. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const letters = text.replaceAll(/[\r\n]/g, '');
  if (letters.length % 4 !== 0) return undefined;
  const padding = letters.endsWith('==') ? 2 : letters.endsWith('=') ? 1 : 0;
  const bytes = new Uint8Array((letters.length / 4) * 3 - padding);
  let bits = 0;
  let at = 0;
  for (let index = 0; index < letters.length - padding; index++) {
    const value = VALUES[letters.charCodeAt(index)] ?? NO_VALUE;
    if (value === NO_VALUE) return undefined;
    bits = (bits << 6) | value;
    if (index % 4 === 0) continue;
    bytes[at] = bits >>> (6 - 2 * (index % 4));
    at += 1;
  }
  return bytes;
}
