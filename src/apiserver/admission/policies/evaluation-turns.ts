/**
 * Yields to other requests while policies are evaluated: after an expression, if the evaluation since the
 * last yield has cost about as much as one large request. A single expression is not interrupted.
 */
import type { Budget } from '../../../cel/cel.ts';
import type { Clock } from '../../../ports/clock.ts';

const COST_PER_TURN = 100_000;

export class EvaluationTurns {
  readonly #clock: Pick<Clock, 'turn'>;
  readonly #budget: Budget;
  #spent = 0;

  /** `budget`: that of the request, which counts the cost. */
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
