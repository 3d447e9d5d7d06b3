import { expect, test } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import { drainDecision } from './drain-decision.ts';

const STRICT = { force: false, deleteEmptyDirData: false };
const FORCED = { force: true, deleteEmptyDirData: true };
const OWNER = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', controller: true };

function podWith(metadata: JsonObject, more: JsonObject = {}): JsonObject {
  return { metadata, spec: {}, status: { phase: 'Running' }, ...more };
}

const EMPTY_DIR = { spec: { volumes: [{ name: 'cache', emptyDir: {} }] } };

test('a pod with a controller is evicted', () => {
  expect(drainDecision(podWith({ ownerReferences: [OWNER] }), STRICT).action).toBe('evict');
});

test('a pod of a DaemonSet and a static pod stay until the node ends', () => {
  const daemon = podWith({ ownerReferences: [{ ...OWNER, kind: 'DaemonSet' }] });
  expect(drainDecision(daemon, FORCED).action).toBe('leave');
  const mirror = podWith({ annotations: { 'kubernetes.io/config.mirror': 'hash' } });
  expect(drainDecision(mirror, FORCED).action).toBe('leave');
});

test('a pod that no controller would create again is evicted with force alone', () => {
  expect(drainDecision(podWith({}), STRICT)).toEqual({
    action: 'refuse',
    reason: 'Pods that declare no controller (use --force to override)',
  });
  expect(drainDecision(podWith({}), { ...STRICT, force: true }).action).toBe('evict');
  const owner = { ...OWNER, controller: false };
  expect(drainDecision(podWith({ ownerReferences: [owner] }), STRICT).action).toBe('refuse');
});

test('a pod with data in an emptyDir is evicted only if the data may be lost', () => {
  const pod = podWith({ ownerReferences: [OWNER] }, EMPTY_DIR);
  expect(drainDecision(pod, { ...STRICT, force: true })).toEqual({
    action: 'refuse',
    reason: 'Pods with local storage (use --delete-emptydir-data to override)',
  });
  expect(drainDecision(pod, { ...STRICT, deleteEmptyDirData: true }).action).toBe('evict');
});

test.each(['Succeeded', 'Failed'])('a pod that has %s is evicted, whatever it is', (phase) => {
  const status = { phase };
  const daemon = podWith({ ownerReferences: [{ ...OWNER, kind: 'DaemonSet' }] }, { status });
  expect(drainDecision(daemon, STRICT).action).toBe('evict');
  expect(drainDecision(podWith({}, { ...EMPTY_DIR, status }), STRICT).action).toBe('evict');
});
