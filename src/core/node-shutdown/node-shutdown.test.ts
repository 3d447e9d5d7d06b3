import { describe, expect, test } from 'vitest';
import { decide, initial, type Event, type State } from './node-shutdown.ts';
import type { ShutdownGroup } from './shutdown-groups.ts';

function group(priority: number): ShutdownGroup {
  return { priority, graceSeconds: 10, pods: [] };
}

const [LOW, HIGH] = [group(0), group(1000)];
const ANNOUNCED: Event = { type: 'begun', cause: 'announced', groups: [LOW, HIGH] };
const DRAINED: Event = { ...ANNOUNCED, cause: 'drained' };
const CANCELLED: Event = { type: 'cancelled' };

/** The effects of all events, and the state after them. */
function run(...events: readonly Event[]): { state: State; effects: readonly string[] } {
  let state = initial;
  const effects: string[] = [];
  for (const event of events) {
    const decision = decide(state, event);
    state = decision.state;
    for (const effect of decision.effects) {
      if (effect.type === 'endGroup') effects.push(`endGroup ${effect.group.priority}`);
      else if (effect.type === 'resume') effects.push(`resume ${effect.takesLock}`);
      else effects.push(effect.type);
    }
  }
  return { state, effects };
}

const groupEnded = (number: number): Event => ({ type: 'groupEnded', number });
const reported = (number: number): Event => ({ type: 'reported', number });

describe('a shutdown', () => {
  test('ends group after group, waits for the statuses, and then releases the lock', () => {
    const whole = [ANNOUNCED, groupEnded(1), groupEnded(1), reported(1)];
    expect(run(ANNOUNCED).effects).toEqual(['begin', 'endGroup 0']);
    expect(run(...whole.slice(0, 2)).effects.at(-1)).toBe('endGroup 1000');
    expect(run(...whole.slice(0, 3)).effects.at(-1)).toBe('awaitStatuses');
    expect(run(...whole)).toMatchObject({ state: { phase: 'done' } });
    expect(run(...whole).effects.at(-1)).toBe('finish');
  });

  test('without pods goes on to the statuses at once', () => {
    expect(run({ ...ANNOUNCED, groups: [] }).effects).toEqual(['begin', 'awaitStatuses']);
  });

  test('that is announced twice goes on', () => {
    expect(run(ANNOUNCED, ANNOUNCED)).toEqual(run(ANNOUNCED));
  });

  test('that is announced again after its end begins again', () => {
    const { effects } = run({ ...ANNOUNCED, groups: [] }, reported(1), ANNOUNCED);
    expect(effects.slice(-2)).toEqual(['begin', 'endGroup 0']);
  });
});

describe('a cancellation', () => {
  test('between two groups leaves the second alone, and the lock was never released', () => {
    const { state, effects } = run(ANNOUNCED, CANCELLED, groupEnded(1));
    expect(state).toEqual({ phase: 'idle', number: 1 });
    expect(effects).toEqual(['begin', 'endGroup 0', 'resume false']);
  });

  test('while statuses are written does not release the lock', () => {
    const { effects } = run({ ...ANNOUNCED, groups: [] }, CANCELLED, reported(1));
    expect(effects).toEqual(['begin', 'awaitStatuses', 'resume false']);
  });

  test('after the end takes the lock again', () => {
    const { effects } = run({ ...ANNOUNCED, groups: [] }, reported(1), CANCELLED);
    expect(effects.at(-1)).toBe('resume true');
  });

  test('of nothing changes nothing', () => {
    expect(run(CANCELLED)).toEqual({ state: initial, effects: [] });
  });

  test('leaves nothing behind that moves the next shutdown', () => {
    const { state } = run(ANNOUNCED, CANCELLED, ANNOUNCED, groupEnded(1), reported(1));
    expect(state).toMatchObject({ phase: 'ending', number: 2, group: LOW });
  });
});

describe('a drain', () => {
  test('cannot be cancelled', () => {
    const { state, effects } = run(DRAINED, CANCELLED, groupEnded(1));
    expect(state).toMatchObject({ phase: 'ending', group: HIGH });
    expect(effects).toEqual(['begin', 'endGroup 0', 'endGroup 1000']);
  });

  test('during a shutdown goes on with it, and it cannot be cancelled any more', () => {
    const { state, effects } = run(ANNOUNCED, DRAINED, CANCELLED);
    expect(state).toMatchObject({ phase: 'ending', cause: 'drained', group: LOW });
    expect(effects).toEqual(['begin', 'endGroup 0']);
  });
});
