/** Properties of every status that is computed from a pod, its runtime and its probes (KL-20 to KL-29). */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isConditionTrue } from '../../src/api/condition.ts';
import type { Container, Pod, PodSpec, PodStatus } from '../../src/api/pod.ts';
import { isOwned, isShared } from '../../src/core/pod-status/condition-ownership.ts';
import { normalizeStatus } from '../../src/core/pod-status/normalize-status.ts';
import { isSidecar, isTerminalPhase } from '../../src/core/pod/pod-facts.ts';
import { podStatus, type PodStatusView } from '../../src/core/pod-status/pod-status.ts';
import { isStatusEqual } from '../../src/core/pod-status/status-equality.ts';
import { PROPERTY, statusViews } from '../support/arbitraries.ts';

/** The status as it is stored: normalised, with the start time that stays (SM-24). */
function answer(view: PodStatusView): PodStatus {
  const { startTime } = view.lastReported ?? view.pod.status ?? {};
  const status = podStatus(view);
  return normalizeStatus(view.pod, startTime ? { ...status, startTime } : status);
}

/** The statuses when each is stored, and then computed again while nothing happens. */
function* answers(view: PodStatusView): Generator<PodStatus, never> {
  for (let lastReported = answer(view); ; lastReported = answer({ ...view, lastReported }))
    yield lastReported;
}

describe('a terminal phase', () => {
  test('stays, whether it was stored or the API has it', () => {
    fc.assert(
      fc.property(statusViews, (view) => {
        const { lastReported, pod } = view;
        fc.pre(
          isTerminalPhase((lastReported ?? pod.status)?.phase) ||
            isTerminalPhase(pod.status?.phase),
        );
        const { phase } = podStatus(view);
        expect(isTerminalPhase(phase)).toBe(true);
        // If both are terminal and differ, the API's wins (KL-25).
        expect(phase).toBe(isTerminalPhase(pod.status?.phase) ? pod.status.phase : phase);
      }),
      PROPERTY,
    );
  });

  test('stays whatever happens afterwards', () => {
    fc.assert(
      fc.property(statusViews, statusViews, (before, after) => {
        const lastReported = podStatus(before);
        const next = podStatus({ ...after, pod: before.pod, lastReported });
        expect(isTerminalPhase(lastReported.phase) && !isTerminalPhase(next.phase)).toBe(false);
      }),
      PROPERTY,
    );
  });

  test('is never combined with Ready', () => {
    fc.assert(
      fc.property(statusViews, (view) => {
        const { phase, conditions } = podStatus(view);
        expect(isTerminalPhase(phase) && isConditionTrue(conditions, 'Ready')).toBe(false);
        expect(isTerminalPhase(phase) && isConditionTrue(conditions, 'ContainersReady')).toBe(
          false,
        );
      }),
      PROPERTY,
    );
  });
});

describe('conditions', () => {
  test('of others are those of the API, unchanged and in front', () => {
    fc.assert(
      fc.property(statusViews, (view) => {
        const { conditions = [] } = podStatus(view);
        const foreign = (view.pod.status?.conditions ?? []).filter(
          ({ type }) => !isOwned(type) && !isShared(type),
        );
        const kept = conditions.filter(({ type }) => !isOwned(type) && !isShared(type));
        expect(kept).toHaveLength(foreign.length);
        for (const [index, each] of kept.entries()) expect(each).toBe(foreign[index]);
        const firstOurs = conditions.findIndex(({ type }) => isOwned(type));
        expect(
          conditions.slice(firstOurs).some(({ type }) => foreign.some((f) => f.type === type)),
        ).toBe(false);
      }),
      PROPERTY,
    );
  });

  test('exist once each, and the five that every pod has exist', () => {
    fc.assert(
      fc.property(statusViews, (view) => {
        const types = (podStatus(view).conditions ?? []).map(({ type }) => type);
        expect(new Set(types).size).toBe(types.length);
        expect(types).toEqual(
          expect.arrayContaining([
            'PodReadyToStartContainers',
            'Initialized',
            'Ready',
            'ContainersReady',
            'PodScheduled',
          ]),
        );
      }),
      PROPERTY,
    );
  });
});

test('every container of the spec has one status, in its place, and no other has one', () => {
  fc.assert(
    fc.property(statusViews, (view) => {
      const { spec } = view.pod;
      const names = (list: readonly { readonly name: string }[] = []) =>
        list.map(({ name }) => name);
      const status = podStatus(view);
      expect(names(status.containerStatuses)).toEqual(names(spec.containers).toSorted());
      expect(names(status.initContainerStatuses)).toEqual(names(spec.initContainers));
      expect(names(status.ephemeralContainerStatuses)).toEqual(
        names(spec.ephemeralContainers).toSorted(),
      );
    }),
    PROPERTY,
  );
});

test('a started container runs, and so does a ready one, as far as the runtime knows it', () => {
  fc.assert(
    fc.property(statusViews, (view) => {
      const known = new Set(view.runtime.containers.map(({ name }) => name));
      const { containerStatuses = [], initContainerStatuses = [] } = podStatus(view);
      const startedOnly = [...containerStatuses, ...initContainerStatuses].filter(
        ({ started, state }) => started === true && !state?.running,
      );
      const readyOnly = containerStatuses.filter(
        ({ name, ready, state }) => known.has(name) && ready === true && !state?.running,
      );
      expect([startedOnly, readyOnly]).toEqual([[], []]);
    }),
    PROPERTY,
  );
});

/** Removes from a view what makes a status change when it is computed again; see below. */
function settle(view: PodStatusView): PodStatusView {
  const { reason: _r, message: _m, ...api } = view.pod.status ?? {};
  const containers = view.runtime.containers.filter(({ state }) => state !== 'unknown');
  const known = new Set(containers.map(({ name }) => name));
  const quiet = (status: PodStatus): PodStatus =>
    normalizeStatus(view.pod, {
      ...status,
      conditions: (status.conditions ?? []).filter(
        ({ type }) => type !== 'AllContainersRestarting',
      ),
    });
  const pod: Pod = {
    ...view.pod,
    spec: plainSpec(view.pod.spec),
    status: { ...quiet(api), phase: 'Pending' },
  };
  return {
    ...view,
    pod,
    lastReported: view.lastReported && quiet(view.lastReported),
    runtime: { ...view.runtime, containers },
    startFailures: new Map([...view.startFailures].filter(([name]) => known.has(name))),
  };
}

/** Neither restart rules nor sidecars. */
function plainSpec({ containers, initContainers = [], ...spec }: PodSpec): PodSpec {
  const plain = (container: Container): Container => ({ ...container, restartPolicyRules: [] });
  return {
    ...spec,
    containers: containers.map(plain),
    initContainers: initContainers.filter((each) => !isSidecar(each)).map(plain),
  };
}

describe('a status that is stored, and computed again while nothing happened', () => {
  // It is the same, save where the kubelet itself moves in two steps:
  //   - a reason or message in the API is picked up once the phase is stored (KL-23);
  //   - a running container that the runtime calls unknown is terminated, then waits (KL-39);
  //   - a container removed by a restart of the whole pod waits for that reason, then for its
  //     creation (E-7);
  //   - a container that is gone, had ended and could not be started loses its old status (KL-36);
  //   - resources in force are remembered only while the stored phase is Running;
  //   - a sidecar's `started` is set after the phase is decided, so it counts the next time.
  test('is the same', () => {
    fc.assert(
      fc.property(statusViews, (wild) => {
        const view = settle(wild);
        const [first, second] = take(2, answers(view));
        expect(isStatusEqual(first ?? {}, second ?? {})).toBe(true);
      }),
      PROPERTY,
    );
  });

  // Two cases never settle, in the kubelet neither, and both need an init container that is gone while a
  // regular one exists: with a failed start on record it is Completed and waiting by turns, and while the
  // whole pod restarts its restart count grows with every status.
  test('settles after a few more in every other case', () => {
    fc.assert(
      fc.property(statusViews, (view) => {
        const known = new Set(view.runtime.containers.map(({ name }) => name));
        fc.pre(view.pod.spec.initContainers?.every(({ name }) => known.has(name)) ?? true);
        const [, , , fourth, fifth] = take(5, answers(view));
        expect(isStatusEqual(fourth ?? {}, fifth ?? {})).toBe(true);
      }),
      PROPERTY,
    );
  });
});

function take<T>(count: number, source: Iterator<T>): readonly T[] {
  return Array.from({ length: count }, () => source.next().value as T);
}
