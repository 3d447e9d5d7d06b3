/** Properties of every plan, whatever the pod and its runtime look like. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Container } from '../../src/api/pod.ts';
import { backOffKey, type BackOff } from '../../src/core/pod-actions/crash-backoff.ts';
import { holdForCrashBackOff } from '../../src/core/pod-actions/crash-backoff-hold.ts';
import type {
  ContainerUpdate,
  PodActions,
  PodActionsView,
  ResizableResource,
} from '../../src/core/pod-actions/plan.ts';
import { podActions } from '../../src/core/pod-actions/pod-actions.ts';
import { isSidecar } from '../../src/core/pod/pod-facts.ts';
import { actionsViews, PROPERTY } from '../support/arbitraries.ts';

/** Each list of starts beside the containers that it points into. */
function startsOf(
  { pod }: PodActionsView,
  actions: PodActions,
): readonly (readonly [readonly number[], readonly Container[]])[] {
  const { containers, initContainers = [], ephemeralContainers = [] } = pod.spec;
  return [
    [actions.initContainersToStart, initContainers],
    [actions.containersToStart, containers],
    [actions.ephemeralContainersToStart, ephemeralContainers],
  ];
}

function namesToStart(view: PodActionsView, actions: PodActions): readonly string[] {
  return startsOf(view, actions).flatMap(([indexes, containers]) =>
    indexes.map((index) => containers[index]?.name ?? 'nobody'),
  );
}

function newestOf({ runtime }: PodActionsView, name: string) {
  return runtime.containers.find((container) => container.name === name);
}

describe('starts', () => {
  test('refer to containers of the spec, once each and in order', () => {
    fc.assert(
      fc.property(actionsViews, (view) => {
        for (const [indexes, containers] of startsOf(view, podActions(view))) {
          const lawful = [...containers.keys()].filter((index) => indexes.includes(index));
          expect(indexes).toEqual(lawful);
        }
      }),
      PROPERTY,
    );
  });

  test('are never of a container that runs, unless it is stopped first', () => {
    fc.assert(
      fc.property(actionsViews, (view) => {
        const actions = podActions(view);
        const stopped = new Set(actions.containersToKill.map(({ id }) => id));
        const twice = namesToStart(view, actions).filter((name) => {
          const newest = newestOf(view, name);
          return newest?.state === 'running' && !stopped.has(newest.id);
        });
        expect(actions.killPod ? [] : twice).toEqual([]);
      }),
      PROPERTY,
    );
  });

  test('are never of regular containers before the pod is initialised', () => {
    fc.assert(
      fc.property(actionsViews, (view) => {
        const { containersToStart, createSandbox } = podActions(view);
        const { initContainers = [] } = view.pod.spec;
        const isLawful = initContainers.length === 0 || (!createSandbox && isInitialized(view));
        expect(isLawful ? [] : containersToStart).toEqual([]);
      }),
      PROPERTY,
    );
  });

  test('are of the first init container only, in a new sandbox', () => {
    fc.assert(
      fc.property(actionsViews, (view) => {
        const { createSandbox, initContainersToStart, containersToStart } = podActions(view);
        const hasInit = Boolean(view.pod.spec.initContainers?.length);
        const lawful = hasInit ? [initContainersToStart, containersToStart] : [[0], []];
        expect(createSandbox && !view.restartAllContainers ? lawful : [[0], []]).toEqual([[0], []]);
      }),
      PROPERTY,
    );
  });

  test('of ephemeral containers happen once', () => {
    fc.assert(
      fc.property(actionsViews, (view) => {
        const { ephemeralContainersToStart } = podActions(view);
        const { ephemeralContainers = [] } = view.pod.spec;
        const seen = ephemeralContainersToStart.filter((index) =>
          newestOf(view, ephemeralContainers[index]?.name ?? 'nobody'),
        );
        expect(seen).toEqual([]);
      }),
      PROPERTY,
    );
  });
});

/** By the last init container, or by a regular one that is up. */
function isInitialized(view: PodActionsView): boolean {
  const { containers, initContainers = [] } = view.pod.spec;
  const isUp = containers.some(({ name }) =>
    ['created', 'running'].includes(newestOf(view, name)?.state ?? 'none'),
  );
  const last = initContainers.at(-1);
  const record = last && newestOf(view, last.name);
  if (isUp || !last) return true;
  if (!record) return false;
  if (!isSidecar(last)) {
    return record.state === 'exited' && !record.exitCode && record.reason !== 'OOMKilled';
  }
  const hasStarted = !last.startupProbe || view.startup.get(record.id) === 'success';
  return record.state === 'running' && hasStarted;
}

describe('stops', () => {
  test('are of containers that exist, once each', () => {
    fc.assert(
      fc.property(actionsViews, (view) => {
        const { containersToKill, containersToReset } = podActions(view);
        const known = new Map(view.runtime.containers.map(({ id, name }) => [id, name]));
        for (const list of [containersToKill, containersToReset]) {
          expect(list.filter(({ id, name }) => known.get(id) !== name)).toEqual([]);
          expect(new Set(list.map(({ id }) => id)).size).toBe(list.length);
        }
      }),
      PROPERTY,
    );
  });

  test('are never of a container that is known to have ended', () => {
    fc.assert(
      fc.property(actionsViews, (view) => {
        const { containersToKill, containersToReset } = podActions(view);
        const killed = [...containersToKill, ...containersToReset.filter(({ kill }) => kill)];
        const over = new Set(
          view.runtime.containers.filter(({ state }) => state === 'exited').map(({ id }) => id),
        );
        expect(killed.filter(({ id }) => over.has(id))).toEqual([]);
      }),
      PROPERTY,
    );
  });

  test('come before a new sandbox, always', () => {
    fc.assert(
      fc.property(actionsViews, (view) => {
        const { killPod, createSandbox } = podActions(view);
        expect(createSandbox && !killPod).toBe(false);
      }),
      PROPERTY,
    );
  });
});

test('E-7: a restart of the whole pod removes every record of its containers, and that is all', () => {
  fc.assert(
    fc.property(actionsViews, (wild) => {
      const view = { ...wild, restartAllContainers: true };
      const actions = podActions(view);
      const { containers, initContainers = [] } = view.pod.spec;
      const names = new Set([...initContainers, ...containers].map(({ name }) => name));
      const expected = view.runtime.containers.filter(({ name }) => names.has(name));
      expect(actions.containersToReset.map(({ id }) => id).toSorted()).toEqual(
        expected.map(({ id }) => id).toSorted(),
      );
      expect(namesToStart(view, actions)).toEqual([]);
      expect(actions.containersToKill).toEqual([]);
    }),
    PROPERTY,
  );
});

function changes({ desired, current }: ContainerUpdate, resource: ResizableResource): boolean {
  const [limit, request] = [`${resource}Limit`, `${resource}Request`] as const;
  return desired[limit] !== current[limit] || desired[request] !== current[request];
}

/** By its limit, or by its request if the limit stays. */
function grows({ desired, current }: ContainerUpdate, resource: ResizableResource): boolean {
  const [limit, request] = [`${resource}Limit`, `${resource}Request`] as const;
  const field = desired[limit] === current[limit] ? request : limit;
  return desired[field] > current[field];
}

describe('updates in place', () => {
  test('are of containers that run and go on running', () => {
    fc.assert(
      fc.property(actionsViews, (view) => {
        const { containersToUpdate, containersToKill } = podActions(view);
        const stopped = new Set(containersToKill.map(({ id }) => id));
        for (const { id, name } of [...containersToUpdate.cpu, ...containersToUpdate.memory]) {
          expect(newestOf(view, name)).toMatchObject({ id, state: 'running' });
          expect(stopped.has(id)).toBe(false);
        }
      }),
      PROPERTY,
    );
  });

  test('shrink before they grow, and change something', () => {
    fc.assert(
      fc.property(actionsViews, (view) => {
        const { containersToUpdate } = podActions(view);
        for (const resource of ['cpu', 'memory'] as const) {
          const updates = containersToUpdate[resource];
          const firstToGrow = updates.findIndex((update) => grows(update, resource));
          const growing = updates.slice(firstToGrow < 0 ? updates.length : firstToGrow);
          expect(growing.every((update) => grows(update, resource))).toBe(true);
          expect(updates.every((update) => changes(update, resource))).toBe(true);
        }
      }),
      PROPERTY,
    );
  });

  test('are not made where the runtime cannot', () => {
    fc.assert(
      fc.property(actionsViews, (view) => {
        const { containersToUpdate, updatePodResources, updatePodLevelResources } = podActions({
          ...view,
          actuated: undefined,
        });
        expect(containersToUpdate).toEqual({ cpu: [], memory: [] });
        expect([updatePodResources, updatePodLevelResources]).toEqual([false, false]);
      }),
      PROPERTY,
    );
  });
});

describe('KL-50: holding back', () => {
  const NOW_MS = Date.UTC(2026, 0, 2, 3, 1, 0);
  const delays = fc.array(fc.integer({ min: 0, max: 120_000 }), { minLength: 6, maxLength: 6 });

  /** A back-off for each init and regular container, by these delays. */
  function backOffsOf({ pod }: PodActionsView, delaysMs: readonly number[]) {
    const { containers, initContainers = [] } = pod.spec;
    return new Map<string, BackOff>(
      [...initContainers, ...containers].map((container, index) => [
        backOffKey(pod, container),
        { delayMs: delaysMs[index] ?? 0, advancedAt: NOW_MS - 60_000 },
      ]),
    );
  }

  test('removes starts and adds none; a container that waits does not start, and waits for a future time', () => {
    fc.assert(
      fc.property(actionsViews, delays, (view, delaysMs) => {
        const before = podActions(view);
        const { actions, held } = holdForCrashBackOff(
          view,
          before,
          backOffsOf(view, delaysMs),
          NOW_MS,
        );
        const wanted = namesToStart(view, before);
        const started = namesToStart(view, actions);
        expect(wanted).toEqual(expect.arrayContaining([...started]));
        for (const { name, until } of held) {
          expect(wanted).toContain(name);
          expect(started).not.toContain(name);
          expect(until).toBeGreaterThan(NOW_MS);
        }
      }),
      PROPERTY,
    );
  });

  test('leaves the rest of the plan as it is', () => {
    fc.assert(
      fc.property(actionsViews, delays, (view, delaysMs) => {
        const before = podActions(view);
        const { actions } = holdForCrashBackOff(view, before, backOffsOf(view, delaysMs), NOW_MS);
        const { initContainersToStart, containersToStart } = actions;
        expect(actions).toEqual({ ...before, initContainersToStart, containersToStart });
        expect(holdForCrashBackOff(view, before, new Map(), NOW_MS).actions).toBe(before);
      }),
      PROPERTY,
    );
  });
});
