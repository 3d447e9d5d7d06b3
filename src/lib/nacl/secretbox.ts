/**
 * Seals and opens NaCl's secretbox: XSalsa20 for secrecy and Poly1305 for authenticity, byte for byte as
 * `golang.org/x/crypto/nacl/secretbox`. The authentication tag comes first:
 *
 *     tag (16 bytes), message xor key stream
 *
 * The first 32 bytes of the key stream are the key of Poly1305, and encrypt nothing.
 */
import { timingSafeEqual } from 'node:crypto';
import { poly1305, TAG_BYTES } from './poly1305.ts';
import { KEY_BYTES, xsalsa20Stream } from './salsa20.ts';

export { NONCE_BYTES } from './salsa20.ts';
export { TAG_BYTES } from './poly1305.ts';

/** A nonce must not be used twice with one key. */
export function sealSecretbox(message: Uint8Array, nonce: Uint8Array, key: Uint8Array): Uint8Array {
  const stream = xsalsa20Stream(key, nonce, KEY_BYTES + message.length);
  const box = new Uint8Array(TAG_BYTES + message.length);
  const text = box.subarray(TAG_BYTES);
  for (let at = 0; at < message.length; at++) {
    text[at] = (message[at] ?? 0) ^ (stream[KEY_BYTES + at] ?? 0);
  }
  box.set(poly1305(stream.subarray(0, KEY_BYTES), text));
  return box;
}

/** Null: the box was sealed with another key or nonce, or was changed. */
export function openSecretbox(
  box: Uint8Array,
  nonce: Uint8Array,
  key: Uint8Array,
): Uint8Array | null {
  if (box.length < TAG_BYTES) return null;
  const text = box.subarray(TAG_BYTES);
  const stream = xsalsa20Stream(key, nonce, KEY_BYTES + text.length);
  const tag = poly1305(stream.subarray(0, KEY_BYTES), text);
  if (!timingSafeEqual(tag, box.subarray(0, TAG_BYTES))) return null;
  const message = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    message[at] = (text[at] ?? 0) ^ (stream[KEY_BYTES + at] ?? 0);
  }
  return message;
}
