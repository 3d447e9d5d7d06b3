/**
 * The clocks of a simulated world.
 *
 * `StepClock` is the world's: before a timer fires, all work has settled, so the rules are checked then.
 * `LifeClock` belongs to one life of podkeep: when that life ends, its timers end with it, as those of a
 * process do.
 */
import type { Cancel, Clock } from '../../src/ports/clock.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

export class StepClock extends VirtualClock {
  /** Called between any two steps, when all promises of the one before have settled. */
  onStep: () => void = () => {};

  override after(delayMs: number, wake: () => void): Cancel {
    return super.after(delayMs, () => {
      this.onStep();
      wake();
    });
  }
}

export class LifeClock implements Clock {
  readonly #world: Clock;
  readonly #timers = new Set<Cancel>();
  #isOver = false;

  constructor(world: Clock) {
    this.#world = world;
  }

  now(): number {
    return this.#world.now();
  }

  monotonic(): number {
    return this.#world.monotonic();
  }

  after(delayMs: number, wake: () => void): Cancel {
    if (this.#isOver) return () => {};
    const cancel = this.#world.after(delayMs, () => {
      this.#timers.delete(cancel);
      wake();
    });
    this.#timers.add(cancel);
    return () => {
      this.#timers.delete(cancel);
      cancel();
    };
  }

  /** How many of its timers have not fired yet. */
  get pending(): number {
    return this.#timers.size;
  }

  end(): void {
    this.#isOver = true;
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }
}
