import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../src/lib/json.ts';
import type { Attributes } from '../../src/apiserver/objects/access.ts';
import { textOf } from '../../src/apiserver/objects/metadata.ts';
import { AccessHarness, ACCOUNTS, PODS, type Answer } from './access-harness.ts';

const NODES = '/api/v1/nodes';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const SECRETS = '/api/v1/namespaces/default/secrets';
const MIRROR = { 'kubernetes.io/config.mirror': 'hash' };

const codeOf = async (answer: Promise<Answer>): Promise<number> => (await answer).code;
const messageOf = async (answer: Promise<Answer>): Promise<string> => (await answer).body.message;

async function openWithPod(): Promise<AccessHarness> {
  const harness = await AccessHarness.open();
  for (const name of ['n1', 'n2']) await harness.admin('POST', NODES, { metadata: { name } });
  for (const name of ['of-web', 'of-others']) {
    await harness.admin('POST', SECRETS, { metadata: { name } });
  }
  await harness.admin('POST', PODS, {
    metadata: { name: 'web' },
    spec: {
      nodeName: 'n1',
      containers: [{ name: 'c', image: 'i', envFrom: [{ secretRef: { name: 'of-web' } }] }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    },
  });
  return harness;
}

describe('what a kubelet may read', () => {
  test('secrets of pods on its own node, one by one', async () => {
    const harness = await openWithPod();
    expect(await codeOf(harness.node('n1', 'GET', `${SECRETS}/of-web`))).toBe(200);
    expect(await messageOf(harness.node('n2', 'GET', `${SECRETS}/of-web`))).toBe(
      'secrets "of-web" is forbidden: User "system:node:n2" cannot get resource "secrets" in API ' +
        `group "" in the namespace "default": no relationship found between node 'n2' and this object`,
    );
    expect(await codeOf(harness.node('n1', 'GET', `${SECRETS}/of-others`))).toBe(403);
    expect(await messageOf(harness.node('n1', 'GET', SECRETS))).toMatch(/: No Object name found$/);
    expect(await messageOf(harness.node('n1', 'GET', '/api/v1/secrets'))).toMatch(
      /: can only read namespaced object of this type$/,
    );
    expect(await messageOf(harness.node('n1', 'DELETE', `${SECRETS}/of-web`))).toMatch(
      /: can only read resources of this type$/,
    );
  });

  test('only as long as the pod exists', async () => {
    const harness = await openWithPod();
    expect(await codeOf(harness.node('n1', 'GET', `${PODS}/web`))).toBe(200);
    await harness.admin('DELETE', `${PODS}/web?gracePeriodSeconds=0`);
    expect(await codeOf(harness.node('n1', 'GET', `${SECRETS}/of-web`))).toBe(403);
    expect(await codeOf(harness.node('n1', 'GET', `${PODS}/web`))).toBe(403);
  });

  test('volumes that are claimed by its pods, and the secrets of those volumes', async () => {
    const harness = await openWithPod();
    const volumes = '/api/v1/persistentvolumes';
    const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
    const size = { storage: '1Gi' };
    const accessModes = ['ReadWriteOnce'];
    await harness.admin('POST', claims, {
      metadata: { name: 'data' },
      spec: { accessModes, resources: { requests: size } },
    });
    await harness.admin('POST', volumes, {
      metadata: { name: 'v1' },
      spec: {
        capacity: size,
        accessModes,
        claimRef: { namespace: 'default', name: 'data' },
        csi: {
          driver: 'd',
          volumeHandle: 'h',
          nodeStageSecretRef: { namespace: 'default', name: 'of-others' },
        },
      },
    });
    expect(await codeOf(harness.node('n1', 'GET', `${claims}/data`))).toBe(200);
    expect(await codeOf(harness.node('n1', 'GET', `${volumes}/v1`))).toBe(200);
    expect(await codeOf(harness.node('n1', 'GET', `${SECRETS}/of-others`))).toBe(200);
    expect(await codeOf(harness.node('n2', 'GET', `${volumes}/v1`))).toBe(403);
    await harness.admin('DELETE', `${volumes}/v1`);
    expect(await codeOf(harness.node('n1', 'GET', `${SECRETS}/of-others`))).toBe(403);
  });

  test('its own node, and only the pods of its own node', async () => {
    const harness = await openWithPod();
    expect(await codeOf(harness.node('n1', 'GET', `${NODES}/n1`))).toBe(200);
    expect(await messageOf(harness.node('n1', 'GET', `${NODES}/n2`))).toMatch(
      /: node 'n1' cannot read 'n2', only its own Node object$/,
    );
    expect(await messageOf(harness.node('n1', 'GET', '/api/v1/pods'))).toMatch(
      /: can only list\/watch pods with spec\.nodeName field selector$/,
    );
    const list = {
      verb: 'list',
      group: '',
      version: 'v1',
      resource: 'pods',
      subresource: '',
      namespace: '',
      name: '',
    };
    const n1 = { name: 'system:node:n1', groups: ['system:nodes'] };
    const may = (value: string, operator: '=' | '!=' = '='): boolean => {
      const fieldSelector = [{ field: 'spec.nodeName', operator, value }];
      const wanted: Attributes = { ...list, ...{ fieldSelector } };
      return harness.access.authorize(n1, wanted).isAllowed;
    };
    expect([may('n1'), may('n2'), may('n1', '!=')]).toEqual([true, false, false]);
  });

  test('what every kubelet needs, and nothing without being in the group of nodes', async () => {
    const harness = await openWithPod();
    expect(await codeOf(harness.node('n1', 'GET', '/api/v1/services'))).toBe(200);
    const name = 'system:node:n1';
    const impostor = { name, groups: ['system:authenticated'] };
    expect(await codeOf(harness.as(impostor, 'GET', '/api/v1/services'))).toBe(403);
    expect(await codeOf(harness.as(impostor, 'GET', `${NODES}/n1`))).toBe(403);
  });
});

describe('what a kubelet may write', () => {
  test('its own node, without taints and labels that steer pods to it', async () => {
    const harness = await AccessHarness.open();
    const label = (key: string): JsonObject => ({ name: 'n1', labels: { [key]: 'x' } });
    expect(await messageOf(harness.node('n1', 'POST', NODES, { metadata: { name: 'n2' } }))).toBe(
      'nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
    );
    const restricted = 'node-restriction.kubernetes.io/team';
    expect(
      await messageOf(harness.node('n1', 'POST', NODES, { metadata: label(restricted) })),
    ).toBe(
      `nodes "n1" is forbidden: node "n1" is not allowed to set the following labels: ${restricted}`,
    );
    const created = await harness.node('n1', 'POST', NODES, {
      metadata: label('kubernetes.io/hostname'),
    });
    expect(created.code).toBe(201);
    const update = (change: JsonObject): Promise<Answer> =>
      harness.node('n1', 'PUT', `${NODES}/n1`, { ...created.body, ...change });
    const taints = [{ key: 'k', effect: 'NoSchedule' }];
    expect(await messageOf(update({ spec: { taints } }))).toBe(
      'nodes "n1" is forbidden: node "n1" is not allowed to modify taints',
    );
    const labels = { 'node-role.kubernetes.io/control-plane': '' };
    expect(await messageOf(update({ metadata: { name: 'n1', labels } }))).toMatch(
      /is not allowed to modify labels: node-role\.kubernetes\.io\/control-plane$/,
    );
  });

  test('its own lease and nothing else of that kind', async () => {
    const harness = await AccessHarness.open();
    const lease = (name: string): JsonObject => ({ metadata: { name }, spec: {} });
    expect(await codeOf(harness.node('n1', 'POST', LEASES, lease('n1')))).toBe(201);
    expect(await messageOf(harness.node('n1', 'POST', LEASES, lease('n2')))).toBe(
      'leases.coordination.k8s.io "n2" is forbidden: ' +
        'can only access node lease with the same name as the requesting node',
    );
    const elsewhere = LEASES.replace('kube-node-lease', 'default');
    expect(await messageOf(harness.node('n1', 'POST', elsewhere, lease('n1')))).toMatch(
      /: can only access leases in the "kube-node-lease" system namespace$/,
    );
  });

  test('the status of its pods, and no pod of another node', async () => {
    const harness = await openWithPod();
    const { body } = await harness.admin('GET', `${PODS}/web`);
    const write = (node: string, change: JsonObject = {}): Promise<Answer> =>
      harness.node(node, 'PUT', `${PODS}/web/status`, { ...body, ...change });
    expect(await codeOf(write('n1', { status: { phase: 'Running' } }))).toBe(200);
    const { body: now } = await harness.admin('GET', `${PODS}/web`);
    expect(await messageOf(write('n2', now))).toBe(
      'pods "web" is forbidden: node "n2" can only update pod status for pods with spec.nodeName ' +
        'set to itself',
    );
    expect(await messageOf(harness.node('n2', 'DELETE', `${PODS}/web`))).toBe(
      'pods "web" is forbidden: node "n2" can only delete pods with spec.nodeName set to itself',
    );
    const relabelled = { ...now, metadata: { ...now.metadata, labels: { a: 'b' } } };
    expect(await messageOf(write('n1', relabelled))).toMatch(
      /node "n1" cannot update labels through pod status$/,
    );
    expect(await codeOf(harness.node('n1', 'DELETE', `${PODS}/web`))).toBe(200);
  });

  test('mirror pods that belong to it and give it no further rights', async () => {
    const harness = await openWithPod();
    const node = await harness.admin('GET', `${NODES}/n1`);
    const owner = {
      apiVersion: 'v1',
      kind: 'Node',
      name: 'n1',
      uid: textOf(node.body.metadata['uid']),
      controller: true,
    };
    const mirror = (metadata: JsonObject, spec: JsonObject = {}): Promise<Answer> =>
      harness.node('n1', 'POST', PODS, {
        metadata: { name: 'static', annotations: MIRROR, ownerReferences: [owner], ...metadata },
        spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }], ...spec },
      });
    expect(await messageOf(mirror({ annotations: {} }))).toBe(
      'pods "static" is forbidden: pod does not have "kubernetes.io/config.mirror" annotation, ' +
        'node "n1" can only create mirror pods',
    );
    expect(await messageOf(mirror({}, { nodeName: 'n2' }))).toMatch(
      /can only create pods with spec\.nodeName set to itself$/,
    );
    expect(await messageOf(mirror({ ownerReferences: [] }))).toMatch(
      /can only create pods with an owner reference set to itself$/,
    );
    expect(await messageOf(mirror({ ownerReferences: [{ ...owner, uid: 'x' }] }))).toMatch(
      /node n1 UID mismatch: expected x got .+$/,
    );
    const volumes = [{ name: 'v', secret: { secretName: 'of-others' } }];
    expect(await messageOf(mirror({}, { volumes }))).toMatch(
      /node "n1" can not create pods that reference secrets$/,
    );
    expect(await codeOf(mirror({}))).toBe(201);
    // And it gives no rights afterwards either.
    expect(await codeOf(harness.node('n1', 'GET', `${SECRETS}/of-others`))).toBe(403);
  });
});

describe('tokens for a kubelet', () => {
  const TOKEN = `${ACCOUNTS}/default/token`;

  test('are bound to a pod on its node, for audiences that the pod names', async () => {
    const harness = await openWithPod();
    const { body: pod } = await harness.admin('GET', `${PODS}/web`);
    const { uid } = pod.metadata;
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: uid ?? '' };
    const ask = (node: string, spec: JsonObject): Promise<Answer> =>
      harness.node(node, 'POST', TOKEN, { spec });
    expect(await codeOf(ask('n1', { boundObjectRef, expirationSeconds: 3607 }))).toBe(201);
    expect(await codeOf(ask('n2', { boundObjectRef }))).toBe(403);
    expect(await messageOf(ask('n1', {}))).toBe(
      'serviceaccounts "default" is forbidden: node requested token not bound to a pod',
    );
    expect(await messageOf(ask('n1', { boundObjectRef: { ...boundObjectRef, uid: '' } }))).toMatch(
      /node requested token with a pod binding without a uid$/,
    );
    expect(await messageOf(ask('n1', { boundObjectRef, audiences: ['vault'] }))).toMatch(
      /audience "vault" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience$/,
    );
  });
});
