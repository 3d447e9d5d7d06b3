/**
 * Decodes UTF-8 as Go does when it prints JSON.
 *
 * Protobuf's strings should be UTF-8, but Go does not check that before it makes JSON of them, and writes one
 * U+FFFD for each byte that is not part of a character. A TextDecoder writes one for each broken character
 * instead, so this file decodes texts with such bytes itself.
 */

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const REPLACEMENT = '\uFFFD';
const REPLACEMENT_BYTES = new TextEncoder().encode(REPLACEMENT);

/** Below this length, adding up characters is faster than calling the decoder. */
const SHORT_MAX = 12;

export function decodeText(bytes: Uint8Array, start: number, end: number): string {
  if (end - start <= SHORT_MAX) {
    const short = decodeAscii(bytes, start, end);
    if (short !== undefined) return short;
  }
  const text = decoder.decode(bytes.subarray(start, end));
  return text.includes(REPLACEMENT) ? decodeBroken(bytes, start, end) : text;
}

function decodeAscii(bytes: Uint8Array, start: number, end: number): string | undefined {
  let text = '';
  for (let index = start; index < end; index++) {
    const byte = bytes[index] ?? 0;
    if (byte >= 0x80) return undefined;
    text += String.fromCharCode(byte);
  }
  return text;
}

/** Decodes with one U+FFFD for each byte that is not part of a character. */
function decodeBroken(bytes: Uint8Array, start: number, end: number): string {
  const whole = new Uint8Array((end - start) * REPLACEMENT_BYTES.length);
  let written = 0;
  let copied = start;
  const copyTo = (index: number): void => {
    whole.set(bytes.subarray(copied, index), written);
    written += index - copied;
  };
  for (let index = start; index < end;) {
    const length = characterLength(bytes, index, end);
    if (length === 0) {
      copyTo(index);
      whole.set(REPLACEMENT_BYTES, written);
      written += REPLACEMENT_BYTES.length;
      copied = index + 1;
    }
    index += Math.max(length, 1);
  }
  copyTo(end);
  return decoder.decode(whole.subarray(0, written));
}

/** How many bytes the character at `index` has; none if they do not make one. */
function characterLength(bytes: Uint8Array, index: number, end: number): number {
  const first = bytes[index] ?? 0;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length === 0 || index + length > end) return 0;

  // The second byte distinguishes overlong forms, surrogates and what is beyond U+10FFFF.
  const second = bytes[index + 1] ?? 0;
  const secondMin = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const secondMax = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < secondMin || second > secondMax) return 0;
  for (let next = index + 2; next < index + length; next++) {
    if (((bytes[next] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  return length;
}
