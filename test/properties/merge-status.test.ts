/** Properties of every merged status (SM-80 to SM-86, V-8). */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isConditionTrue } from '../../src/api/condition.ts';
import type { PodCondition, PodStatus } from '../../src/api/pod.ts';
import { isOwned, isShared } from '../../src/core/pod-status/condition-ownership.ts';
import { mergeStatus, type StatusMerge } from '../../src/core/pod-status/merge-status.ts';
import { isTerminalPhase } from '../../src/core/pod/pod-facts.ts';
import { ownStatuses, pods, PROPERTY, statuses } from '../support/arbitraries.ts';
import { LATER, NOW } from '../support/pod-parts.ts';

function mergesOf(own: fc.Arbitrary<PodStatus>): fc.Arbitrary<StatusMerge> {
  return fc.record({
    pod: pods,
    old: statuses,
    status: own,
    couldHaveRunningContainers: fc.boolean(),
    now: fc.constant(NOW),
  });
}

/** Our own statuses may be in any order here, unless the property needs the usual one. */
const merges = mergesOf(statuses);

function foreignIn({ conditions = [] }: PodStatus): readonly PodCondition[] {
  return conditions.filter(({ type }) => !isOwned(type) && !isShared(type));
}

describe('SM-80: conditions', () => {
  test('none of others is lost, changed or moved, and none is invented', () => {
    fc.assert(
      fc.property(merges, (merge) => {
        const before = foreignIn(merge.old);
        const after = foreignIn(mergeStatus(merge));
        expect(after).toHaveLength(before.length);
        for (const [index, condition] of after.entries()) expect(condition).toBe(before[index]);
      }),
      PROPERTY,
    );
  });

  test('our own are those that we set, and none is there twice', () => {
    fc.assert(
      fc.property(merges, (merge) => {
        const types = (status: PodStatus) => (status.conditions ?? []).map(({ type }) => type);
        const after = types(mergeStatus(merge));
        expect(new Set(after).size).toBe(after.length);
        const expected = types(merge.status).filter(isOwned);
        // The end of a pod may add the two conditions for "not ready" (SM-85).
        const added = new Set(['Ready', 'ContainersReady']);
        const ours = after.filter(isOwned).filter((type) => !added.has(type));
        expect(ours).toEqual(expected.filter((type) => !added.has(type)));
        expect(after).toEqual(expect.arrayContaining(expected));
      }),
      PROPERTY,
    );
  });
});

describe('the phase', () => {
  const live = fc.constantFrom('Pending', 'Running', 'Unknown');
  const over = fc.constantFrom('Succeeded', 'Failed');

  test('a terminal pod stays terminal, if we keep a terminal phase', () => {
    fc.assert(
      fc.property(merges, over, over, (merge, was, is) => {
        const old = { ...merge.old, phase: was };
        const status = { ...merge.status, phase: is };
        expect(mergeStatus({ ...merge, old, status }).phase).toBe(is);
      }),
      PROPERTY,
    );
  });

  test('SM-84: a pod does not become terminal while one of its containers could run', () => {
    fc.assert(
      fc.property(merges, live, over, (merge, was, is) => {
        const old = { ...merge.old, phase: was };
        const status = { ...merge.status, phase: is };
        const merged = mergeStatus({ ...merge, old, status, couldHaveRunningContainers: true });
        const { reason, message } = old;
        expect([merged.phase, merged.reason, merged.message]).toEqual([was, reason, message]);
      }),
      PROPERTY,
    );
  });

  test('in every other case it is ours, with reason and message', () => {
    fc.assert(
      fc.property(merges, (merge) => {
        const isHeld = merge.couldHaveRunningContainers && !isTerminalPhase(merge.old.phase);
        fc.pre(!isHeld || !isTerminalPhase(merge.status.phase));
        const { phase, reason, message } = mergeStatus(merge);
        const { status } = merge;
        expect([phase, reason, message]).toEqual([status.phase, status.reason, status.message]);
      }),
      PROPERTY,
    );
  });

  test('SM-85: a terminal pod is never Ready', () => {
    fc.assert(
      fc.property(merges, (merge) => {
        const merged = mergeStatus(merge);
        const isReady =
          isConditionTrue(merged.conditions, 'Ready') ||
          isConditionTrue(merged.conditions, 'ContainersReady');
        expect(isTerminalPhase(merged.phase) && isReady).toBe(false);
      }),
      PROPERTY,
    );
  });
});

test('SM-82: DisruptionTarget is ours only at the end, else it is the API’s, unchanged', () => {
  fc.assert(
    fc.property(merges, (merge) => {
      const find = ({ conditions }: PodStatus) => conditions?.find(({ type }) => isShared(type));
      const { old, status, couldHaveRunningContainers } = merge;
      const merged = find(mergeStatus(merge));
      const ends = !isTerminalPhase(old.phase) && isTerminalPhase(status.phase);
      const ours = ends && !couldHaveRunningContainers ? find(status) : undefined;
      const { lastTransitionTime: _, ...words } = ours ?? find(old) ?? {};
      expect(merged ?? {}).toMatchObject(words);
      expect(merged === find(old) || ours !== undefined).toBe(true);
    }),
    PROPERTY,
  );
});

test('SM-83: claims are those of the API; the rest is ours and shared', () => {
  fc.assert(
    fc.property(merges, (merge) => {
      const merged = mergeStatus(merge);
      expect(merged.resourceClaimStatuses).toBe(merge.old.resourceClaimStatuses);
      expect(merged.containerStatuses).toBe(merge.status.containerStatuses);
      expect(merged.initContainerStatuses).toBe(merge.status.initContainerStatuses);
      expect(merged.ephemeralContainerStatuses).toBe(merge.status.ephemeralContainerStatuses);
      expect(merged.podIPs).toBe(merge.status.podIPs);
      expect(merged.resources).toBe(merge.status.resources);
    }),
    PROPERTY,
  );
});

test('V-8: merging again, at any later time, changes nothing', () => {
  // Our conditions are in their usual order here: a DisruptionTarget that stood behind one of our
  // own is added where it is met (SM-80), and stands in front the next time.
  fc.assert(
    fc.property(mergesOf(ownStatuses), (merge) => {
      const merged = mergeStatus(merge);
      const again = mergeStatus({ ...merge, old: merged, now: LATER });
      expect(again).toEqual(merged);
      expect(mergeStatus({ ...merge, old: again, status: merged, now: LATER })).toEqual(merged);
    }),
    PROPERTY,
  );
});
