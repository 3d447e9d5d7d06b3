/**
 * Caches a fact that is expensive to read, and reads it again when it is old.
 *
 * The call that reads the fact may hang, for example if the runtime does not answer. The node's heartbeats
 * must continue, so a caller waits for one second at most, and then gets the last known value.
 */
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { pause } from '../waiting/pause.ts';

export interface RememberedOptions<Fact> {
  readonly clock: Clock;
  readonly log: Log;
  /** What is read, for the log. */
  readonly what: string;
  readonly ask: () => Promise<Fact>;
  readonly freshMs: number;
  /** The value until there is an answer, and after a failure if `keeps` is false. */
  readonly otherwise: Fact;
  /** After a failure the last value stays. */
  readonly keeps: boolean;
  /** Its abort ends every wait. */
  readonly signal: AbortSignal;
}

const PATIENCE_MS = 1000;

export class Remembered<Fact> {
  readonly #options: RememberedOptions<Fact>;
  #fact: Fact;
  #askedMs: number | null = null;
  #asking: Promise<void> | null = null;

  constructor(options: RememberedOptions<Fact>) {
    this.#options = options;
    this.#fact = options.otherwise;
  }

  async get(): Promise<Fact> {
    const { clock, freshMs } = this.#options;
    const isFresh = this.#askedMs !== null && clock.monotonic() - this.#askedMs < freshMs;
    if (isFresh || this.#asking) return this.#fact;
    const asking = this.#ask();
    this.#asking = asking;
    await shortly(asking, this.#options);
    return this.#fact;
  }

  async #ask(): Promise<void> {
    const { clock, log, what, ask, otherwise, keeps } = this.#options;
    try {
      this.#fact = await ask();
      this.#askedMs = clock.monotonic();
    } catch (error) {
      if (!keeps) this.#fact = otherwise;
      log.warn(`Failed to read ${what}`, { error });
    } finally {
      this.#asking = null;
    }
  }
}

/** Resolves when it is done, or when it takes too long. */
async function shortly(
  asking: Promise<void>,
  { clock, signal }: Pick<RememberedOptions<unknown>, 'clock' | 'signal'>,
): Promise<void> {
  const done = new AbortController();
  const patience = pause(clock, PATIENCE_MS, AbortSignal.any([signal, done.signal]));
  await Promise.race([asking, patience]);
  done.abort();
}
