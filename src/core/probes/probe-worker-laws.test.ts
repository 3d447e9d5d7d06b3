import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assert } from '../../lib/assert.ts';
import {
  assign,
  PERIOD_MS,
  probed,
  RUNNING,
  statusOf,
  woke,
} from '../../../test/support/probe-worker-parts.ts';
import { decide, initial } from './probe-worker.ts';
import type {
  Assignment,
  Decision,
  Effect,
  Event,
  Outcome,
  ProbeKind,
  State,
} from './probe-worker.ts';

describe('laws of a probe worker', () => {
  const step = fc.record({
    outcome: fc.constantFrom<Outcome>('success', 'failure', 'errored'),
    restarts: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
  });

  test('a result is what the last outcomes of this container agree on, by their threshold', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom<ProbeKind>('liveness', 'readiness'),
        (steps, successThreshold, failureThreshold, kind) => {
          const assignment = assign({ kind, successThreshold, failureThreshold });
          const world = new NaiveWorld(assignment);
          for (const { outcome, restarts } of steps) {
            if (restarts) world.restart();
            world.ask(outcome);
            expect(world.result).toBe(world.expected());
          }
        },
      ),
    );
  });

  test('without a trigger, a probe begins on the grid or at the end of the one before it', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 25_000 }), { maxLength: 20 }), (lengths) => {
        let nowMs = 0;
        let endMs = -1;
        let state: State = initial;
        for (const length of lengths) {
          state = decide(assign(), state, woke(statusOf(RUNNING)), nowMs).state;
          expect(state.phase).toBe('probing');
          expect(nowMs % PERIOD_MS === 0 || nowMs === endMs).toBe(true);
          endMs = nowMs + length;
          const { effects, state: rested } = decide(assign(), state, probed('success'), endMs);
          const timers = effects.filter((effect) => effect.type === 'wakeAfter');
          expect(timers).toHaveLength(1);
          nowMs = endMs + (timers[0]?.delayMs ?? 0);
          state = rested;
        }
      }),
    );
  });
});

/** Stores all outcomes and looks back, instead of counting. */
class NaiveWorld {
  readonly #assignment: Assignment;
  #state: State = initial;
  #restarts = 0;
  #answers: Outcome[] = [];
  #expected: string | undefined;
  #isHeld = false;
  result: string | undefined;

  constructor(assignment: Assignment) {
    this.#assignment = assignment;
  }

  restart(): void {
    this.#restarts += 1;
    this.#answers = [];
    this.#expected = undefined;
    this.#isHeld = false;
  }

  ask(outcome: Outcome): void {
    const status = statusOf({ ...RUNNING, containerID: `sim://${this.#restarts}` });
    const { state } = this.#decide(woke(status));
    this.#expected ??= this.#assignment.kind === 'liveness' ? 'success' : 'failure';
    const phase = this.#isHeld ? 'resting' : 'probing';
    assert(state.phase === phase, `${state.phase} where it should be ${phase}`);
    if (this.#isHeld) return;
    if (outcome !== 'errored') this.#answers.push(outcome);
    this.#decide(probed(outcome, status));
  }

  expected(): string | undefined {
    for (const outcome of ['success', 'failure'] as const) {
      const threshold = this.#assignment[`${outcome}Threshold`];
      const last = this.#answers.slice(-threshold);
      if (last.length === threshold && last.every((each) => each === outcome)) {
        this.#expected = outcome;
        this.#isHeld ||= outcome === 'failure' && this.#assignment.kind === 'liveness';
      }
    }
    return this.#expected;
  }

  #decide(event: Event): Decision {
    const decision = decide(this.#assignment, this.#state, event, 0);
    this.#state = decision.state;
    for (const effect of decision.effects) this.#note(effect);
    return decision;
  }

  #note(effect: Effect): void {
    if (effect.type === 'setResult') this.result = effect.result;
    if (effect.type === 'removeResult') this.result = undefined;
  }
}
