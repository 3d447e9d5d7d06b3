/** The controllers of roles and certificates. */
import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';

import { ClusterRoleAggregator } from '../../src/apiserver/auth/rbac/cluster-role-aggregator.ts';
import { textOf } from '../../src/apiserver/objects/metadata.ts';
import { CertificateSigner } from '../../src/apiserver/pki/certificate-signer.ts';
import { createPki } from '../../src/apiserver/pki/pki.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { makeCertificateRequest } from '../support/certificate-requests.ts';
import { AccessHarness, RBAC, type Answer } from './access-harness.ts';

describe('aggregated roles', () => {
  const ROLES = `${RBAC}/clusterroles`;
  const rules = [{ verbs: ['get'], apiGroups: ['example.com'], resources: ['things'] }];
  const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };

  test('follow the roles that they gather, over several steps', async () => {
    const harness = await AccessHarness.open();
    const aggregator = new ClusterRoleAggregator(harness.server.parts);
    const has = async (name: string): Promise<boolean> => {
      await aggregator.settled();
      const { body } = await harness.admin('GET', `${ROLES}/${name}`);
      return JSON.stringify(body['rules']).includes('example.com');
    };
    await harness.admin('POST', ROLES, { metadata: { name: 'things', labels }, rules });
    expect([await has('view'), await has('edit'), await has('admin')]).toEqual([true, true, true]);
    await harness.admin('DELETE', `${ROLES}/things`);
    expect([await has('view'), await has('edit'), await has('admin')]).toEqual([
      false,
      false,
      false,
    ]);
    await aggregator.stop();
    await harness.admin('POST', ROLES, { metadata: { name: 'things', labels }, rules });
    expect(await has('view')).toBe(false);
  });
});

describe('certificate signing requests', () => {
  const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  const CLIENT = 'kubernetes.io/kube-apiserver-client';
  const KUBELET = 'kubernetes.io/kube-apiserver-client-kubelet';

  const makeRequest = (commonName: string, ...organizations: readonly string[]): string =>
    makeCertificateRequest({ commonName, organizations });

  async function open(): Promise<{
    harness: AccessHarness;
    signer: CertificateSigner;
    ca: string;
  }> {
    const harness = await AccessHarness.open();
    const { parts } = harness.server;
    const { caCert: cert, caKey: key } = await createPki(parts);
    return { harness, signer: new CertificateSigner(parts, { cert, key }), ca: cert };
  }

  const csr = (signerName: string, request: string, more: JsonObject = {}): JsonObject => ({
    metadata: { name: 'r' },
    spec: { signerName, request, usages: ['digital signature', 'client auth'], ...more },
  });

  async function approve(harness: AccessHarness, body: JsonObject): Promise<Answer> {
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Test' }];
    return harness.admin('PUT', `${REQUESTS}/r/approval`, { ...body, status: { conditions } });
  }

  test('record the requester, wait for approval, and are signed then', async () => {
    const { harness, signer, ca } = await open();
    await harness.allow('jane', {
      verbs: ['create'],
      apiGroups: ['certificates.k8s.io'],
      resources: ['certificatesigningrequests'],
    });
    const spec = { expirationSeconds: 3600, username: 'somebody-else' };
    const body = csr(CLIENT, makeRequest('jane', 'dev'), spec);
    const created = await harness.as('jane', 'POST', REQUESTS, body);
    expect(created.body.spec).toMatchObject({
      username: 'jane',
      groups: ['system:authenticated'],
    });
    await harness.clock.pass(0);
    expect((await harness.admin('GET', `${REQUESTS}/r`)).body.status).toEqual({});
    await approve(harness, created.body);
    await harness.clock.pass(0);
    const { certificate } = (await harness.admin('GET', `${REQUESTS}/r`)).body.status;
    const issued = new X509Certificate(Buffer.from(textOf(certificate), 'base64'));
    expect(issued.subject).toBe('O=dev\nCN=jane');
    expect(issued.verify(new X509Certificate(ca).publicKey)).toBe(true);
    expect(Date.parse(issued.validTo) - harness.clock.now()).toBe(3600_000);
    await signer.stop();
  });

  test('fail if they break a rule of their signer', async () => {
    const { harness } = await open();
    const created = await harness.admin('POST', REQUESTS, csr(KUBELET, makeRequest('jane', 'dev')));
    await approve(harness, created.body);
    await harness.clock.pass(0);
    const { body } = await harness.admin('GET', `${REQUESTS}/r`);
    expect(body.status['conditions']).toMatchObject([
      { type: 'Approved' },
      {
        type: 'Failed',
        status: 'True',
        reason: 'SignerValidationFailure',
        message: 'subject organization is not system:nodes',
      },
    ]);
  });

  test('never give the group system:masters', async () => {
    const { harness } = await open();
    const body = csr(CLIENT, makeRequest('jane', 'system:masters'));
    expect((await harness.admin('POST', REQUESTS, body)).body.message).toBe(
      'certificatesigningrequests.certificates.k8s.io "r" is forbidden: use of ' +
        'kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    );
  });

  test('of a kubelet are in its own name', async () => {
    const { harness } = await open();
    const ask = async (commonName: string): Promise<Answer> =>
      harness.node('n1', 'POST', REQUESTS, csr(KUBELET, makeRequest(commonName, 'system:nodes')));
    expect((await ask('system:node:n2')).body.message).toMatch(
      /can only create a node CSR with CN=system:node:n1$/,
    );
    expect((await ask('system:node:n1')).code).toBe(201);
  });

  test('are approved only by users with the permission for this signer', async () => {
    const { harness } = await open();
    const approval = {
      verbs: ['update', 'get'],
      apiGroups: ['certificates.k8s.io'],
      resources: ['certificatesigningrequests/approval'],
    };
    const signers = {
      verbs: ['approve'],
      apiGroups: ['certificates.k8s.io'],
      resources: ['signers'],
    };
    await harness.allow('jane', approval);
    await harness.allow('bob', approval, { ...signers, resourceNames: ['kubernetes.io/*'] });
    const { body } = await harness.admin('POST', REQUESTS, csr(CLIENT, makeRequest('x')));
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Test' }];
    const send = (user: string): Promise<Answer> =>
      harness.as(user, 'PUT', `${REQUESTS}/r/approval`, { ...body, status: { conditions } });
    expect((await send('jane')).body.message).toBe(
      'certificatesigningrequests.certificates.k8s.io "r" is forbidden: user not permitted to ' +
        `approve requests with signerName "${CLIENT}"`,
    );
    expect((await send('bob')).code).toBe(200);
  });
});
