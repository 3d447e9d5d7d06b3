/** Certificate requests of nodes: who gets a certificate without a person, who does not, and when requests go. */
import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';

import { startControllers } from '../../src/apiserver/controllers/controllers.ts';
import type { User } from '../../src/apiserver/objects/access.ts';
import { textOf } from '../../src/apiserver/objects/metadata.ts';
import { CertificateSigner } from '../../src/apiserver/pki/certificate-signer.ts';
import { createPki } from '../../src/apiserver/pki/pki.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { makeCertificateRequest } from '../support/certificate-requests.ts';
import { AccessHarness, clusterRole, RBAC, type Answer } from './access-harness.ts';

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const KUBELET = 'kubernetes.io/kube-apiserver-client-kubelet';
const CLIENT = 'kubernetes.io/kube-apiserver-client';
const AUTO = 'system:certificates.k8s.io:certificatesigningrequests';
const HOUR_MS = 3_600_000;

const BOOTSTRAP: User = { name: 'joining', groups: ['joiners', 'system:authenticated'] };
const node = (name: string): User => ({
  name: `system:node:${name}`,
  groups: ['system:nodes', 'system:authenticated'],
});

class CertificateHarness {
  readonly access: AccessHarness;
  #stop: () => Promise<void> = async () => {};

  constructor(access: AccessHarness) {
    this.access = access;
  }

  static async open(): Promise<CertificateHarness> {
    const harness = new CertificateHarness(await AccessHarness.open());
    await harness.bind('joiners', 'system:node-bootstrapper');
    await harness.start();
    return harness;
  }

  async start(): Promise<void> {
    const { server, access } = this.access;
    const { caCert: cert, caKey: key } = await createPki(server.parts);
    const signer = new CertificateSigner(server.parts, { cert, key });
    const controllers = startControllers(server.parts, {
      controllers: new Set(['certificate-approver', 'certificate-cleaner']),
      authorize: (user, attributes) => access.authorize(user, attributes),
    });
    this.#stop = async () => void (await Promise.all([signer.stop(), controllers.stop()]));
  }

  stop(): Promise<void> {
    return this.#stop();
  }

  async bind(group: string, role: string): Promise<void> {
    await this.access.admin('POST', `${RBAC}/clusterrolebindings`, {
      metadata: { name: `${group}-${role}` },
      roleRef: clusterRole(role),
      subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: group }],
    });
    await this.settle();
  }

  async settle(ms = 0): Promise<void> {
    await this.access.clock.pass(ms);
    await this.access.clock.pass(0);
  }

  async ask(user: User, commonName: string, more: JsonObject = {}): Promise<Answer> {
    const request = makeCertificateRequest({ commonName, organizations: ['system:nodes'] });
    const usages = ['digital signature', 'client auth'];
    const body = {
      metadata: { name: 'r' },
      spec: { signerName: KUBELET, request, usages, ...more },
    };
    const answer = await this.access.as(user, 'POST', REQUESTS, body);
    await this.settle();
    return answer;
  }

  read(): Promise<Answer> {
    return this.access.admin('GET', `${REQUESTS}/r`);
  }

  async subject(): Promise<string | null> {
    const { certificate } = (await this.read()).body.status;
    if (certificate === undefined) return null;
    return new X509Certificate(Buffer.from(textOf(certificate), 'base64')).subject;
  }

  async decide(type: string): Promise<void> {
    const conditions = [{ type, status: 'True', reason: 'Test' }];
    const { body } = await this.read();
    await this.access.admin('PUT', `${REQUESTS}/r/approval`, { ...body, status: { conditions } });
    await this.settle();
  }
}

describe('a certificate without a person', () => {
  test('is for a machine that joins, if its credential may create nodeclient', async () => {
    const harness = await CertificateHarness.open();
    await harness.bind('joiners', `${AUTO}:nodeclient`);
    expect((await harness.ask(BOOTSTRAP, 'system:node:n1')).code).toBe(201);
    expect(await harness.subject()).toBe('O=system:nodes\nCN=system:node:n1');
    expect((await harness.read()).body.status['conditions']).toMatchObject([
      {
        type: 'Approved',
        status: 'True',
        reason: 'AutoApproved',
        message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
        lastUpdateTime: expect.any(String),
        lastTransitionTime: expect.any(String),
      },
    ]);
    await harness.stop();
  });

  test('is for a node that renews its own, if nodes may create selfnodeclient', async () => {
    const harness = await CertificateHarness.open();
    await harness.bind('system:nodes', `${AUTO}:selfnodeclient`);
    await harness.ask(node('n1'), 'system:node:n1');
    expect(await harness.subject()).toBe('O=system:nodes\nCN=system:node:n1');
    const [{ message }] = (await harness.read()).body.status['conditions'] as [JsonObject];
    expect(message).toBe(
      'Auto approving self kubelet client certificate after SubjectAccessReview.',
    );
    await harness.stop();
  });

  test('is refused by default, and given as soon as a binding allows it', async () => {
    const harness = await CertificateHarness.open();
    await harness.ask(BOOTSTRAP, 'system:node:n1');
    await harness.settle(HOUR_MS);
    expect((await harness.read()).body.status).toEqual({});
    await harness.bind('joiners', `${AUTO}:nodeclient`);
    expect(await harness.subject()).toBe('O=system:nodes\nCN=system:node:n1');
    await harness.stop();
  });

  test('is not for another node: selfnodeclient is for oneself only', async () => {
    const harness = await CertificateHarness.open();
    await harness.bind('joiners', `${AUTO}:selfnodeclient`);
    await harness.ask(BOOTSTRAP, 'system:node:n1');
    expect((await harness.read()).body.status).toEqual({});
    const { code, body } = await harness.ask(node('n2'), 'system:node:n1');
    expect([code, body.message]).toEqual([403, expect.stringContaining('CN=system:node:n2')]);
    await harness.stop();
  });

  test.each([
    ['for its server', { signerName: 'kubernetes.io/kubelet-serving' }],
    ['for another purpose', { usages: ['digital signature', 'client auth', 'server auth'] }],
    ['of another signer', { signerName: CLIENT }],
  ])('is not %s', async (_, more) => {
    const harness = await CertificateHarness.open();
    await harness.bind('joiners', `${AUTO}:nodeclient`);
    await harness.ask(BOOTSTRAP, 'system:node:n1', more);
    expect((await harness.read()).body.status).toEqual({});
    await harness.stop();
  });

  test('is not for system:masters beside system:nodes', async () => {
    const harness = await CertificateHarness.open();
    await harness.bind('joiners', `${AUTO}:nodeclient`);
    const organizations = ['system:nodes', 'system:masters'];
    const request = makeCertificateRequest({ commonName: 'system:node:n1', organizations });
    await harness.ask(BOOTSTRAP, '', { request });
    expect((await harness.read()).body.status).toEqual({});
    // Approved by an administrator, the signer still refuses it.
    await harness.decide('Approved');
    expect(await harness.subject()).toBeNull();
    expect((await harness.read()).body.status['conditions']).toMatchObject([
      { type: 'Approved' },
      { type: 'Failed', message: 'subject organization is not system:nodes' },
    ]);
    await harness.stop();
  });

  test('is not for a client that only claims to be the node', async () => {
    const harness = await CertificateHarness.open();
    await harness.bind('system:nodes', `${AUTO}:selfnodeclient`);
    const claims = { username: 'system:node:n1', groups: ['system:nodes'] };
    await harness.ask(BOOTSTRAP, 'system:node:n1', claims);
    const { spec, status } = (await harness.read()).body;
    expect([spec['username'], status]).toEqual(['joining', {}]);
    await harness.stop();
  });

  test('was requested while podkeep was down: the next start approves it', async () => {
    const harness = new CertificateHarness(await AccessHarness.open());
    await harness.bind('joiners', 'system:node-bootstrapper');
    await harness.bind('joiners', `${AUTO}:nodeclient`);
    await harness.ask(BOOTSTRAP, 'system:node:n1');
    await harness.start();
    await harness.settle();
    expect(await harness.subject()).toBe('O=system:nodes\nCN=system:node:n1');
    await harness.stop();
  });
});

describe('who may not', () => {
  const right = (verb: string, resource: string, ...names: readonly string[]): JsonObject => ({
    verbs: [verb],
    apiGroups: ['certificates.k8s.io'],
    resources: [resource],
    ...(names.length > 0 && { resourceNames: [...names] }),
  });
  const FORGED = Buffer.from('-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n');

  test('sign for a signer writes neither a certificate nor a failure', async () => {
    const { access } = await CertificateHarness.open();
    const update = right('update', 'certificatesigningrequests/status');
    await access.allow('eve', update);
    const others = right('sign', 'signers', 'example.com/other', 'example.org/*');
    await access.allow('mallory', update, others, right('approve', 'signers'));
    const request = makeCertificateRequest({ commonName: 'x' });
    const spec = { signerName: 'example.com/s', request, usages: ['client auth'] };
    const made = await access.admin('POST', REQUESTS, { metadata: { name: 'r' }, spec });
    const { caCert } = await createPki(access.server.parts);
    const certificate = Buffer.from(caCert).toString('base64');
    const conditions = [{ type: 'Failed', status: 'True', reason: 'Test' }];
    const tries: readonly (readonly [string, JsonObject])[] = [
      ['eve', { certificate }],
      ['eve', { conditions }],
      ['mallory', { certificate }],
    ];
    const path = `${REQUESTS}/r/status`;
    for (const [user, status] of tries) {
      const { code, body } = await access.as(user, 'PUT', path, { ...made.body, status });
      expect([code, body.message]).toEqual([
        403,
        'certificatesigningrequests.certificates.k8s.io "r" is forbidden: user not permitted to ' +
          'sign requests with signerName "example.com/s"',
      ]);
    }
    const labels = { team: 'a' };
    const metadata = { ...made.body.metadata, labels };
    const same = await access.as('eve', 'PUT', path, { ...made.body, metadata });
    expect(same.code).toBe(200);
  });

  test('a signer with the permission for its domain writes certificates, and only those', async () => {
    const { access } = await CertificateHarness.open();
    const status = right('update', 'certificatesigningrequests/status');
    await access.allow('signer', status, right('sign', 'signers', 'example.com/*'));
    const request = makeCertificateRequest({ commonName: 'x' });
    const spec = { signerName: 'example.com/s', request, usages: ['client auth'] };
    const made = await access.admin('POST', REQUESTS, { metadata: { name: 'r' }, spec });
    const { caCert } = await createPki(access.server.parts);
    const send = (bytes: Buffer): Promise<Answer> =>
      access.as('signer', 'PUT', `${REQUESTS}/r/status`, {
        ...made.body,
        status: { certificate: bytes.toString('base64') },
      });
    const prefix =
      'CertificateSigningRequest.certificates.k8s.io "r" is invalid: ' +
      'status.certificate: Invalid value: "<certificate data>": ';
    const key = Buffer.from('-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n');
    expect((await send(key)).body.message).toBe(
      `${prefix}only CERTIFICATE PEM blocks are allowed, found "PRIVATE KEY"`,
    );
    expect((await send(Buffer.from('x'))).body.message).toBe(
      `${prefix}must contain at least one CERTIFICATE PEM block`,
    );
    expect((await send(FORGED)).code).toBe(422);
    expect((await send(Buffer.from(caCert))).code).toBe(200);
  });

  test('requests that cannot be read, or that their key has not signed, are not stored', async () => {
    const { access } = await CertificateHarness.open();
    const pem = Buffer.from(makeCertificateRequest({ commonName: 'x' }), 'base64').toString();
    const lines = pem.trimEnd().split('\n');
    // The last byte of the signature is another one.
    const der = Buffer.from(lines.slice(1, -1).join(''), 'base64');
    der.writeUInt8((der.at(-1) ?? 0) ^ 1, der.byteLength - 1);
    const forged = [lines[0], der.toString('base64'), lines.at(-1)].join('\n');
    for (const text of [forged, 'no PEM', `${lines[0]}\nAAAA\n${lines.at(-1)}\n`]) {
      const request = Buffer.from(text).toString('base64');
      const spec = { signerName: CLIENT, request, usages: ['client auth'] };
      const answer = await access.admin('POST', REQUESTS, { metadata: { name: 'r' }, spec });
      expect([answer.code, answer.body.message]).toEqual([
        422,
        expect.stringContaining('spec.request: Invalid value'),
      ]);
    }
  });

  test('the legacy signer takes no new requests', async () => {
    const { access } = await CertificateHarness.open();
    const request = makeCertificateRequest({ commonName: 'x', organizations: ['system:masters'] });
    const spec = { signerName: 'kubernetes.io/legacy-unknown', request, usages: ['client auth'] };
    const { body } = await access.admin('POST', REQUESTS, { metadata: { name: 'r' }, spec });
    expect(body.message).toContain('the legacy signerName is not allowed via this API version');
  });
});

describe('a request is removed', () => {
  test('an hour after its certificate was issued', async () => {
    const harness = await CertificateHarness.open();
    await harness.bind('joiners', `${AUTO}:nodeclient`);
    await harness.ask(BOOTSTRAP, 'system:node:n1');
    await harness.settle(HOUR_MS - 60_000);
    expect((await harness.read()).code).toBe(200);
    await harness.settle(120_000);
    expect((await harness.read()).code).toBe(404);
    await harness.stop();
  });

  test('an hour after it was denied', async () => {
    const harness = await CertificateHarness.open();
    await harness.ask(BOOTSTRAP, 'system:node:n1');
    await harness.settle(5 * HOUR_MS);
    await harness.decide('Denied');
    await harness.settle(HOUR_MS - 60_000);
    expect((await harness.read()).code).toBe(200);
    await harness.settle(120_000);
    expect((await harness.read()).code).toBe(404);
    await harness.stop();
  });

  test('a day after it was made, if no one has decided, also over a restart', async () => {
    const harness = await CertificateHarness.open();
    await harness.ask(BOOTSTRAP, 'system:node:n1');
    await harness.settle(23 * HOUR_MS);
    await harness.stop();
    await harness.start();
    await harness.settle();
    expect((await harness.read()).code).toBe(200);
    await harness.settle(HOUR_MS + 60_000);
    expect((await harness.read()).code).toBe(404);
    await harness.stop();
  });
});
