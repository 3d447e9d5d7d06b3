import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideAction, type ActionRun, type ActionRuns } from './action-decision.ts';

function play(firings: readonly ActionRun[], limit: { max: number; perMs: number }) {
  let runs: ActionRuns = [];
  return firings.map((firing) => {
    const decision = decideAction(runs, firing, limit);
    ({ runs } = decision);
    return { ...firing, result: decision.result, remembered: runs.length };
  });
}

const LIMIT = { max: 2, perMs: 100 };

test('an action runs up to its limit, and again when the oldest run left the window', () => {
  const firings = [0, 10, 20, 99, 100, 101].map((atMs) => ({ atMs, subject: `pod-${atMs}` }));
  expect(play(firings, LIMIT).map(({ result }) => result)).toEqual([
    'run',
    'run',
    'rateLimited',
    'rateLimited',
    'run',
    'rateLimited',
  ]);
});

test('an alert that fires again within the window of its own action does not act again', () => {
  const firings = [0, 50, 99, 100].map((atMs) => ({ atMs, subject: 'web' }));
  expect(play(firings, LIMIT).map(({ result }) => result)).toEqual([
    'run',
    'repeated',
    'repeated',
    'run',
  ]);
});

test('an action never exceeds its rate limit, in any window and for any subject', () => {
  const steps = fc.array(
    fc.record({ gap: fc.nat({ max: 60 }), subject: fc.constantFrom('a', 'b', 'c', 'd', 'e') }),
    { maxLength: 80 },
  );
  const limits = fc.record({
    max: fc.integer({ min: 1, max: 5 }),
    perMs: fc.integer({ min: 1, max: 200 }),
  });
  fc.assert(
    fc.property(steps, limits, (gaps, limit) => {
      let atMs = 0;
      const firings = gaps.map(({ gap, subject }) => ({ atMs: (atMs += gap), subject }));
      const played = play(firings, limit);
      const ran = played.filter(({ result }) => result === 'run');
      for (const { atMs: end, subject } of ran) {
        const within = ran.filter((run) => run.atMs > end - limit.perMs && run.atMs <= end);
        expect(within.length).toBeLessThanOrEqual(limit.max);
        expect(within.filter((run) => run.subject === subject)).toHaveLength(1);
      }
      // Nothing is refused without a reason, and memory is bounded by the limit.
      for (const { atMs: end, subject, result, remembered } of played) {
        const within = ran.filter((run) => run.atMs > end - limit.perMs && run.atMs <= end);
        expect(remembered).toBeLessThanOrEqual(limit.max);
        const isFull = within.length === limit.max;
        const isRepeated = within.some((run) => run.subject === subject);
        const reasons = { run: isRepeated, repeated: isRepeated, rateLimited: isFull };
        expect(reasons[result]).toBe(true);
      }
    }),
    { seed: 1622, numRuns: 400 },
  );
});
