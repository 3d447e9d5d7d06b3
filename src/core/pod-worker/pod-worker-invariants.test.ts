/** The invariants in the header of pod-worker.ts, for any valid history of one pod. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  kill,
  killed,
  killedInRuntime,
  outcome,
  updated,
} from '../../../test/support/pod-worker-events.ts';
import { PodWorkerWorld } from '../../../test/support/pod-worker-world.ts';
import { pod } from '../../../test/support/pods.ts';
import type { PodTraits } from '../../../test/support/pods.ts';
import type { Event } from './event.ts';

type Step =
  | { readonly do: 'update'; readonly type: 'create' | 'update' | 'sync'; readonly mayRun: boolean }
  | { readonly do: 'kill'; readonly evict: boolean; readonly graceSeconds: number | null }
  | { readonly do: 'killInRuntime' }
  | { readonly do: 'settle'; readonly kind: Parameters<typeof outcome>[0] }
  | { readonly do: 'answer'; readonly admitted: boolean }
  | { readonly do: 'housekeep'; readonly orphan: boolean };

interface Story {
  readonly isStatic: boolean;
  /** The pod as each step sees it, and what happens. */
  readonly steps: readonly (readonly [PodTraits, Step])[];
}

const seconds = fc.integer({ min: 0, max: 60 });

const traits: fc.Arbitrary<PodTraits> = fc.record(
  {
    phase: fc.constantFrom('Pending', 'Running', 'Failed'),
    graceSeconds: seconds,
    deletedWithin: seconds,
  },
  { requiredKeys: [] },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('update' as const),
    type: fc.constantFrom('create', 'update', 'sync'),
    mayRun: fc.boolean(),
  }),
  fc.record({
    do: fc.constant('kill' as const),
    evict: fc.boolean(),
    graceSeconds: fc.option(seconds),
  }),
  fc.constant({ do: 'killInRuntime' as const }),
  fc.record({
    do: fc.constant('settle' as const),
    kind: fc.constantFrom('done', 'terminal', 'failed', 'cancelled', 'networkNotReady'),
  }),
  fc.record({ do: fc.constant('answer' as const), admitted: fc.boolean() }),
  fc.record({ do: fc.constant('housekeep' as const), orphan: fc.boolean() }),
);

const story: fc.Arbitrary<Story> = fc.record({
  isStatic: fc.boolean(),
  steps: fc.array(fc.tuple(traits, step), { minLength: 1, maxLength: 40 }),
});

/** Runs the history, and leaves out events that cannot happen at that point. */
function live({ isStatic, steps }: Story): PodWorkerWorld {
  const world = new PodWorkerWorld();
  for (const [index, [seen, next]] of steps.entries()) {
    const event = eventFor(world, pod('web', { ...seen, static: isStatic }), next, index);
    if (event) world.apply(event);
  }
  return world;
}

function eventFor(
  { running, asksForTurn }: PodWorkerWorld,
  web: ReturnType<typeof pod>,
  next: Step,
  id: number,
): Event | null {
  switch (next.do) {
    case 'update':
      return updated(web, next.type, { mayRun: next.mayRun });
    case 'kill': {
      const { evict, graceSeconds } = next;
      return killed(web, kill(id, { evict, graceSeconds }));
    }
    case 'killInRuntime':
      return killedInRuntime('web', kill(id));
    case 'settle':
      return running && { type: 'settled', work: running, outcome: outcome(next.kind) };
    case 'answer':
      return asksForTurn ? { type: next.admitted ? 'admitted' : 'refused' } : null;
    case 'housekeep':
      return { type: 'housekept', orphan: next.orphan };
    default:
      throw new Error('no such step');
  }
}

test('invariants 1 to 6 hold through any valid history', () => {
  const property = fc.property(story, (notified) => {
    expect(live(notified).problems).toEqual([]);
  });
  fc.assert(property, { numRuns: 1_500 });
  expect.hasAssertions();
});

test('7: the newest update is acted on as soon as the work in flight has ended', () => {
  const calm: fc.Arbitrary<Step> = fc.oneof(
    fc.constant({ do: 'update', type: 'update', mayRun: true } as const),
    fc.record({
      do: fc.constant('settle' as const),
      kind: fc.constantFrom('done', 'failed', 'cancelled', 'networkNotReady'),
    }),
  );
  const newest = pod('web', { containers: 5 });
  const property = fc.property(fc.array(calm), (calmSteps) => {
    const steps = calmSteps.map((each) => [{}, each] as const);
    const world = live({ isStatic: false, steps });
    const now = world.apply(updated(newest));
    const soon = now.length > 0 ? now : world.apply(settledWork(world, 'failed'));
    expect(soon.at(-1)).toMatchObject({ type: 'syncPod', pod: newest });
  });
  fc.assert(property, { numRuns: 300 });
  expect.hasAssertions();
});

test('after any history, a killed pod whose work succeeds is finished in a few steps', () => {
  const property = fc.property(story, (notified) => {
    const world = live(notified);
    world.apply(killed(pod('web', { static: notified.isStatic }), kill(-1)));
    for (let turns = 0; turns < 3 && world.running; turns++) {
      world.apply(settledWork(world, 'done'));
    }
    expect(world.running).toBeNull();
    expect(['finished', 'forgotten']).toContain(world.state.phase);
    expect(world.problems).toEqual([]);
  });
  fc.assert(property, { numRuns: 500 });
  expect.hasAssertions();
});

function settledWork({ running }: PodWorkerWorld, kind: 'done' | 'failed'): Event {
  if (!running) throw new Error('nothing runs');
  return { type: 'settled', work: running, outcome: outcome(kind) };
}
