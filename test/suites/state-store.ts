/**
 * What every state store guarantees, whether it keeps its pods in memory, in a file, or nowhere.
 *
 * A store that cannot meet a case names it in `skip`, with the reason.
 */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ResourceRequirements } from '../../src/api/resources.ts';
import type { PodResources, StateStore } from '../../src/ports/pod/state-store.ts';

export interface OpenStateStore {
  readonly store: StateStore;
  close(): Promise<void>;
}

export interface StateStoreUnderTest {
  readonly name: string;
  open(): Promise<OpenStateStore>;
  readonly skip?: Readonly<Record<string, string>>;
  /** How many random histories to play. */
  readonly histories?: number;
}

export const SMALL: ResourceRequirements = { requests: { cpu: '100m', memory: '64Mi' } };
export const LARGE: ResourceRequirements = {
  limits: { cpu: '2', memory: '1Gi' },
  requests: { cpu: '1', memory: '1Gi' },
};

export function stateStoreSuite(underTest: StateStoreUnderTest): void {
  const { name, skip = {}, histories = 100 } = underTest;
  const cases: readonly Case[] = [
    ...casesOfReading(),
    ...casesOfSetting(),
    ...casesOfRefusing(),
    ...casesOfRemoving(),
    {
      title: 'keeps what a plain map of pods would keep, whatever happens',
      body: (store) => followModel(store, histories),
    },
  ];

  describe(`the ${name} state store`, () => {
    test.for(cases)('$title', async ({ title, body }, context) => {
      const reason = skip[title];
      if (reason !== undefined) {
        console.log(`skipped: ${name}: ${title}: ${reason}`);
        context.skip(reason);
      }
      expect.hasAssertions();
      const opened = await underTest.open();
      await body(opened.store).finally(() => opened.close());
    });
    test('skips only existing cases', () => {
      const titles = new Set(cases.map(({ title }) => title));
      expect(Object.keys(skip).filter((title) => !titles.has(title))).toEqual([]);
    });
  });
}

interface Case {
  readonly title: string;
  readonly body: (store: StateStore) => Promise<void>;
}

function casesOfReading(): readonly Case[] {
  return [
    {
      title: 'a pod that nobody mentioned has no resources',
      body: async (store) => {
        expect(store.podResources('unknown')).toBeUndefined();
        expect(store.containerResources('unknown', 'main')).toBeUndefined();
        expect(store.podLevelResources('unknown')).toBeUndefined();
        expect(store.all()).toEqual(new Map());
      },
    },
    {
      title: 'names that every object has are names of no pod and no container',
      body: async (store) => {
        await store.setContainerResources('pod', 'main', SMALL);
        for (const name of ['__proto__', 'constructor', 'toString']) {
          expect(store.podResources(name)).toBeUndefined();
          expect(store.containerResources('pod', name)).toBeUndefined();
        }
      },
    },
    {
      title: 'what was handed out does not change afterwards',
      body: async (store) => {
        await store.setContainerResources('pod', 'main', SMALL);
        const [pod, all] = [store.podResources('pod'), store.all()];
        await store.setContainerResources('pod', 'main', LARGE);
        await store.setPodLevelResources('pod', LARGE);
        await store.clear();
        expect(pod).toEqual(podOf({ main: SMALL }));
        expect(all).toEqual(new Map([['pod', podOf({ main: SMALL })]]));
      },
    },
  ];
}

function casesOfSetting(): readonly Case[] {
  return [
    {
      title: 'every change is answered',
      body: async (store) => {
        await expect(store.setContainerResources('pod', 'main', SMALL)).resolves.toBeUndefined();
        await expect(store.setPodLevelResources('pod', SMALL)).resolves.toBeUndefined();
        await expect(store.setPodResources('pod', podOf({}))).resolves.toBeUndefined();
        await expect(store.removeOrphanedPods(new Set(['pod']))).resolves.toBeUndefined();
        await expect(store.removePod('pod')).resolves.toBeUndefined();
        await expect(store.clear()).resolves.toBeUndefined();
      },
    },
    {
      title: 'containers and the pod as a whole are kept side by side (A-26)',
      body: async (store) => {
        await store.setContainerResources('pod', 'main', SMALL);
        await store.setPodLevelResources('pod', LARGE);
        await store.setContainerResources('pod', 'sidecar', LARGE);
        expect(store.containerResources('pod', 'main')).toEqual(SMALL);
        expect(store.containerResources('pod', 'sidecar')).toEqual(LARGE);
        expect(store.podLevelResources('pod')).toEqual(LARGE);
        expect(store.podResources('pod')).toEqual(podOf({ main: SMALL, sidecar: LARGE }, LARGE));
      },
    },
    {
      title: 'setting a pod replaces all that was known about it',
      body: async (store) => {
        await store.setPodResources('pod', podOf({ main: SMALL, old: SMALL }, LARGE));
        await store.setPodResources('pod', podOf({ main: LARGE }));
        expect(store.podResources('pod')).toEqual(podOf({ main: LARGE }));
      },
    },
    {
      title: 'pod-level resources can be taken back, and the pod stays known',
      body: async (store) => {
        await store.setPodLevelResources('pod', SMALL);
        await store.setPodLevelResources('pod', undefined);
        await store.setPodLevelResources('other', undefined);
        expect(store.podLevelResources('pod')).toBeUndefined();
        expect([...store.all().keys()]).toEqual(['pod', 'other']);
      },
    },
    {
      title: 'amounts are kept as they are spelled',
      body: async (store) => {
        const spelled = { requests: { cpu: '0.5', memory: '1024Ki', 'example.com/gpu': 2 } };
        await store.setContainerResources('pod', 'main', spelled);
        expect(store.containerResources('pod', 'main')).toEqual(spelled);
      },
    },
    {
      title: 'another spelling of the same resources changes nothing (KL-99)',
      body: async (store) => {
        await store.setPodResources('pod', podOf({ main: { requests: { cpu: '1' } } }));
        const before = store.all();
        await store.setContainerResources('pod', 'main', {
          requests: { cpu: '1000m' },
          limits: {},
        });
        await store.setPodResources('pod', podOf({ main: { requests: { cpu: 1 } } }));
        expect(store.all()).toBe(before);
      },
    },
    {
      title: 'fields that nobody here knows are kept with the resources',
      body: async (store) => {
        const claimed = {
          ...SMALL,
          claims: [{ name: 'gpu', request: 'one' }],
          novelty: { deep: [1] },
        };
        await store.setContainerResources('pod', 'main', claimed);
        expect(store.containerResources('pod', 'main')).toEqual(claimed);
      },
    },
    {
      title: '__proto__ and constructor are names like any other',
      body: async (store) => {
        const odd: ResourceRequirements = JSON.parse('{"requests":{"__proto__":"1"}}');
        await store.setContainerResources('__proto__', 'constructor', SMALL);
        await store.setContainerResources('constructor', '__proto__', odd);
        expect(store.containerResources('__proto__', 'constructor')).toEqual(SMALL);
        const kept = store.containerResources('constructor', '__proto__');
        expect(JSON.stringify(kept)).toBe('{"requests":{"__proto__":"1"}}');
      },
    },
    {
      title: 'a map that its owner changes later changes nothing in the store',
      body: async (store) => {
        const containers = new Map([['main', SMALL]]);
        await store.setPodResources('pod', { containers });
        containers.clear();
        expect(store.podResources('pod')).toEqual(podOf({ main: SMALL }));
      },
    },
    {
      title: 'changes made at the same time are all kept, in the order of the calls',
      body: async (store) => {
        const uids = Array.from({ length: 20 }, (_, index) => `pod-${index}`);
        await Promise.all([
          ...uids.map((uid) => store.setContainerResources(uid, 'main', SMALL)),
          ...uids.map((uid) => store.setContainerResources(uid, 'main', LARGE)),
          store.removePod('pod-0'),
        ]);
        expect([...store.all().keys()]).toEqual(uids.slice(1));
        for (const uid of uids.slice(1))
          expect(store.podResources(uid)).toEqual(podOf({ main: LARGE }));
      },
    },
  ];
}

function casesOfRefusing(): readonly Case[] {
  return [
    {
      title: 'an amount that cannot be read is refused by name, and nothing changes',
      body: async (store) => {
        await store.setContainerResources('pod', 'main', SMALL);
        const before = store.all();
        const wrong = { requests: { cpu: 'much' } };
        const refusal = {
          code: 'RESOURCES_INVALID',
          message: expect.stringContaining('requests.cpu'),
        };
        await expect(store.setContainerResources('pod', 'main', wrong)).rejects.toMatchObject(
          refusal,
        );
        await expect(store.setPodLevelResources('pod', wrong)).rejects.toMatchObject(refusal);
        await expect(
          store.setPodResources('pod', podOf({ main: LARGE, next: wrong })),
        ).rejects.toMatchObject(refusal);
        await expect(
          store.setPodResources('pod', podOf({ main: LARGE }, wrong)),
        ).rejects.toMatchObject(refusal);
        expect(store.all()).toBe(before);
      },
    },
  ];
}

function casesOfRemoving(): readonly Case[] {
  return [
    {
      title: 'a removed pod is gone, and the others stay',
      body: async (store) => {
        await store.setContainerResources('a', 'main', SMALL);
        await store.setContainerResources('b', 'main', SMALL);
        await store.removePod('a');
        expect([...store.all().keys()]).toEqual(['b']);
      },
    },
    {
      title: 'removing what is not there changes nothing (KL-95)',
      body: async (store) => {
        await store.setContainerResources('a', 'main', SMALL);
        const before = store.all();
        await store.removePod('b');
        await store.removeOrphanedPods(new Set(['a', 'b']));
        expect(store.all()).toBe(before);
      },
    },
    {
      title: 'only the pods that remain survive the orphans',
      body: async (store) => {
        for (const uid of ['a', 'b', 'c']) await store.setContainerResources(uid, 'main', SMALL);
        await store.removeOrphanedPods(new Set(['b', 'unknown']));
        expect([...store.all().keys()]).toEqual(['b']);
      },
    },
    {
      title: 'a cleared store is empty',
      body: async (store) => {
        await store.setContainerResources('a', 'main', SMALL);
        await store.clear();
        expect(store.all()).toEqual(new Map());
      },
    },
  ];
}

/** One call of the store, and what it means for a plain map of pods. */
export type Step =
  | { readonly verb: 'container'; readonly uid: string; readonly name: string; readonly size: Size }
  | { readonly verb: 'podLevel'; readonly uid: string; readonly size: Size | undefined }
  | { readonly verb: 'pod'; readonly uid: string; readonly size: Size }
  | { readonly verb: 'remove'; readonly uid: string }
  | { readonly verb: 'orphans'; readonly remaining: readonly string[] }
  | { readonly verb: 'clear' };

type Size = ResourceRequirements;
export type Model = Map<string, PodResources>;

const anyUid = fc.constantFrom('a', 'b', 'c', '__proto__');
const anyName = fc.constantFrom('main', '10', '9', 'constructor');
const anySize: fc.Arbitrary<Size> = fc.constantFrom(SMALL, LARGE, {}, { limits: { cpu: '1Ki' } });

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ verb: fc.constant('container'), uid: anyUid, name: anyName, size: anySize }),
  fc.record({
    verb: fc.constant('podLevel'),
    uid: anyUid,
    size: fc.option(anySize, { nil: undefined }),
  }),
  fc.record({ verb: fc.constant('pod'), uid: anyUid, size: anySize }),
  fc.record({ verb: fc.constant('remove'), uid: anyUid }),
  fc.record({ verb: fc.constant('orphans'), remaining: fc.uniqueArray(anyUid) }),
  fc.record({ verb: fc.constant('clear') }),
);

async function followModel(store: StateStore, histories: number): Promise<void> {
  const follows = fc.asyncProperty(fc.array(anyStep, { maxLength: 12 }), async (steps) => {
    const model: Model = new Map();
    await store.clear();
    for (const step of steps) {
      await perform(store, step);
      applyToModel(model, step);
      expect(store.all()).toEqual(model);
    }
  });
  await fc.assert(follows, { numRuns: histories });
}

export function perform(store: StateStore, step: Step): Promise<void> {
  switch (step.verb) {
    case 'container':
      return store.setContainerResources(step.uid, step.name, step.size);
    case 'podLevel':
      return store.setPodLevelResources(step.uid, step.size);
    case 'pod':
      return store.setPodResources(step.uid, podOf({ main: step.size }, step.size));
    case 'remove':
      return store.removePod(step.uid);
    case 'orphans':
      return store.removeOrphanedPods(new Set(step.remaining));
    case 'clear':
      return store.clear();
  }
}

/** The same, as plainly as possible. */
export function applyToModel(model: Model, step: Step): void {
  if (step.verb === 'clear') return model.clear();
  if (step.verb === 'orphans') {
    for (const uid of model.keys()) if (!step.remaining.includes(uid)) model.delete(uid);
    return;
  }
  const { containers, pod } = model.get(step.uid) ?? podOf({});
  if (step.verb === 'remove') model.delete(step.uid);
  if (step.verb === 'pod') model.set(step.uid, podOf({ main: step.size }, step.size));
  if (step.verb === 'podLevel') model.set(step.uid, { containers, pod: step.size });
  if (step.verb === 'container') {
    model.set(step.uid, { containers: new Map([...containers, [step.name, step.size]]), pod });
  }
}

export function podOf(
  containers: Readonly<Record<string, ResourceRequirements>>,
  pod?: ResourceRequirements,
): PodResources {
  return { containers: new Map(Object.entries(containers)), pod };
}
