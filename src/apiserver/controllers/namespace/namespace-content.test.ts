import { expect, test } from 'vitest';
import type { JsonObject } from '../../../lib/json.ts';
import { configMaps } from '../../kinds/core/config-map.ts';
import { pods } from '../../kinds/core/pods.ts';
import { evaluateRemains, NOTHING_LEFT } from './namespace-content.ts';

const DELETED_MS = Date.UTC(2030, 0, 1);
const namespace = { metadata: { name: 'shop', deletionTimestamp: '2030-01-01T00:00:00Z' } };
const pod = (seconds: number, phase = 'Running'): JsonObject => ({
  metadata: {},
  spec: { terminationGracePeriodSeconds: seconds },
  status: { phase },
});

test('an empty namespace has nothing remaining', () => {
  const lists = { before: [pod(30)], after: [] };
  expect(evaluateRemains(namespace, pods, lists, DELETED_MS)).toBe(NOTHING_LEFT);
});

test('pods have the longest of their grace periods, counted from the deletion of the namespace', () => {
  const all = [pod(30), pod(60), pod(600, 'Failed')];
  const remains = evaluateRemains(namespace, pods, { before: all, after: all }, DELETED_MS + 1000);
  expect(remains).toMatchObject({ count: 3, graceEndsMs: DELETED_MS + 60_000, failure: null });
});

test('pods that remain after their grace period are unexpected', () => {
  const all = [pod(30)];
  const at = (ms: number) =>
    evaluateRemains(namespace, pods, { before: all, after: all }, DELETED_MS + ms);
  expect(at(29_999).failure).toBeNull();
  expect(at(30_000).failure).toBe(
    'unexpected items still remain in namespace: shop for gvr: /v1, Resource=pods',
  );
});

test('other objects have no grace period, but finalizers may hold them', () => {
  const held = [{ metadata: { finalizers: ['x/a', 'x/b'] } }];
  const free = [{ metadata: {} }];
  const evaluate = (after: readonly JsonObject[]) =>
    evaluateRemains(namespace, configMaps, { before: after, after }, DELETED_MS);
  expect(evaluate(held)).toMatchObject({ finalizers: ['x/a', 'x/b'], failure: null });
  expect(evaluate(free).failure).toContain('Resource=configmaps');
});
