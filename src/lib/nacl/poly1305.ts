/**
 * Computes Poly1305, a one-time message authenticator (RFC 8439, section 2.5): each key is used for one
 * message.
 *
 * The message is a polynomial whose coefficients are its blocks of 16 bytes; it is evaluated at a secret
 * point modulo 2^130 - 5. Numbers have ten limbs of 13 bits: a product of two limbs, multiplied by five and
 * added up ten times, stays far below 2^53, so that plain numbers are exact. No step branches on the key or
 * the message.
 */
export const TAG_BYTES = 16;
const BLOCK_BYTES = 16;
const LIMBS = 10;
const LIMB_BITS = 13;
const LIMB = 2 ** LIMB_BITS;
const MASK = LIMB - 1;
/** 2^130 is 5 modulo the prime. */
const WRAP = 5;

/** The key has 32 bytes: the point, and the number that is added at the end. */
export function poly1305(key: Uint8Array, message: Uint8Array): Uint8Array {
  const point = limbsOf(clamp(key.subarray(0, 16)));
  const sum = new Float64Array(LIMBS);
  const product = new Float64Array(LIMBS);
  const block = new Uint8Array(BLOCK_BYTES + 1);
  for (let at = 0; at < message.length; at += BLOCK_BYTES) {
    const part = message.subarray(at, at + BLOCK_BYTES);
    block.fill(0);
    block.set(part);
    block[part.length] = 1;
    add(sum, limbsOf(block));
    multiply(sum, point, product);
  }
  return finish(sum, key.subarray(16, 32));
}

/** Some bits of the point are always zero. */
function clamp(bytes: Uint8Array): Uint8Array {
  const point = Uint8Array.from(bytes);
  for (const at of [3, 7, 11, 15]) point[at] = (point[at] ?? 0) & 0x0f;
  for (const at of [4, 8, 12]) point[at] = (point[at] ?? 0) & 0xfc;
  return point;
}

function limbsOf(bytes: Uint8Array): Float64Array {
  const limbs = new Float64Array(LIMBS);
  for (let limb = 0; limb < LIMBS; limb++) {
    const bit = limb * LIMB_BITS;
    const at = bit >>> 3;
    const word = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
    limbs[limb] = (word >>> (bit & 7)) & MASK;
  }
  return limbs;
}

function add(sum: Float64Array, more: Float64Array): void {
  for (let limb = 0; limb < LIMBS; limb++) sum[limb] = (sum[limb] ?? 0) + (more[limb] ?? 0);
}

/** `sum` becomes `sum * point`, with limbs that are small again. */
function multiply(sum: Float64Array, point: Float64Array, product: Float64Array): void {
  for (let limb = 0; limb < LIMBS; limb++) {
    let total = 0;
    for (let each = 0; each < LIMBS; each++) {
      const other = limb - each;
      const factor = other >= 0 ? (point[other] ?? 0) : WRAP * (point[other + LIMBS] ?? 0);
      total += (sum[each] ?? 0) * factor;
    }
    product[limb] = total;
  }
  sum.set(product);
  carry(sum);
  carry(sum);
}

function carry(sum: Float64Array): void {
  let over = 0;
  for (let limb = 0; limb < LIMBS; limb++) {
    const total = (sum[limb] ?? 0) + over;
    over = Math.floor(total / LIMB);
    sum[limb] = total - over * LIMB;
  }
  sum[0] = (sum[0] ?? 0) + over * WRAP;
}

/** Reduces the sum fully, adds the second half of the key, and keeps 128 bits. */
function finish(sum: Float64Array, addend: Uint8Array): Uint8Array {
  carry(sum);
  carry(sum);
  // The sum plus five overflows 130 bits exactly if the sum is not below the prime.
  const reduced = Float64Array.from(sum);
  reduced[0] = (reduced[0] ?? 0) + WRAP;
  let over = 0;
  for (let limb = 0; limb < LIMBS; limb++) {
    const total = (reduced[limb] ?? 0) + over;
    over = Math.floor(total / LIMB);
    reduced[limb] = total - over * LIMB;
  }
  const tag = new Uint8Array(TAG_BYTES);
  const added = limbsOf(addend);
  let pending = 0;
  let bits = 0;
  let at = 0;
  let rest = 0;
  for (let limb = 0; limb < LIMBS; limb++) {
    // `over` is 0 or 1: it chooses without a branch.
    const chosen = (reduced[limb] ?? 0) * over + (sum[limb] ?? 0) * (1 - over);
    const total = chosen + (added[limb] ?? 0) + rest;
    rest = Math.floor(total / LIMB);
    pending += (total - rest * LIMB) * 2 ** bits;
    bits += LIMB_BITS;
    for (; bits >= 8 && at < TAG_BYTES; bits -= 8) {
      tag[at++] = pending % 256;
      pending = Math.floor(pending / 256);
    }
  }
  return tag;
}
