import { expect, test } from 'vitest';
import { RECORDED_LEASE } from '../../../test/support/node-parts.ts';
import type { JsonObject } from '../../lib/json.ts';
import { newLease, renewedLease } from './lease.ts';

const facts = {
  nodeName: 'go-node',
  nodeUid: '<uid>',
  durationSeconds: 40,
  nowMs: Date.UTC(2030, 0, 2, 3, 4, 5, 6),
};

test('a new lease has what the recorded one has, except for what the server adds', () => {
  const { metadata, spec, ...rest } = RECORDED_LEASE;
  const { name, namespace, ownerReferences } = metadata as JsonObject;
  expect(newLease(facts)).toEqual({
    ...rest,
    metadata: { name, namespace, ownerReferences },
    spec: { ...(spec as JsonObject), renewTime: '2030-01-02T03:04:05.006000Z' },
  });
});

test('without the UID of the Node a lease can be renewed, not created', () => {
  const unknown = { ...facts, nodeUid: null };
  expect(newLease(unknown)).toBeNull();
  expect(renewedLease(RECORDED_LEASE, unknown)).toMatchObject({
    metadata: RECORDED_LEASE['metadata'],
    spec: { renewTime: '2030-01-02T03:04:05.006000Z', holderIdentity: 'go-node' },
  });
});

test('a Node that was created again becomes the owner', () => {
  const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'c' };
  const old = { apiVersion: 'v1', kind: 'Node', name: 'go-node', uid: 'old' };
  const lease = { metadata: { ownerReferences: [old, other] }, spec: {} };
  expect(renewedLease(lease, { ...facts, durationSeconds: 20 })).toEqual({
    metadata: {
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'go-node', uid: '<uid>' }, other],
    },
    spec: { leaseDurationSeconds: 20, renewTime: '2030-01-02T03:04:05.006000Z' },
  });
});
