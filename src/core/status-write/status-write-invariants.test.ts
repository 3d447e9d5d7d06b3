/**
 * The machine through any valid history, against a world that is kept apart from what the machine
 * believes: what the API really has, what is known of it, and which request is really under way.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Pod, PodStatus } from '../../api/pod.ts';
import { assert } from '../../lib/assert.ts';
import { NOW, podOf } from '../../../test/support/pod-parts.ts';
import type { WriteView } from './next-request.ts';
import {
  decide,
  initial,
  type Ask,
  type Effect,
  type Event,
  type Lane,
  type Outcome,
  type State,
} from './status-write.ts';

type Step =
  | { readonly do: 'store'; readonly lane: Lane }
  /** The watch delivers what the API has. */
  | { readonly do: 'watch' }
  | { readonly do: 'vandalise' }
  | { readonly do: 'admit' }
  | { readonly do: 'wake' }
  | { readonly do: 'answer'; readonly how: 'done' | 'lost' | 'refused' | 'conflict' | 'notFound' };

const FOREIGN = 'somebody else was here';

class World {
  state: State = initial;
  /** The newest version of the record; zero: there is none. */
  version = 0;
  /** The message in the API's status. */
  api = '';
  known = '';
  underWay: Ask | null = null;
  isQueued = false;
  isTimerSet = false;
  isTrusted = true;
  acked = 0;

  play(step: Step): void {
    switch (step.do) {
      case 'store':
        this.version += 1;
        return this.#send({ type: 'changed', lane: step.lane });
      case 'watch':
        this.known = this.api;
        this.#send({ type: 'seen' });
        if (this.known === FOREIGN) this.#send({ type: 'overwritten' });
        return;
      case 'vandalise':
        this.api = FOREIGN;
        this.acked = 0;
        return;
      case 'admit':
        if (!this.isQueued) return;
        this.isQueued = false;
        return this.#send({ type: 'admitted', view: this.#view() });
      case 'wake':
        if (!this.isTimerSet) return;
        this.isTimerSet = false;
        return this.#send({ type: 'woke' });
      case 'answer':
        return this.#answer(step.how);
    }
  }

  #answer(how: Extract<Step, { do: 'answer' }>['how']): void {
    const ask = this.underWay;
    if (!ask) return;
    const takesEffect = how === 'done' || how === 'lost';
    if (takesEffect && ask.type === 'patch') this.api = messageIn(ask);
    if (how === 'done') this.known = this.api;
    if (how === 'conflict') this.isTrusted = false;
    // Once the API answers that there is no such pod, only the watch can show one, and it is trusted.
    if (how === 'notFound' || (how === 'done' && ask.type === 'read')) this.isTrusted = true;
    this.underWay = null;
    this.#send({ type: 'settled', outcome: outcomeOf(how), view: this.#view() });
  }

  #send(event: Event): void {
    const { state, effects } = decide(this.state, event);
    this.state = state;
    for (const effect of effects) this.#perform(effect);
    const believes = state.phase === 'busy';
    assert(believes === (this.underWay !== null), '1: the state knows what is under way');
  }

  #perform(effect: Effect): void {
    switch (effect.type) {
      case 'enqueue':
        this.isQueued = true;
        return;
      case 'request':
        assert(this.underWay === null, '1: one request at a time');
        assert(this.isTrusted || effect.request.type === 'read', '4: read first');
        this.underWay = effect.request;
        return;
      case 'acknowledge':
        assert(effect.version >= this.acked, '2: in order');
        this.acked = effect.version;
        return;
      case 'wakeAfter':
        assert(effect.delayMs > 0, 'a wait takes time');
        this.isTimerSet = true;
        return;
      case 'dropRecord':
        throw new Error('nobody took the pod its name');
    }
  }

  #view(): WriteView {
    const status: PodStatus = { phase: 'Running', message: `v${this.version}` };
    const { version } = this;
    return {
      record: { version, name: 'web', namespace: 'default', status, isFinished: false },
      apiUid: 'uid-1',
      isMirrored: false,
      known: this.#knownPod(),
      couldHaveRunningContainers: true,
      now: NOW,
    };
  }

  #knownPod(): Pod {
    return podOf({}, { status: { phase: 'Running', message: this.known } });
  }
}

function messageIn(ask: Ask): string {
  const { body } = ask as { readonly body?: { readonly status: { readonly message: string } } };
  return body?.status.message ?? '';
}

function outcomeOf(how: Extract<Step, { do: 'answer' }>['how']): Outcome {
  return how === 'lost' || how === 'refused'
    ? { type: 'failed', retryAfterMs: null }
    : { type: how };
}

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('store'), lane: fc.constantFrom<Lane>('urgent', 'normal') }),
  fc.constant<Step>({ do: 'watch' }),
  fc.constant<Step>({ do: 'vandalise' }),
  { arbitrary: fc.constant<Step>({ do: 'admit' }), weight: 3 },
  fc.constant<Step>({ do: 'wake' }),
  {
    arbitrary: fc.record({
      do: fc.constant('answer'),
      how: fc.constantFrom('done', 'lost', 'refused', 'conflict', 'notFound'),
    }),
    weight: 3,
  },
);

/** The world behaves: every request is answered, every pod gets its turn, the watch catches up. */
function calmDown(world: World): void {
  for (let round = 0; round < 4; round++) {
    world.play({ do: 'watch' });
    for (let each = 0; each < 4; each++) {
      world.play({ do: 'answer', how: 'done' });
      world.play({ do: 'wake' });
      world.play({ do: 'admit' });
    }
  }
}

test('after any history, the API ends with our newest status, acknowledged', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const world = new World();
      for (const each of steps) world.play(each);
      calmDown(world);
      if (world.version === 0) return;
      expect(world.state).toEqual({
        phase: 'idle',
        acked: { uid: 'uid-1', version: world.version },
      });
      expect(world.api).toBe(`v${world.version}`);
    }),
    { numRuns: 2000 },
  );
});

test('once everything is written, nothing more is sent', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const world = new World();
      for (const each of steps) world.play(each);
      calmDown(world);
      for (let round = 0; round < 3; round++) {
        world.play({ do: 'watch' });
        world.play({ do: 'wake' });
        world.play({ do: 'admit' });
        expect(world.underWay).toBeNull();
      }
    }),
  );
});
