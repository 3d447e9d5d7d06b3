import { describe, expect, test } from 'vitest';
import { container, NOW, podOf, running, sidecar } from '../../../test/support/pod-parts.ts';
import {
  findStatus,
  initAndRegularContainers,
  initContainerAt,
  isBeingDeleted,
  isMirrorPod,
  isSidecar,
  isStaticPod,
  isTerminalPhase,
} from './pod-facts.ts';

function annotated(annotations: Readonly<Record<string, string>>) {
  return podOf({}, { metadata: { annotations } });
}

describe('KL-60: where a pod comes from', () => {
  test('a pod is static if its source is named and is not the API', () => {
    expect(isStaticPod(annotated({ 'kubernetes.io/config.source': 'file' }))).toBe(true);
    expect(isStaticPod(annotated({ 'kubernetes.io/config.source': 'http' }))).toBe(true);
    expect(isStaticPod(annotated({ 'kubernetes.io/config.source': '' }))).toBe(true);
  });

  test('a pod of the API, or without the annotation, is not', () => {
    expect(isStaticPod(annotated({ 'kubernetes.io/config.source': 'api' }))).toBe(false);
    expect(isStaticPod(annotated({}))).toBe(false);
    expect(isStaticPod(podOf())).toBe(false);
  });

  test('a mirror pod is known by its annotation, whatever that says', () => {
    expect(isMirrorPod(annotated({ 'kubernetes.io/config.mirror': 'hash' }))).toBe(true);
    expect(isMirrorPod(annotated({ 'kubernetes.io/config.mirror': '' }))).toBe(true);
    expect(isMirrorPod(annotated({ 'kubernetes.io/config.hash': 'hash' }))).toBe(false);
    expect(isMirrorPod(podOf())).toBe(false);
  });
});

test('a pod is being deleted once it has a deletion time', () => {
  expect(isBeingDeleted(podOf({}, { metadata: { deletionTimestamp: NOW } }))).toBe(true);
  expect(isBeingDeleted(podOf({}, { metadata: { deletionTimestamp: null } }))).toBe(false);
  expect(isBeingDeleted(podOf())).toBe(false);
});

test('two phases are final', () => {
  expect(isTerminalPhase('Succeeded')).toBe(true);
  expect(isTerminalPhase('Failed')).toBe(true);
  for (const phase of ['Pending', 'Running', 'Unknown', undefined] as const) {
    expect(isTerminalPhase(phase)).toBe(false);
  }
});

test('E-5: an init container is a sidecar only if it always restarts', () => {
  expect(isSidecar(sidecar('s'))).toBe(true);
  expect(isSidecar(container('i'))).toBe(false);
  expect(isSidecar(container('i', { restartPolicy: 'OnFailure' }))).toBe(false);
});

test('init containers come before regular ones, and ephemeral ones are left out', () => {
  const [init, regular, ephemeral] = [container('i'), container('c'), container('e')];
  const { spec } = podOf({
    initContainers: [init],
    containers: [regular],
    ephemeralContainers: [ephemeral],
  });
  expect(initAndRegularContainers(spec)).toEqual([init, regular]);
  expect(initAndRegularContainers({ containers: [regular] })).toEqual([regular]);
});

test('a status is found by name, and in no list there is none', () => {
  const status = running('a');
  expect(findStatus([running('b'), status], 'a')).toBe(status);
  expect(findStatus([status], 'c')).toBeUndefined();
  expect(findStatus(null, 'a')).toBeUndefined();
  expect(findStatus(undefined, 'a')).toBeUndefined();
});

describe('A-05: an init status belongs to the init container at its index', () => {
  const { spec } = podOf({ initContainers: [container('a'), container('b')] });
  const statuses = [running('a'), running('b')];

  test('if they agree on the name', () => {
    expect(initContainerAt(spec, statuses, 1)).toBe(spec.initContainers?.[1]);
  });

  test('and to none if they do not, or if there is no such index', () => {
    expect(initContainerAt(spec, statuses.toReversed(), 0)).toBeUndefined();
    expect(initContainerAt(spec, [...statuses, running('c')], 2)).toBeUndefined();
    expect(initContainerAt(spec, [], 0)).toBeUndefined();
    expect(initContainerAt(spec, [], -1)).toBeUndefined();
    expect(initContainerAt({ containers: [] }, statuses, 0)).toBeUndefined();
  });
});
