/**
 * The whole manager through histories that nobody would think of: changes, faults, a watch that lags,
 * pods that are deleted, recreated and written over, records that go and come back. While it lasts,
 * no rule is broken; when the world behaves again, the API has what the node knows.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PodStatus } from '../../src/api/pod.ts';
import { assert } from '../../src/lib/assert.ts';
import type { Fault } from '../support/memory-api.ts';
import { StatusStage, statusOf, type Sent } from './stage.ts';

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
  readonly stage = new StatusStage({ window: 2, qps: 20, burst: 5 });
  readonly #generations = new Map<string, number>();

  constructor() {
    this.stage.manager.start();
    for (const each of NAMES) this.#create(each);
  }

  async play(step: Step): Promise<void> {
    const { stage } = this;
    switch (step.do) {
      case 'say': {
        const { restarts, ready } = step;
        const uid = this.#uidOf(step.name);
        if (stage.pods.find(uid)) stage.say(uid, statusOf('Running', { restarts, ready }));
        break;
      }
      case 'pass':
        await stage.clock.pass(step.ms);
        break;
      case 'fault':
        stage.fault = () => FAULTS[step.kind];
        break;
      case 'recreate':
        stage.api.remove({ namespace: 'default', name: step.name });
        this.#create(step.name);
        break;
      case 'forget': {
        const forgotten = this.#uidOf(step.name);
        const left = [...stage.manager.records.keys()].filter((uid) => uid !== forgotten);
        stage.manager.removeOrphanedStatuses(new Set(left));
        break;
      }
      case 'terminate': {
        const known = stage.pods.find(this.#uidOf(step.name));
        if (known) stage.manager.terminatePod(known.pod);
        break;
      }
      case 'vandalise':
      case 'delete': {
        const pod = stage.api.find({ namespace: 'default', name: step.name });
        if (pod && step.do === 'delete') stage.requestDeletion(step.name);
        else if (pod) stage.api.put({ ...pod, status: { phase: 'Unknown' } });
        break;
      }
      case 'lag':
        stage.lag();
        break;
      case 'catchUp':
        stage.catchUp();
        break;
    }
    this.#check();
  }

  /** The world behaves, long enough for every wait to end. */
  async calmDown(): Promise<void> {
    this.stage.fault = () => undefined;
    this.stage.catchUp();
    await this.stage.clock.pass(150_000);
    this.#check();
  }

  /** What the API has of each pod against what the node knows of it. */
  compare(): readonly (readonly [inApi: unknown, onNode: unknown])[] {
    return this.stage.api.pods().flatMap(({ metadata, status }) => {
      const record = this.stage.manager.records.get(metadata.uid ?? '');
      return record ? [[inEssence(status), inEssence(record.status)] as const] : [];
    });
  }

  #create(each: string): void {
    this.#generations.set(each, (this.#generations.get(each) ?? 0) + 1);
    this.stage.create(each, { uid: this.#uidOf(each) });
  }

  #uidOf(each: string): string {
    return `${each}-${this.#generations.get(each) ?? 0}`;
  }

  #check(): void {
    const { sent } = this.stage;
    const underWay = sent.filter(({ endedMs }) => endedMs === null);
    assert(underWay.length <= 2, 'no more requests than the window has places');
    const targets = underWay.map(targetOf);
    assert(new Set(targets).size === targets.length, 'one request for each pod');
  }
}

/** Without the readiness of a pod that is over, which is taken from it on the way (SM-85). */
function inEssence(status: PodStatus = {}): PodStatus {
  const { conditions, ...rest } = status;
  return rest.phase === 'Failed' || !conditions ? rest : { ...rest, conditions };
}

/** The UID that a request insists on; a GET insists on none. */
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
      played.stage.takeSent();
      await played.stage.clock.pass(60_000);
      expect(played.stage.takeSent()).toEqual([]);
      await played.stage.manager.stop();
      expect(played.stage.clock.pending).toBe(0);
      expect(played.stage.complaints).toEqual([]);
    }),
    { numRuns: 150 },
  );
});
