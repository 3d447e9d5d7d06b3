import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../../test/support/deep-freeze.ts';
import * as staticPodQueue from './static-pod-queue.ts';
import type { Effect, Event, State } from './static-pod-queue.ts';

/** `joined u1`, `asked u1`, `left u1`; returns the effects of the last one. */
function play(...words: readonly string[]): { state: State; effects: readonly Effect[] } {
  let played: { state: State; effects: readonly Effect[] } = {
    state: staticPodQueue.initial,
    effects: [],
  };
  for (const word of words) {
    const [type, uid] = word.split(' ') as [Event['type'], string];
    played = staticPodQueue.decide(deepFreeze(played.state), { type, uid });
  }
  return played;
}

const admit = (uid: string) => [{ type: 'admit', uid }];
const refuse = (uid: string) => [{ type: 'refuse', uid }];

describe('the queue of static pods with one name (PW-40)', () => {
  test('the first pod to arrive gets the name', () => {
    const { state, effects } = play('joined u1', 'asked u1');
    expect(effects).toEqual(admit('u1'));
    expect(state).toEqual({ holder: 'u1', queued: [] });
  });

  test('others are refused while it is held', () => {
    const { state, effects } = play('joined u1', 'asked u1', 'joined u2', 'asked u2');
    expect(effects).toEqual(refuse('u2'));
    expect(state).toEqual({ holder: 'u1', queued: [{ uid: 'u2', waits: true }] });
  });

  test('the next pod gets the name as soon as it is free (V-7)', () => {
    const { state, effects } = play('joined u1', 'asked u1', 'joined u2', 'joined u3', 'left u1');
    expect(effects).toEqual(admit('u2'));
    expect(state.holder).toBe('u2');
  });

  test('a pod that left is skipped', () => {
    const { effects } = play(
      'joined u1',
      'asked u1',
      'joined u2',
      'joined u3',
      'left u2',
      'left u1',
    );
    expect(effects).toEqual(admit('u3'));
  });

  test('a free name goes to the first pod in the queue, whichever asks', () => {
    const { state, effects } = play('joined u2', 'joined u3', 'asked u3');
    expect(effects).toEqual(admit('u2'));
    expect(state).toEqual({ holder: 'u2', queued: [{ uid: 'u3', waits: true }] });
  });

  test('a UID that comes back has its old entry again (PW-69)', () => {
    const { effects } = play(
      'joined u1',
      'asked u1',
      'joined u2',
      'joined u3',
      'left u2',
      'joined u2',
      'left u1',
    );
    expect(effects).toEqual(admit('u2'));
  });

  test('a pod that was never queued changes nothing by leaving', () => {
    const { state } = play('joined u1', 'asked u1', 'joined u2');
    expect(staticPodQueue.decide(state, { type: 'left', uid: 'other' })).toEqual({
      state,
      effects: [],
    });
    expect(staticPodQueue.decide(state, { type: 'left', uid: 'other' }).state).toBe(state);
  });

  test('nothing is stored for a name that no pod holds or waits for', () => {
    expect(play('joined u1', 'asked u1', 'left u1').state).toBe(staticPodQueue.initial);
    expect(play('joined u1', 'left u1').state).toBe(staticPodQueue.initial);
    const last = play('joined u1', 'asked u1', 'joined u2', 'left u2', 'left u1');
    expect(last.state).toBe(staticPodQueue.initial);
  });
});

test('PW-80: in any history one pod runs at a time, in the order of their arrival', () => {
  // Each pod joins and immediately asks once, as the workers do. Then some leave, in any order.
  const leaves = fc.array(fc.nat({ max: 9 }), { maxLength: 30 });
  const property = fc.property(fc.integer({ min: 1, max: 10 }), leaves, (pods, order) => {
    let state = staticPodQueue.initial;
    const admitted: string[] = [];
    const gone = new Set<string>();
    const send = (type: Event['type'], uid: string): void => {
      const { state: next, effects } = staticPodQueue.decide(state, { type, uid });
      state = next;
      for (const effect of effects) if (effect.type === 'admit') admitted.push(effect.uid);
    };
    const uids = Array.from({ length: pods }, (_, index) => `u${index}`);
    for (const uid of uids) {
      send('joined', uid);
      send('asked', uid);
    }
    for (const index of order) {
      const uid = `u${index % pods}`;
      if (gone.has(uid)) continue;
      gone.add(uid);
      send('left', uid);
      expect(state.holder).toBe(admitted.find((each) => !gone.has(each)) ?? null);
    }
    expect(admitted).toEqual(uids.filter((uid) => admitted.includes(uid)));
    expect(new Set(admitted).size).toBe(admitted.length);
    expect(state.holder).toBe(uids.find((uid) => !gone.has(uid)) ?? null);
  });
  fc.assert(property, { numRuns: 1_000 });
});
