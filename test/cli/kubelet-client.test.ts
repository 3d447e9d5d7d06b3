/**
 * The identity of `podkeep up`'s API server towards kubelets. A node chooses the address at which it is
 * dialled: with the credentials of an administrator it would gain the whole cluster by naming the API
 * server's.
 */
import { request } from 'node:https';
import { expect, onTestFinished, test } from 'vitest';
import { MASTER } from '../../src/apiserver/objects/access.ts';
import { startCluster, type Cluster } from '../../src/cli/cluster.ts';
import { locateDataFolder } from '../../src/cli/data-folder.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { silentLog as log } from '../support/silent-ports.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

async function openCluster(): Promise<Cluster> {
  const cluster = await startCluster({
    folder: locateDataFolder(makeTempFolder(), {}),
    port: 0,
    authorizationMode: 'RBAC',
    controllers: '',
    version: '0.0.0',
    log,
    out: () => {},
    onOpened: () => {},
  });
  onTestFinished(() => cluster.close());
  return cluster;
}

async function asAdmin(
  { server }: Cluster,
  method: string,
  path: string,
  body?: JsonObject,
): Promise<{ readonly code: number; readonly body: JsonObject }> {
  const sent = new Request(`https://podkeep${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const response = await server.fetch(sent, { user: MASTER });
  return { code: response.status, body: (await response.json()) as JsonObject };
}

/** A node that names the API server's own address and port. */
async function createImpostor(cluster: Cluster): Promise<void> {
  const { hostname, port } = new URL(cluster.url);
  await asAdmin(cluster, 'POST', '/api/v1/nodes', {
    metadata: { name: 'impostor' },
    status: {
      addresses: [{ type: 'InternalIP', address: hostname }],
      daemonEndpoints: { kubeletEndpoint: { Port: Number(port) } },
    },
  });
}

test('a node that names the address of the API server is not proxied to', async () => {
  const cluster = await openCluster();
  await createImpostor(cluster);
  const path = '/api/v1/nodes/impostor/proxy/api/v1/namespaces';
  expect(await asAdmin(cluster, 'GET', path)).toMatchObject({
    code: 400,
    body: { message: 'address not allowed' },
  });
});

test('a log of a pod on such a node is not requested: the certificate there is not its own', async () => {
  const cluster = await openCluster();
  await createImpostor(cluster);
  await asAdmin(cluster, 'POST', '/api/v1/namespaces/default/serviceaccounts', {
    metadata: { name: 'default' },
  });
  const pods = '/api/v1/namespaces/default/pods';
  const spec = { nodeName: 'impostor', containers: [{ name: 'a', image: 'a' }] };
  await asAdmin(cluster, 'POST', pods, { metadata: { name: 'a' }, spec });
  expect(await asAdmin(cluster, 'GET', `${pods}/a/log`)).toMatchObject({
    code: 500,
    body: { message: expect.stringContaining('not of system:node:impostor') },
  });
});

test('the certificate for kubelets reads nodes in the API, and nothing else', async () => {
  const cluster = await openCluster();
  await createImpostor(cluster);
  const codes: (readonly [string, number])[] = [];
  for (const path of ['nodes/impostor', 'namespaces', 'secrets', 'pods']) {
    codes.push([path, await statusOf(cluster, `/api/v1/${path}`)]);
  }
  expect(codes).toEqual([
    ['nodes/impostor', 200],
    ['namespaces', 403],
    ['secrets', 403],
    ['pods', 403],
  ]);
});

test.each(['proxy', 'stats', 'metrics', 'log', 'pods', 'healthz', 'configz'])(
  'a role lets it use nodes/%s of kubelets',
  async (subresource) => {
    const cluster = await openCluster();
    const { body } = await asAdmin(
      cluster,
      'POST',
      '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      {
        spec: {
          user: 'kube-apiserver-kubelet-client',
          groups: ['system:authenticated'],
          resourceAttributes: { verb: 'create', resource: 'nodes', subresource, name: 'n1' },
        },
      },
    );
    expect(body).toMatchObject({
      status: { allowed: true, reason: expect.stringContaining('system:kubelet-api-admin') },
    });
  },
);

function statusOf({ url, pki }: Cluster, path: string): Promise<number> {
  const { caCert: ca, kubeletClientCert: cert, kubeletClientKey: key } = pki;
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { ca, cert, key, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject).end();
  });
}
