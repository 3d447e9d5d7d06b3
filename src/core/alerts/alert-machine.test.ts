import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide, initial, RESOLVED_SHOWN_MS, type Event, type State } from './alert-machine.ts';

const at = (ms: number) => ({ ms, wallMs: 1_000_000 + ms });
const evaluated = (isTrue: boolean, ms: number): Event => ({
  type: 'evaluated',
  isTrue,
  at: at(ms),
});

function play(settings: { forMs: number; keepFiringForMs: number }, events: readonly Event[]) {
  let state: State = initial();
  const effects: string[] = [];
  for (const event of events) {
    const decision = decide(state, event, settings);
    state = decision.state;
    effects.push(...decision.effects.map(({ type }) => type).filter((type) => type !== 'wakeAt'));
  }
  return { state, effects };
}

describe('an alert', () => {
  test('without `for` fires with the first evaluation, and resolves with the next that is false', () => {
    const settings = { forMs: 0, keepFiringForMs: 0 };
    expect(play(settings, [evaluated(true, 0)]).effects).toEqual(['fired']);
    const ended = play(settings, [evaluated(true, 0), evaluated(false, 5)]);
    expect(ended.effects).toEqual(['fired', 'resolved']);
    expect(ended.state.phase).toBe('resolved');
  });

  test('is pending until the condition held for `for`, and forgets it when it is false in between', () => {
    const settings = { forMs: 100, keepFiringForMs: 0 };
    expect(play(settings, [evaluated(true, 0), { type: 'woke', at: at(99) }]).state.phase).toBe(
      'pending',
    );
    expect(play(settings, [evaluated(true, 0), { type: 'woke', at: at(100) }]).effects).toEqual([
      'fired',
    ]);
    const interrupted = [evaluated(true, 0), evaluated(false, 60), evaluated(true, 70)];
    expect(play(settings, [...interrupted, { type: 'woke', at: at(120) }]).state.phase).toBe(
      'pending',
    );
  });

  test('fires on for keepFiringFor, and a condition that is true again prolongs it', () => {
    const settings = { forMs: 0, keepFiringForMs: 100 };
    const events = [evaluated(true, 0), evaluated(false, 10)];
    expect(play(settings, [...events, { type: 'woke', at: at(109) }]).state.phase).toBe('firing');
    expect(play(settings, [...events, { type: 'woke', at: at(110) }]).effects).toEqual([
      'fired',
      'resolved',
    ]);
    const again = [...events, evaluated(true, 50), { type: 'woke', at: at(110) } as const];
    expect(play(settings, again).state.phase).toBe('firing');
  });

  test('resolves at once when its subject is gone, and is forgotten 15 minutes later', () => {
    const settings = { forMs: 0, keepFiringForMs: 100 };
    const events: Event[] = [evaluated(true, 0), { type: 'subjectGone', at: at(5) }];
    expect(play(settings, events).effects).toEqual(['fired', 'resolved']);
    const late: Event = { type: 'woke', at: at(5 + RESOLVED_SHOWN_MS) };
    expect(play(settings, [...events, late]).state.phase).toBe('inactive');
  });

  test('behaves as a model that reads the whole history at each step', () => {
    const history = fc.array(
      fc.record({
        gap: fc.integer({ min: 0, max: 40 }),
        isTrue: fc.boolean(),
        isWake: fc.boolean(),
      }),
      { maxLength: 60 },
    );
    const times = fc.integer({ min: 0, max: 90 });
    fc.assert(
      fc.property(history, times, times, (steps, forMs, keepFiringForMs) => {
        const settings = { forMs, keepFiringForMs };
        let state: State = initial();
        let now = 0;
        const looks: Look[] = [];
        let expected: 'fired' | 'resolved' = 'fired';
        for (const { gap, isTrue, isWake } of steps) {
          now += gap;
          looks.push({ ms: now, found: isWake ? null : isTrue });
          const event: Event = isWake ? { type: 'woke', at: at(now) } : evaluated(isTrue, now);
          const decision = decide(state, event, settings);
          const changes = decision.effects.filter(({ type }) => type !== 'wakeAt');
          expect(changes.every(({ type }) => type === expected)).toBe(true);
          if (changes.length > 0) expected = expected === 'fired' ? 'resolved' : 'fired';
          state = decision.state;
          expect(state.phase === 'firing').toBe(isFiring(looks, settings));
        }
      }),
      { seed: 1621, numRuns: 400 },
    );
  });
});

interface Look {
  readonly ms: number;
  /** Null: only the time is compared. */
  readonly found: boolean | null;
}

/** The model: replays the whole history and has three variables instead of phases. */
function isFiring(
  looks: readonly Look[],
  { forMs, keepFiringForMs }: { forMs: number; keepFiringForMs: number },
): boolean {
  let trueSince: number | null = null;
  let falseSince: number | null = null;
  let isOn = false;
  for (const { ms, found } of looks) {
    if (found === true) {
      trueSince ??= ms;
      falseSince = null;
    }
    if (found === false && !isOn) trueSince = null;
    if (found === false && isOn) falseSince ??= ms;
    if (!isOn && trueSince !== null && ms - trueSince >= forMs) isOn = true;
    if (isOn && falseSince !== null && ms - falseSince >= keepFiringForMs) {
      isOn = false;
      trueSince = null;
      falseSince = null;
    }
  }
  return isOn;
}
