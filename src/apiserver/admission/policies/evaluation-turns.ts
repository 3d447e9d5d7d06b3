/**
 * Lets other requests have their turn while policies are evaluated: after an expression, when those since the
 * last turn have cost about as much as a large request may take. One expression is not interrupted.
 */
import type { Budget } from '../../../cel/cel.ts';
import type { Clock } from '../../../ports/clock.ts';

const COST_PER_TURN = 100_000;

export class EvaluationTurns {
  readonly #clock: Pick<Clock, 'turn'>;
  readonly #budget: Budget;
  #spent = 0;

  /** `budget`: that of the request, which counts what was spent. */
  constructor(clock: Pick<Clock, 'turn'>, budget: Budget) {
    this.#clock = clock;
    this.#budget = budget;
  }

  async pass(): Promise<void> {
    if (this.#budget.spent - this.#spent < COST_PER_TURN) return;
    this.#spent = this.#budget.spent;
    await this.#clock.turn?.();
  }
}
