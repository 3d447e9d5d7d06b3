/**
 * Divides a range of addresses into blocks of one size, one for each node, and counts the users of each
 * block.
 *
 * Blocks are allocated in turn, so that one that was just released is the last to be used again. A block may
 * have several users: two nodes can occupy it, and the range of Services can overlap it. It is free when all
 * its users have released it.
 */
import { assert } from '../../../lib/assert.ts';
import { bitsOfFamily, formatCidr, parseCidr, sizeOfCidr, type Cidr } from './cidr.ts';

export interface NodeCidrRange {
  readonly range: Cidr;
  /** How many bits the addresses of one node share. */
  readonly nodePrefix: number;
}

/** Beyond it the count of blocks would take too much memory. */
export const BLOCK_BITS_MAX = 20;

export class CidrPool {
  readonly #range: Cidr;
  readonly #nodePrefix: number;
  readonly #blockSize: bigint;
  readonly #users: Uint32Array;
  #next = 0;

  constructor({ range, nodePrefix }: NodeCidrRange) {
    const blockBits = nodePrefix - range.prefix;
    assert(blockBits >= 0 && blockBits <= BLOCK_BITS_MAX, 'the range has that many blocks');
    this.#range = range;
    this.#nodePrefix = nodePrefix;
    this.#blockSize = 1n << BigInt(bitsOfFamily(range.family) - nodePrefix);
    this.#users = new Uint32Array(2 ** blockBits);
  }

  /** Null: all blocks are in use. */
  allocate(): string | null {
    const count = this.#users.length;
    for (let step = 0; step < count; step++) {
      const index = (this.#next + step) % count;
      if (this.#users[index] !== 0) continue;
      this.#users[index] = 1;
      this.#next = (index + 1) % count;
      const first = this.#range.first + BigInt(index) * this.#blockSize;
      return formatCidr({ family: this.#range.family, first, prefix: this.#nodePrefix });
    }
    return null;
  }

  /** False: it is outside the range, so there is nothing to occupy. */
  occupy(text: string): boolean {
    return this.#count(text, 1);
  }

  /** Of what was allocated or occupied before. */
  release(text: string): void {
    this.#count(text, -1);
  }

  #count(text: string, change: 1 | -1): boolean {
    const blocks = this.#blocksOf(text);
    if (!blocks) return false;
    for (let index = blocks.first; index <= blocks.last; index++) {
      const users = this.#users[index] ?? 0;
      this.#users[index] = Math.max(users + change, 0);
    }
    return true;
  }

  /** The blocks that overlap; null: none does. */
  #blocksOf(text: string): { readonly first: number; readonly last: number } | null {
    const cidr = parseCidr(text);
    if (!cidr || cidr.family !== this.#range.family) return null;
    const start = cidr.first - this.#range.first;
    const end = start + sizeOfCidr(cidr) - 1n;
    if (end < 0n || start >= sizeOfCidr(this.#range)) return null;
    const last = Number(end / this.#blockSize);
    return {
      first: start < 0n ? 0 : Number(start / this.#blockSize),
      last: Math.min(last, this.#users.length - 1),
    };
  }
}
