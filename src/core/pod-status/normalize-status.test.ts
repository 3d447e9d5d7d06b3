import { describe, expect, test } from 'vitest';
import type { ContainerStatus, Pod, PodStatus } from '../../api/pod.ts';
import { deepFreeze } from '../../../test/support/deep-freeze.ts';
import {
  condition,
  container,
  podOf,
  running,
  terminated,
  waiting,
} from '../../../test/support/pod-parts.ts';
import { normalizeStatus } from './normalize-status.ts';

const FINE = '2026-01-02T03:04:05.999999999Z';
const WHOLE = '2026-01-02T03:04:05Z';
const ZERO = '0001-01-01T00:00:00Z';

/** A pod of that many containers, `c0` and so on. */
function podOfMany(regular: number, init = 0, ephemeral = 0): Pod {
  const named = (letter: string, count: number) =>
    Array.from({ length: count }, (_, index) => container(`${letter}${index}`));
  return podOf({
    containers: named('c', regular),
    initContainers: named('i', init),
    ephemeralContainers: named('e', ephemeral),
  });
}

function withMessage(name: string, message: string): ContainerStatus {
  return { name, state: { terminated: { exitCode: 1, message } } };
}

function messageIn(status: PodStatus): string | undefined {
  return status.containerStatuses?.[0]?.state?.terminated?.message;
}

/** How many bytes of a long message are left in a pod of these containers. */
function budgetOf(pod: Pod): number {
  const long = normalizeStatus(pod, { containerStatuses: [withMessage('c0', 'x'.repeat(20_000))] });
  return messageIn(long)?.length ?? 0;
}

describe('SM-35: each container has its share of 12 KiB for termination messages', () => {
  test.each([
    [podOfMany(1), 12_288],
    [podOfMany(3), 4096],
    [podOfMany(5), 2457],
    [podOfMany(7), 1755],
    [podOfMany(48), 256],
    [podOfMany(1, 1, 0), 6144],
    [podOfMany(1, 0, 1), 6144],
    [podOfMany(1, 1, 1), 4096],
    [podOfMany(0), 12_288],
  ])('case %#: %i bytes', (pod, expected) => {
    expect(budgetOf(pod)).toBe(expected);
  });

  test('a spec without the other two lists has one container', () => {
    expect(budgetOf({ ...podOf(), spec: { containers: [container('c0')] } })).toBe(12_288);
  });

  test('the spec counts, not the statuses', () => {
    const statuses = ['a', 'b', 'c'].map((name) => withMessage(name, 'x'.repeat(20_000)));
    const status = normalizeStatus(podOfMany(1), { containerStatuses: statuses });
    expect(messageIn(status)).toHaveLength(12_288);
  });

  test('forty-eight containers with long messages stay within the whole', () => {
    const pod = podOfMany(48);
    const containerStatuses = pod.spec.containers.map(({ name }) =>
      withMessage(name, 'é'.repeat(10_000)),
    );
    const { containerStatuses: after = [] } = normalizeStatus(pod, { containerStatuses });
    const bytes = after.map(({ state }) => Buffer.byteLength(state?.terminated?.message ?? ''));
    expect(Math.max(...bytes)).toBe(256);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(12_288);
  });

  test('the last end is cut as well, in all three lists', () => {
    const long = 'x'.repeat(20_000);
    const list = (name: string) => [
      { name, state: { waiting: {} }, lastState: { terminated: { exitCode: 1, message: long } } },
    ];
    const status = normalizeStatus(podOfMany(1, 1, 1), {
      containerStatuses: list('c0'),
      initContainerStatuses: list('i0'),
      ephemeralContainerStatuses: list('e0'),
    });
    for (const after of [
      status.containerStatuses,
      status.initContainerStatuses,
      status.ephemeralContainerStatuses,
    ]) {
      expect(after?.[0]?.lastState?.terminated?.message).toHaveLength(4096);
    }
  });

  test('the message of a waiting container is not cut', () => {
    const message = 'x'.repeat(20_000);
    const status = deepFreeze({
      containerStatuses: [waiting('c0', { state: { waiting: { message } } })],
    });
    expect(normalizeStatus(podOfMany(1), status)).toBe(status);
  });

  test.each([3, 5, 11])(
    'V-5: in a pod of %i, text of any script ends at a whole character',
    (n) => {
      const budget = Math.floor(12_288 / n);
      for (const text of ['日'.repeat(9000), '日a'.repeat(9000), '😀'.repeat(9000)]) {
        const [first = ''] = text;
        const cut = messageIn(
          normalizeStatus(podOfMany(n), { containerStatuses: [withMessage('c0', text)] }),
        );
        const bytes = Buffer.byteLength(cut ?? '');
        expect(text.startsWith(cut ?? 'none')).toBe(true);
        expect(cut).not.toContain('\uFFFD');
        expect(bytes).toBeLessThanOrEqual(budget);
        expect(bytes).toBeGreaterThan(budget - Buffer.byteLength(first));
      }
    },
  );
});

describe('SM-37: times are whole seconds', () => {
  test('the start, and both times of every condition', () => {
    const times = { lastProbeTime: FINE, lastTransitionTime: FINE };
    const status = normalizeStatus(podOf(), {
      startTime: FINE,
      conditions: [condition('Ready', 'True', times), condition('example.com/x', 'True', times)],
    });
    const whole = { lastProbeTime: WHOLE, lastTransitionTime: WHOLE };
    expect(status).toEqual({
      startTime: WHOLE,
      conditions: [condition('Ready', 'True', whole), condition('example.com/x', 'True', whole)],
    });
  });

  test('the states of every container, now and before, in all three lists', () => {
    const statuses = (startedAt: string, finishedAt: string): readonly ContainerStatus[] => [
      { name: 'a', state: { running: { startedAt } } },
      {
        name: 'b',
        state: { terminated: { exitCode: 0, startedAt, finishedAt } },
        lastState: { terminated: { exitCode: 1, startedAt, finishedAt } },
      },
      { name: 'c', lastState: { running: { startedAt } } },
    ];
    const lists = (list: readonly ContainerStatus[]): PodStatus => ({
      containerStatuses: list,
      initContainerStatuses: list,
      ephemeralContainerStatuses: list,
    });
    expect(normalizeStatus(podOf(), lists(statuses(FINE, FINE)))).toEqual(
      lists(statuses(WHOLE, WHOLE)),
    );
  });

  test('fractions of a second are cut off, never rounded up', () => {
    expect(normalizeStatus(podOf(), { startTime: '2026-12-31T23:59:59.9999Z' })).toEqual({
      startTime: '2026-12-31T23:59:59Z',
    });
  });

  test('zero times, null and absent ones stay as they are', () => {
    const status = deepFreeze<PodStatus>({
      startTime: null,
      conditions: [
        condition('Ready', 'True', { lastProbeTime: null, lastTransitionTime: ZERO }),
        condition('Initialized', 'True'),
      ],
      containerStatuses: [
        { name: 'a', state: { terminated: { exitCode: 0, startedAt: null, finishedAt: ZERO } } },
        { name: 'b', state: { running: {} }, lastState: { running: null } },
      ],
    });
    expect(normalizeStatus(podOf(), status)).toBe(status);
  });
});

describe('SM-38: order', () => {
  const names = (list: readonly ContainerStatus[] | undefined) => list?.map(({ name }) => name);
  const statusesOf = (...list: readonly string[]) => list.map((name) => running(name));

  test('regular and ephemeral statuses are sorted by name', () => {
    const status = normalizeStatus(podOf(), {
      containerStatuses: statusesOf('b', 'c', 'a', 'B'),
      ephemeralContainerStatuses: statusesOf('z', 'y'),
    });
    expect(names(status.containerStatuses)).toEqual(['B', 'a', 'b', 'c']);
    expect(names(status.ephemeralContainerStatuses)).toEqual(['y', 'z']);
  });

  test.each([
    ['turned round', ['m', 'z', 'a'], ['a', 'z', 'm']],
    ['in order already', ['a', 'z', 'm'], ['a', 'z', 'm']],
    ['one missing', ['m', 'a'], ['a', 'm']],
    ['one missing in the middle', ['x', 'a', 'm'], ['a', 'm', 'x']],
    ['unknown names fall behind', ['x', 'm', 'z', 'a'], ['a', 'z', 'm', 'x']],
    ['nothing but unknown names', ['y', 'x'], ['y', 'x']],
  ])('A-05: init statuses stand as the spec lists them: %s', (_name, before, after) => {
    const pod = podOf({ initContainers: ['a', 'z', 'm'].map((name) => container(name)) });
    const status = normalizeStatus(pod, { initContainerStatuses: statusesOf(...before) });
    expect(names(status.initContainerStatuses)).toEqual(after);
  });

  test('conditions are never sorted', () => {
    const status = deepFreeze({
      conditions: [condition('Ready'), condition('Initialized'), condition('A')],
    });
    expect(normalizeStatus(podOf(), status)).toBe(status);
  });
});

describe('parts in normal form are shared', () => {
  const normal = deepFreeze<PodStatus>({
    phase: 'Running',
    startTime: WHOLE,
    conditions: [condition('Ready', 'True', { lastTransitionTime: WHOLE })],
    containerStatuses: [running('a'), terminated('b', 0)],
    initContainerStatuses: [terminated('i', 0)],
    ephemeralContainerStatuses: [waiting('e')],
  });

  test('a normal status is returned itself', () => {
    const pod = podOf({ initContainers: [container('i')] });
    expect(normalizeStatus(pod, normal)).toBe(normal);
    const empty = {};
    expect(normalizeStatus(pod, empty)).toBe(empty);
  });

  test('a time with fractions changes the objects that lead to it, and nothing else', () => {
    const pod = podOf({ initContainers: [container('i')] });
    const fine = { name: 'a', state: { running: { startedAt: FINE } } };
    const b = terminated('b', 0);
    const status = normalizeStatus(pod, { ...normal, containerStatuses: [fine, b] });
    expect(status.containerStatuses?.[0]?.state?.running?.startedAt).toBe(WHOLE);
    expect(status.containerStatuses?.[1]).toBe(b);
    expect(status.conditions).toBe(normal.conditions);
    expect(status.initContainerStatuses).toBe(normal.initContainerStatuses);
    expect(status.ephemeralContainerStatuses).toBe(normal.ephemeralContainerStatuses);
  });

  test('unknown fields are kept', () => {
    const odd = JSON.parse(
      `{"__proto__": {"x": 1}, "constructor": 2, "startTime": "${FINE}"}`,
    ) as PodStatus;
    expect(Object.entries(normalizeStatus(podOf(), odd))).toEqual([
      ['__proto__', { x: 1 }],
      ['constructor', 2],
      ['startTime', WHOLE],
    ]);
  });
});
