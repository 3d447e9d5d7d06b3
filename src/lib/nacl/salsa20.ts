/**
 * XSalsa20: the stream cipher of NaCl's secretbox, which Node.js does not have.
 *
 *     key (32 bytes), nonce (first 16 bytes) ──HSalsa20──> key of this message
 *     that key, nonce (last 8 bytes), block number ──Salsa20──> 64 bytes of key stream
 *
 * After D. J. Bernstein, "Extending the Salsa20 nonce". All operations are additions, exclusive ors and
 * rotations of 32-bit words, without a table: their time does not depend on the key or the message.
 */
export const KEY_BYTES = 32;
export const NONCE_BYTES = 24;
const BLOCK_BYTES = 64;
const DOUBLE_ROUNDS = 10;

/** "expand 32-byte k", as four little-endian words. */
const SIGMA = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const;
/** Where in the state these words are. */
const SIGMA_AT = [0, 5, 10, 15] as const;
const INPUT_AT = [6, 7, 8, 9] as const;

/** The first `length` bytes of the key stream. */
export function xsalsa20Stream(key: Uint8Array, nonce: Uint8Array, length: number): Uint8Array {
  const messageKey = hsalsa20(key, nonce.subarray(0, 16));
  const stream = new Uint8Array(Math.ceil(length / BLOCK_BYTES) * BLOCK_BYTES);
  const view = new DataView(stream.buffer);
  const [nonceLow, nonceHigh] = wordsOf(nonce.subarray(16, NONCE_BYTES));
  const state = stateOf(messageKey, [nonceLow ?? 0, nonceHigh ?? 0, 0, 0]);
  const mixed = new Uint32Array(16);
  for (let at = 0, block = 0; at < length; at += BLOCK_BYTES, block++) {
    state[8] = block;
    state[9] = Math.floor(block / 2 ** 32);
    mixed.set(state);
    mix(mixed);
    for (let word = 0; word < 16; word++) {
      view.setUint32(at + word * 4, (mixed[word] ?? 0) + (state[word] ?? 0), true);
    }
  }
  return stream.subarray(0, length);
}

/** The key of one message. Eight words of the state, without the addition of the input. */
function hsalsa20(key: Uint8Array, input: Uint8Array): Uint8Array {
  const state = stateOf(key, wordsOf(input));
  mix(state);
  const words = [...SIGMA_AT, ...INPUT_AT].map((at) => state[at] ?? 0);
  const derived = new Uint8Array(KEY_BYTES);
  const view = new DataView(derived.buffer);
  for (const [index, word] of words.entries()) view.setUint32(index * 4, word, true);
  return derived;
}

function stateOf(key: Uint8Array, input: Iterable<number>): Uint32Array {
  const [k0, k1, k2, k3, k4, k5, k6, k7] = wordsOf(key);
  const [i0, i1, i2, i3] = input;
  const [s0, s1, s2, s3] = SIGMA;
  const words = [s0, k0, k1, k2, k3, s1, i0, i1, i2, i3, s2, k4, k5, k6, k7, s3];
  return Uint32Array.from(words, (word) => word ?? 0);
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Uint32Array.from({ length: bytes.length / 4 }, (_, at) => view.getUint32(at * 4, true));
}

/** Twenty rounds: ten times the columns and then the rows. */
function mix(state: Uint32Array): void {
  for (let round = 0; round < DOUBLE_ROUNDS; round++) {
    quarter(state, 0, 4, 8, 12);
    quarter(state, 5, 9, 13, 1);
    quarter(state, 10, 14, 2, 6);
    quarter(state, 15, 3, 7, 11);
    quarter(state, 0, 1, 2, 3);
    quarter(state, 5, 6, 7, 4);
    quarter(state, 10, 11, 8, 9);
    quarter(state, 15, 12, 13, 14);
  }
}

function quarter(state: Uint32Array, a: number, b: number, c: number, d: number): void {
  let [w, x, y, z] = [state[a] ?? 0, state[b] ?? 0, state[c] ?? 0, state[d] ?? 0];
  x ^= rotate(w + z, 7);
  y ^= rotate(x + w, 9);
  z ^= rotate(y + x, 13);
  w ^= rotate(z + y, 18);
  state[a] = w;
  state[b] = x;
  state[c] = y;
  state[d] = z;
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
