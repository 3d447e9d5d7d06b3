/**
 * Reads the usage of the node for queries. CPU is a rate between two samples, so the first query, and one
 * after a long pause, takes two samples a second apart. Concurrent queries share one reading, so that many
 * clients do not cost the runtime more than one.
 */
import type { Clock } from '../../ports/clock.ts';
import type { Usage } from '../stats/usage-reader.ts';

/** The shortest time between two samples that makes a rate (cpu-rates.ts). */
const APART_MS = 1000;
/** A rate over a longer time says little about now. */
const WINDOW_MS_MAX = 60_000;

/** The part of the usage reader that queries need. */
export interface UsageSource {
  /** Rejects if the runtime does not answer. */
  read(): Promise<Usage>;
}

export class UsageSamples {
  readonly #clock: Clock;
  readonly #reader: UsageSource;
  #reading: Promise<Usage> | null = null;
  #lastMs: number | null = null;

  constructor(clock: Clock, reader: UsageSource) {
    this.#clock = clock;
    this.#reader = reader;
  }

  /** Rejects if the runtime does not answer. */
  read(): Promise<Usage> {
    this.#reading ??= this.#read().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #read(): Promise<Usage> {
    const lastMs = this.#lastMs;
    const isStale = lastMs === null || this.#clock.monotonic() - lastMs > WINDOW_MS_MAX;
    if (isStale) {
      await this.#reader.read();
      await new Promise<void>((resolve) => this.#clock.after(APART_MS, resolve));
    }
    this.#lastMs = this.#clock.monotonic();
    return this.#reader.read();
  }
}
