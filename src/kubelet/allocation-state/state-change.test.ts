import { expect, test } from 'vitest';
import { LARGE, podOf, SMALL } from '../../../test/suites/state-store.ts';
import type { PodResourcesByUid } from '../../ports/pod/state-store.ts';
import * as change from './state-change.ts';

const STATE: PodResourcesByUid = new Map([
  ['a', podOf({ main: SMALL, sidecar: { requests: { cpu: '1' } } }, LARGE)],
  ['b', podOf({ main: LARGE })],
]);

function after(made: change.StateChange): PodResourcesByUid {
  const next = new Map(STATE);
  expect(change.applyChange(next, made)).toBe(true);
  return next;
}

test.each([
  ['the same container', change.settingContainer('a', 'main', { ...SMALL })],
  [
    'the same amounts, spelled in another way',
    change.settingContainer('a', 'main', { requests: { cpu: '0.1', memory: '65536Ki' } }),
  ],
  ['an empty list more', change.settingContainer('b', 'main', { ...LARGE, claims: [] } as object)],
  ['the same pod-level resources', change.settingPodLevel('a', { ...LARGE })],
  ['no pod-level resources where there are none', change.settingPodLevel('b', undefined)],
  [
    'the same pod, its containers in another order',
    change.settingPod('a', podOf({ sidecar: { requests: { cpu: '1000m' } }, main: SMALL }, LARGE)),
  ],
  ['the removal of a pod that is not there', change.removingPod('c')],
  ['orphans where there are none', change.removingOrphans(new Set(['a', 'b', 'c']))],
])('%s is no change: nothing is different (KL-99)', (_name, same) => {
  expect(same(STATE).size).toBe(0);
});

test.each([
  ['an amount', change.settingContainer('a', 'main', LARGE)],
  ['a container that asks for nothing', change.settingContainer('b', 'other', {})],
  ['the claims', change.settingContainer('b', 'main', { ...LARGE, claims: [{}] } as object)],
  ['pod-level resources that ask for nothing', change.settingPodLevel('b', {})],
  ['no pod-level resources any more', change.settingPodLevel('a', undefined)],
  ['a pod without resources', change.settingPodLevel('c', undefined)],
  ['a container less', change.settingPod('a', podOf({ main: SMALL }, LARGE))],
  ['a container by another name', change.settingPod('b', podOf({ other: LARGE }))],
  ['an empty pod', change.settingPod('c', podOf({}))],
])('%s is a change, and the state before stays as it was', (_name, differs) => {
  const before = structuredClone(STATE);
  expect(after(differs)).not.toEqual(STATE);
  expect(STATE).toEqual(before);
});

test('what did not change is shared with the state before', () => {
  const next = after(change.settingPod('a', podOf({ main: { ...SMALL }, sidecar: LARGE }, LARGE)));
  expect(next.get('b')).toBe(STATE.get('b'));
  expect(next.get('a')?.containers.get('main')).toBe(SMALL);
  expect(next.get('a')?.pod).toBe(LARGE);

  const smaller = after(change.settingPodLevel('a', SMALL));
  expect(smaller.get('a')?.containers).toBe(STATE.get('a')?.containers);
  const { containers } = podOf({ main: SMALL, sidecar: { requests: { cpu: 1 } } });
  const without = after(change.settingPod('a', { containers }));
  expect(without.get('a')?.containers).toBe(STATE.get('a')?.containers);
});
