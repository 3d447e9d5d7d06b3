import { expect, test } from 'vitest';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import { areEqual, lifecycleEvents, statesOf, type States } from './lifecycle-event.ts';

function states(text: Record<string, 'running' | 'exited' | 'unknown'>): States {
  return new Map(Object.entries(text));
}

function typesOf(before: States, after: States): readonly string[] {
  return lifecycleEvents('u', before, after).map(({ type }) => type);
}

test.each([
  [{}, { a: 'running' }, ['ContainerStarted']],
  [{}, { a: 'exited' }, ['ContainerDied']],
  [{}, { a: 'unknown' }, ['ContainerChanged']],
  [{ a: 'running' }, { a: 'exited' }, ['ContainerDied']],
  [{ a: 'running' }, { a: 'unknown' }, ['ContainerChanged']],
  [{ a: 'running' }, {}, ['ContainerDied', 'ContainerRemoved']],
  [{ a: 'exited' }, {}, ['ContainerRemoved']],
  [{ a: 'running' }, { a: 'running' }, []],
] as const)('from %j to %j: %j (KL-87)', (before, after, types) => {
  expect(typesOf(states(before), states(after))).toEqual(types);
});

test('sandboxes count as containers, and a created container does not count as running', () => {
  const pod: RuntimePod = {
    sandboxes: [
      { id: 's1', attempt: 1, ready: true, hostNetwork: false },
      { id: 's0', attempt: 0, ready: false, hostNetwork: false },
    ],
    containers: [
      {
        id: 'c0',
        name: 'main',
        state: 'created',
        restartCount: 0,
        image: '',
        imageRef: '',
        createdAt: '2026-01-02T03:04:05Z',
      },
    ],
    ips: [],
  };
  expect(statesOf(pod)).toEqual(states({ c0: 'unknown', s1: 'running', s0: 'exited' }));
});

test('states are equal whatever their order', () => {
  expect(
    areEqual(states({ a: 'running', b: 'exited' }), states({ b: 'exited', a: 'running' })),
  ).toBe(true);
  expect(areEqual(states({ a: 'running' }), states({ a: 'exited' }))).toBe(false);
  expect(areEqual(states({ a: 'running' }), states({}))).toBe(false);
});
