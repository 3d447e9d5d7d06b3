import { expect, it } from 'vitest';
import type { JsonObject } from '../../../lib/json.ts';
import { warnAboutPods } from './existing-pods.ts';

const BASELINE = { level: 'baseline', version: null } as const;

function pod(name: string, spec: JsonObject, controller?: string): JsonObject {
  const owner = controller === undefined ? [] : [{ controller: true, uid: controller }];
  return { metadata: { name, ownerReferences: owner }, spec };
}

const TITLE =
  'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"';

it('pods with the same reasons are counted, and named by the first of them', () => {
  const pods = [
    pod('c', { hostPID: true }),
    pod('a', { hostIPC: true }),
    pod('b', { hostNetwork: true }),
    pod('d', {}),
    pod('e', { hostPID: true, volumes: [{ name: 'v', hostPath: {} }] }),
  ];
  expect(warnAboutPods('n', pods, BASELINE)).toEqual([
    TITLE,
    'a (and 2 other pods): host namespaces',
    'e: host namespaces, hostPath volumes',
  ]);
});

it('allowed pods are not mentioned', () => {
  expect(warnAboutPods('n', [pod('a', {})], BASELINE)).toEqual([]);
});

it('of very many pods, one of each controller is checked before the rest', () => {
  const many = Array.from({ length: 3500 }, (_none, at) => pod(`p${at}`, {}, 'one'));
  const pods = [...many, pod('last', { hostPID: true }, 'two')];
  expect(warnAboutPods('n', pods, BASELINE)).toEqual([
    'new PodSecurity enforce level only checked against the first 3000 of 3501 existing pods',
    TITLE,
    'last: host namespaces',
  ]);
});
