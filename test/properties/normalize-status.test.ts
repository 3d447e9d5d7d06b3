/** Properties of every normalised status (SM-35 to SM-39). */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ContainerStatus, Pod, PodStatus } from '../../src/api/pod.ts';
import { parseTime } from '../../src/api/values/time.ts';
import { normalizeStatus } from '../../src/core/pod-status/normalize-status.ts';
import { isStatusEqual } from '../../src/core/pod-status/status-equality.ts';
import { pods, PROPERTY, statuses } from '../support/arbitraries.ts';

function listsOf(status: PodStatus): readonly (readonly ContainerStatus[])[] {
  return [
    status.containerStatuses ?? [],
    status.initContainerStatuses ?? [],
    status.ephemeralContainerStatuses ?? [],
  ];
}

/** Every time in a status, with its path. */
function timesIn(value: unknown, place = ''): readonly (readonly [string, string])[] {
  if (typeof value === 'string' && /^\d{4}-/.test(value)) return [[place, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => timesIn(inner, `${place}.${key}`));
}

function messagesIn(status: ContainerStatus): readonly string[] {
  return [status.state, status.lastState].map((state) => state?.terminated?.message ?? '');
}

function budgetOf({ spec }: Pod): number {
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  const count = containers.length + initContainers.length + ephemeralContainers.length;
  return Math.floor(12_288 / count);
}

function byName(a: ContainerStatus, b: ContainerStatus): number {
  return a.name < b.name ? -1 : 1;
}

test('normalising twice is normalising once, and returns the same object', () => {
  fc.assert(
    fc.property(pods, statuses, (pod, status) => {
      const normal = normalizeStatus(pod, status);
      expect(normalizeStatus(pod, normal)).toBe(normal);
    }),
    PROPERTY,
  );
});

test('each termination message is a prefix of the old one, as long as its share allows', () => {
  fc.assert(
    fc.property(pods, statuses, (pod, status) => {
      const normal = normalizeStatus(pod, status);
      const budget = budgetOf(pod);
      const before = new Map(
        listsOf(status).flatMap((list) => list.map((each) => [each.name, each])),
      );
      for (const container of listsOf(normal).flat()) {
        const old = before.get(container.name);
        // A name that two lists share cannot be matched here.
        if (!old || container.name === 'stranger') continue;
        for (const [index, message] of messagesIn(container).entries()) {
          const whole = messagesIn(old)[index] ?? '';
          const [next = 'x'.repeat(budget)] = whole.slice(message.length);
          expect(whole.startsWith(message)).toBe(true);
          expect(Buffer.byteLength(message)).toBeLessThanOrEqual(budget);
          expect(Buffer.byteLength(message + next) > budget || message === whole).toBe(true);
        }
      }
    }),
    PROPERTY,
  );
});

test('every time is truncated to its second, and none is lost', () => {
  fc.assert(
    fc.property(pods, statuses, (pod, status) => {
      // Sorting moves statuses about, so times are compared as a bag.
      const seconds = (of: PodStatus) =>
        timesIn(of)
          .map(([, time]) => Math.floor(parseTime(time).ms / 1000))
          .toSorted((a, b) => a - b);
      const normal = normalizeStatus(pod, status);
      expect(timesIn(normal).filter(([, time]) => time.includes('.'))).toEqual([]);
      expect(seconds(normal)).toEqual(seconds(status));
    }),
    PROPERTY,
  );
});

test('no container status is lost, and each stands in its place', () => {
  fc.assert(
    fc.property(pods, statuses, (pod, status) => {
      const normal = normalizeStatus(pod, status);
      const namesOf = (list: readonly ContainerStatus[]) => list.map(({ name }) => name);
      for (const [index, list] of listsOf(normal).entries()) {
        expect(namesOf(list).toSorted()).toEqual(namesOf(listsOf(status)[index] ?? []).toSorted());
      }
      const [regular = [], init = [], ephemeral = []] = listsOf(normal);
      expect(regular).toEqual(regular.toSorted(byName));
      expect(ephemeral).toEqual(ephemeral.toSorted(byName));
      const inSpec = (pod.spec.initContainers ?? []).map(({ name }) => name);
      const known = inSpec.filter((name) => namesOf(init).includes(name));
      expect(namesOf(init).slice(0, known.length)).toEqual(known);
    }),
    PROPERTY,
  );
});

test('TestStatusEquality: statuses that differ in the order of their containers only are equal afterwards', () => {
  fc.assert(
    fc.property(pods, statuses, (pod, status) => {
      // Two init containers that the spec does not name have no defined order.
      const inSpec = new Set(pod.spec.initContainers?.map(({ name }) => name));
      const { initContainerStatuses = [] } = status;
      fc.pre(initContainerStatuses.filter(({ name }) => !inSpec.has(name)).length < 2);
      const turned = {
        ...status,
        containerStatuses: status.containerStatuses?.toReversed() ?? [],
        initContainerStatuses: initContainerStatuses.toReversed(),
        ephemeralContainerStatuses: status.ephemeralContainerStatuses?.toReversed() ?? [],
      };
      expect(isStatusEqual(normalizeStatus(pod, status), normalizeStatus(pod, turned))).toBe(true);
    }),
    PROPERTY,
  );
});

test('a part that is normal already is shared, however much else changes', () => {
  fc.assert(
    fc.property(pods, statuses, (pod, status) => {
      const normal = normalizeStatus(pod, status);
      const late = { ...normal, startTime: '2026-01-02T03:04:05.6Z' };
      const again = normalizeStatus(pod, late);
      expect(again.startTime).toBe('2026-01-02T03:04:05Z');
      expect(again.conditions).toBe(normal.conditions);
      expect(again.containerStatuses).toBe(normal.containerStatuses);
      expect(again.initContainerStatuses).toBe(normal.initContainerStatuses);
      expect(again.ephemeralContainerStatuses).toBe(normal.ephemeralContainerStatuses);
    }),
    PROPERTY,
  );
});
