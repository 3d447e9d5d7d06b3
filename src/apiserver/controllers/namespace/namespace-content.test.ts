import { expect, test } from 'vitest';
import type { JsonObject } from '../../../lib/json.ts';
import { configMaps } from '../../kinds/config-map.ts';
import { pods } from '../../kinds/pods.ts';
import { judgeRemains, NOTHING_LEFT } from './namespace-content.ts';

const DELETED_MS = Date.UTC(2030, 0, 1);
const namespace = { metadata: { name: 'shop', deletionTimestamp: '2030-01-01T00:00:00Z' } };
const pod = (seconds: number, phase = 'Running'): JsonObject => ({
  metadata: {},
  spec: { terminationGracePeriodSeconds: seconds },
  status: { phase },
});

test('nothing is left when nothing is left', () => {
  const lists = { before: [pod(30)], after: [] };
  expect(judgeRemains(namespace, pods, lists, DELETED_MS)).toBe(NOTHING_LEFT);
});

test('pods have the longest of their graces, counted from the deletion of the namespace', () => {
  const all = [pod(30), pod(60), pod(600, 'Failed')];
  const remains = judgeRemains(namespace, pods, { before: all, after: all }, DELETED_MS + 1000);
  expect(remains).toMatchObject({ count: 3, graceEndsMs: DELETED_MS + 60_000, failure: null });
});

test('after that they are unexpected', () => {
  const all = [pod(30)];
  const at = (ms: number) =>
    judgeRemains(namespace, pods, { before: all, after: all }, DELETED_MS + ms);
  expect(at(29_999).failure).toBeNull();
  expect(at(30_000).failure).toBe(
    'unexpected items still remain in namespace: shop for gvr: /v1, Resource=pods',
  );
});

test('other objects have no grace, but may be held by finalizers', () => {
  const held = [{ metadata: { finalizers: ['x/a', 'x/b'] } }];
  const free = [{ metadata: {} }];
  const judge = (after: readonly JsonObject[]) =>
    judgeRemains(namespace, configMaps, { before: after, after }, DELETED_MS);
  expect(judge(held)).toMatchObject({ finalizers: ['x/a', 'x/b'], failure: null });
  expect(judge(free).failure).toContain('Resource=configmaps');
});
