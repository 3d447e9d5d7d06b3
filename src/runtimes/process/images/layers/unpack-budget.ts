/**
 * Limits the entries, the unpacked bytes and the disk space of one image.
 *
 * A small blob can unpack to more than any disk holds. The parser never yields more bytes of a file than its
 * header declares, so checking the declared size before writing is enough.
 */
import { statfs } from 'node:fs/promises';

export interface UnpackLimits {
  readonly entriesMax: number;
  readonly unpackedBytesMax: number;
  /** Free space to leave on the disk, because pods and podkeep write there, too. */
  readonly reserveBytes: number;
}

export const UNPACK_LIMITS: UnpackLimits = {
  entriesMax: 1_000_000,
  unpackedBytesMax: 64 * 1024 ** 3,
  reserveBytes: 100 * 1024 ** 2,
};

/** Measures the free space again after this many bytes, because other processes write, too. */
const MEASURE_EVERY_BYTES = 64 * 1024 ** 2;
/** The smallest size of a file on disk, and the unit that sizes are rounded up to. */
const BLOCK_BYTES = 4096;

export class UnpackBudget {
  readonly #limits: UnpackLimits;
  readonly #freeBytes: () => Promise<number>;
  #entries = 0;
  #unpackedBytes = 0;
  #spendableBytes = 0;
  #sinceMeasuredBytes = Number.POSITIVE_INFINITY;

  constructor(limits: UnpackLimits, freeBytes: () => Promise<number>) {
    this.#limits = limits;
    this.#freeBytes = freeBytes;
  }

  countBytes(bytes: number): void {
    this.#unpackedBytes += bytes;
    const { unpackedBytesMax } = this.#limits;
    if (this.#unpackedBytes <= unpackedBytesMax) return;
    throw new Error(`the layers unpack to more than ${unpackedBytesMax} bytes`);
  }

  countEntry(): void {
    this.#entries += 1;
    const { entriesMax } = this.#limits;
    if (this.#entries > entriesMax)
      throw new Error(`the layers have more than ${entriesMax} entries`);
  }

  /** Call before a file of this size is written. */
  async spend(sizeBytes: number): Promise<void> {
    const takes = Math.max(1, Math.ceil(sizeBytes / BLOCK_BYTES)) * BLOCK_BYTES;
    if (this.#sinceMeasuredBytes >= MEASURE_EVERY_BYTES || takes > this.#spendableBytes) {
      this.#spendableBytes = (await this.#freeBytes()) - this.#limits.reserveBytes;
      this.#sinceMeasuredBytes = 0;
    }
    if (takes > this.#spendableBytes) {
      const left = Math.max(0, this.#spendableBytes);
      throw new Error(`the disk is too full: it takes ${sizeBytes} bytes, and ${left} can be used`);
    }
    this.#spendableBytes -= takes;
    this.#sinceMeasuredBytes += takes;
  }
}

/** The space on the disk of a folder that an ordinary user may use. */
export async function freeBytesAt(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
