/**
 * The whole manager through random histories: changes, faults, a watch that lags, pods that are deleted,
 * recreated and overwritten, records that go and come back. No rule is broken on the way; when the faults
 * end, the API has what the node knows.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PodStatus } from '../../src/api/pod.ts';
import { assert } from '../../src/lib/assert.ts';
import type { Fault } from '../support/memory-api.ts';
import { StatusHarness, statusOf, type Sent } from './status-harness.ts';

const NAMES = ['a', 'b', 'c'] as const;
const FAULTS: Readonly<Record<string, Fault>> = {
  none: {},
  slow: { latencyMs: 300 },
  broken: { refuse: 500 },
  busy: { refuse: 429, retryAfterMs: 4000 },
  conflict: { refuse: 409 },
  cut: { cut: 'before' },
  deaf: { cut: 'after' },
  'slow and deaf': { latencyMs: 200, cut: 'after' },
  hanging: { latencyMs: 1e9 },
};

const name = fc.constantFrom(...NAMES);
const step = fc.oneof(
  {
    arbitrary: fc.record({
      do: fc.constant('say'),
      name,
      restarts: fc.nat(3),
      ready: fc.boolean(),
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('pass'),
      ms: fc.constantFrom(0, 50, 250, 1500, 12_000),
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('fault'),
      kind: fc.constantFrom(...Object.keys(FAULTS)),
    }),
    weight: 2,
  },
  fc.record({ do: fc.constant('recreate'), name }),
  fc.record({ do: fc.constant('vandalise'), name }),
  fc.record({ do: fc.constant('forget'), name }),
  fc.record({ do: fc.constant('delete'), name }),
  fc.record({ do: fc.constant('terminate'), name }),
  fc.constant({ do: 'lag' as const }),
  fc.constant({ do: 'catchUp' as const }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

class Story {
  readonly harness = new StatusHarness({ window: 2, qps: 20, burst: 5 });
  readonly #generations = new Map<string, number>();

  constructor() {
    this.harness.manager.start();
    for (const each of NAMES) this.#create(each);
  }

  async play(step: Step): Promise<void> {
    const { harness } = this;
    switch (step.do) {
      case 'say': {
        const { restarts, ready } = step;
        const uid = this.#uidOf(step.name);
        if (harness.pods.find(uid)) harness.say(uid, statusOf('Running', { restarts, ready }));
        break;
      }
      case 'pass':
        await harness.clock.pass(step.ms);
        break;
      case 'fault':
        harness.fault = () => FAULTS[step.kind];
        break;
      case 'recreate':
        harness.api.remove({ namespace: 'default', name: step.name });
        this.#create(step.name);
        break;
      case 'forget': {
        const forgotten = this.#uidOf(step.name);
        const left = [...harness.manager.records.keys()].filter((uid) => uid !== forgotten);
        harness.manager.removeOrphanedStatuses(new Set(left));
        break;
      }
      case 'terminate': {
        const known = harness.pods.find(this.#uidOf(step.name));
        if (known) harness.manager.terminatePod(known.pod);
        break;
      }
      case 'vandalise':
      case 'delete': {
        const pod = harness.api.find({ namespace: 'default', name: step.name });
        if (pod && step.do === 'delete') harness.requestDeletion(step.name);
        else if (pod) harness.api.put({ ...pod, status: { phase: 'Unknown' } });
        break;
      }
      case 'lag':
        harness.lag();
        break;
      case 'catchUp':
        harness.catchUp();
        break;
    }
    this.#check();
  }

  /** No faults, long enough for every wait to end. */
  async calmDown(): Promise<void> {
    this.harness.fault = () => undefined;
    this.harness.catchUp();
    await this.harness.clock.pass(150_000);
    this.#check();
  }

  /** Compares each pod in the API with what the node knows of it. */
  compare(): readonly (readonly [inApi: unknown, onNode: unknown])[] {
    return this.harness.api.pods().flatMap(({ metadata, status }) => {
      const record = this.harness.manager.records.get(metadata.uid ?? '');
      return record ? [[inEssence(status), inEssence(record.status)] as const] : [];
    });
  }

  #create(each: string): void {
    this.#generations.set(each, (this.#generations.get(each) ?? 0) + 1);
    this.harness.create(each, { uid: this.#uidOf(each) });
  }

  #uidOf(each: string): string {
    return `${each}-${this.#generations.get(each) ?? 0}`;
  }

  #check(): void {
    const { sent } = this.harness;
    const underWay = sent.filter(({ endedMs }) => endedMs === null);
    assert(underWay.length <= 2, 'no more requests than the window has places');
    const targets = underWay.map(targetOf);
    assert(new Set(targets).size === targets.length, 'one request for each pod');
  }
}

/** Without the readiness of a finished pod, which the manager clears on the way (SM-85). */
function inEssence(status: PodStatus = {}): PodStatus {
  const { conditions, ...rest } = status;
  return rest.phase === 'Failed' || !conditions ? rest : { ...rest, conditions };
}

/** The UID precondition of a request; a GET has none. */
function targetOf({ verb, name: pod, uid, patch }: Sent, index: number): string {
  const { metadata } = (patch ?? {}) as { readonly metadata?: { readonly uid: string } };
  return uid ?? metadata?.uid ?? `${verb} ${pod} ${index}`;
}

const story = fc.array(step, { maxLength: 40 });

test('whatever happened, in the end the API has what the node knows, and nothing more is sent', async () => {
  await fc.assert(
    fc.asyncProperty(story, async (steps) => {
      const played = new Story();
      for (const each of steps) await played.play(each);
      await played.calmDown();
      for (const [inApi, onNode] of played.compare()) expect(inApi).toEqual(onNode);
      played.harness.takeSent();
      await played.harness.clock.pass(60_000);
      expect(played.harness.takeSent()).toEqual([]);
      await played.harness.manager.stop();
      expect(played.harness.clock.pending).toBe(0);
      expect(played.harness.problems).toEqual([]);
    }),
    { numRuns: 150 },
  );
});
