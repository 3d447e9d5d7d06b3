/**
 * Nodes that join a real cluster with a token, with certificates that live for a minute and a half: a
 * year of renewals within minutes.
 */
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:https';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { waitFor } from '../e2e/support/patience.ts';
import { readAuditLog } from './support/audit-log.ts';
import { BOOTSTRAP_TOKEN } from './support/bootstrap-objects.ts';
import { Cluster } from './support/cluster.ts';
import { ClusterNode } from './support/cluster-node.ts';
import { pod } from './support/workloads.ts';

/** kube-controller-manager dates them back by five minutes, so they are due within a minute. */
const LIFETIME = '90s';
const WAIT_MS = 100_000;
const SERVING = 'kubernetes.io/kubelet-serving';
const CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet';
/** May request a certificate, but is not approved automatically. */
const SLOW_TOKEN = { id: 'zzzzzz', secret: 'fedcba9876543210', group: 'system:bootstrappers:slow' };

interface RequestView {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly signerName: string;
    readonly username: string;
    readonly usages: readonly string[];
  };
  readonly status: { readonly conditions?: readonly JsonObject[]; readonly certificate?: string };
}

interface NodeView {
  readonly status: {
    readonly daemonEndpoints: { readonly kubeletEndpoint: { readonly Port: number } };
  };
}

interface ClientIdentity {
  readonly subject?: { readonly commonName: string; readonly organization?: string };
  readonly token?: string;
}

interface NodeAnswer {
  readonly code: number;
  readonly body: string;
}

class JoiningCluster extends Cluster {
  /** What a node that joins with a token is given; none of its files exist yet. */
  newcomer(name: string, token: string, more: readonly string[] = [], config: JsonObject = {}) {
    const folder = path.join(this.folder, name);
    mkdirSync(folder, { recursive: true });
    const [bootstrap, kubeconfig] = ['bootstrap', 'kubeconfig'].map((file) =>
      path.join(folder, file),
    );
    const certificates = path.join(folder, 'pki');
    writeFileSync(bootstrap ?? '', this.#bootstrapKubeconfig(token));
    const words = ['--bootstrap-kubeconfig', bootstrap ?? '', '--cert-dir', certificates];
    const node = new ClusterNode(this.plane, folder, {
      name,
      runtime: 'process',
      config: { tlsCertFile: '', tlsPrivateKeyFile: '', rotateCertificates: true, ...config },
      more: ['--kubeconfig', kubeconfig ?? '', ...words, ...more],
    });
    this.nodes.push(node);
    return { node, folder, certificates, kubeconfig: kubeconfig ?? '' };
  }

  async requests(signer: string, user: string): Promise<readonly RequestView[]> {
    const list = await this.get('/apis/certificates.k8s.io/v1/certificatesigningrequests');
    const items = (list?.['items'] ?? []) as unknown as readonly RequestView[];
    return items.filter(({ spec }) => spec.signerName === signer && spec.username === user);
  }

  /** As an administrator would, for each request of the node. */
  async approveServing(user: string): Promise<void> {
    for (const { metadata, status } of await this.requests(SERVING, user)) {
      if (!status.conditions) await this.kubectl(`certificate approve ${metadata.name}`);
    }
  }

  /** Directly to the node, whose certificate must be one of the cluster for this address. */
  async askNode(name: string, where: string, who: ClientIdentity): Promise<NodeAnswer> {
    const { authority } = this.plane;
    const node = (await this.exists(`/api/v1/nodes/${name}`)) as unknown as NodeView;
    const port = node.status.daemonEndpoints.kubeletEndpoint.Port;
    const ca = readFileSync(authority.pair.certificate, 'utf8');
    const pair =
      who.subject && authority.issue(`clientIdentity-${who.subject.commonName}`, who.subject);
    const agent = new Agent({
      ca,
      ...(pair && { cert: readFileSync(pair.certificate), key: readFileSync(pair.key) }),
    });
    const headers = who.token === undefined ? {} : { authorization: `Bearer ${who.token}` };
    return new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port, path: where, agent, headers }, (response) => {
        text(response).then((body) => resolve({ code: response.statusCode ?? 0, body }), reject);
      }).on('error', reject);
    });
  }

  #bootstrapKubeconfig(token: string): string {
    const ca = readFileSync(this.plane.authority.pair.certificate).toString('base64');
    const server = this.plane.address;
    return JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': ca } }],
      users: [{ name: 'u', user: { token } }],
    });
  }
}

const cluster = new JoiningCluster('joining', { signingDuration: LIFETIME });
beforeAll(async () => {
  await cluster.start();
  await cluster.apply(...slowTokenObjects());
});
afterAll(() => cluster.remove());

const tokenOf = ({ id, secret }: { readonly id: string; readonly secret: string }): string =>
  `${id}.${secret}`;

describe('a node with a token', () => {
  const NAME = 'joined-1';
  const USER = `system:node:${NAME}`;
  let place: ReturnType<JoiningCluster['newcomer']>;

  const shown = (prefix: string): X509Certificate =>
    new X509Certificate(readFileSync(path.join(place.certificates, `${prefix}-current.pem`)));

  beforeAll(async () => {
    const flags = [
      ...['--node-labels', 'pool=blue,node.kubernetes.io/shelf=7', '--node-ip', '127.0.0.1'],
      ...['--register-with-taints', 'example.com/new=yes:PreferNoSchedule'],
    ];
    place = cluster.newcomer(NAME, tokenOf(BOOTSTRAP_TOKEN), flags, {
      serverTLSBootstrap: true,
      providerID: 'shelf://7',
      // A denial is not cached, so that a grant takes effect soon.
      authorization: { webhook: { cacheUnauthorizedTTL: '1ms', cacheAuthorizedTTL: '1s' } },
    });
    await place.node.start();
  });

  test('requests a certificate with its token, and gets it and a kubeconfig that uses it', async () => {
    const [request] = await cluster.requests(CLIENT, `system:bootstrap:${BOOTSTRAP_TOKEN.id}`);
    expect(request?.metadata.name).toMatch(/^node-csr-/);
    expect(request?.spec.usages).toEqual(['digital signature', 'client auth']);
    expect(shown('kubelet-client').subject).toBe(`O=system:nodes\nCN=${USER}`);
    expect(readFileSync(place.kubeconfig, 'utf8')).toContain('kubelet-client-current.pem');
    expect(statSync(place.kubeconfig).mode & 0o777).toBe(0o600);
    expect(readdirSync(place.certificates)).not.toContain('kubelet-client.key.tmp');
  });

  test('registers with its flags', async () => {
    const node = await cluster.exists(`/api/v1/nodes/${NAME}`);
    expect(node).toMatchObject({
      metadata: {
        labels: {
          pool: 'blue',
          'node.kubernetes.io/shelf': '7',
          'kubernetes.io/hostname': NAME,
          'kubernetes.io/os': 'linux',
        },
      },
      spec: {
        providerID: 'shelf://7',
        taints: expect.arrayContaining([
          { key: 'example.com/new', value: 'yes', effect: 'PreferNoSchedule' },
        ]),
      },
      status: {
        addresses: [
          { type: 'InternalIP', address: '127.0.0.1' },
          { type: 'Hostname', address: NAME },
        ],
      },
    });
  });

  test('refuses every connection until its serving certificate is approved', async () => {
    await cluster.apply(...talksAndWhatItReads(NAME));
    await cluster.ready('talks');
    const { code, stderr } = await cluster.attempt('logs talks');
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/tls|handshake/i);
    await cluster.approveServing(USER);
    await waitFor({ what: 'the log through the API server', deadlineMs: WAIT_MS }, async () => {
      await cluster.approveServing(USER);
      const logs = await cluster.attempt('logs talks');
      return logs.stdout === 'from a map, from a secret, with a token\n' ? true : undefined;
    });
    expect(shown('kubelet-server').subjectAltName).toBe(`DNS:${NAME}, IP Address:127.0.0.1`);
    expect(await cluster.kubectl('exec talks -- echo from inside')).toBe('from inside\n');
  });

  test('shows its static pods in the cluster', async () => {
    writeFileSync(
      path.join(place.node.manifests, 'static.json'),
      JSON.stringify(pod({ name: 'static', script: 'exec sleep 600' })),
    );
    const { metadata } = await cluster.ready(`static-${NAME}`);
    expect(metadata.annotations).toHaveProperty('kubernetes.io/config.mirror');
  });

  test('has both certificates renewed while it works, and uses the new ones immediately', async () => {
    const [client, server] = [shown('kubelet-client'), shown('kubelet-server')];
    const patience = { what: 'both to be replaced', deadlineMs: WAIT_MS };
    await waitFor({ ...patience, explain: () => place.node.tail }, async () => {
      await cluster.approveServing(USER);
      expect((await cluster.attempt('exec talks -- true')).code).toBe(0);
      const isNew = [shown('kubelet-client'), shown('kubelet-server')].every(
        ({ serialNumber }) =>
          serialNumber !== client.serialNumber && serialNumber !== server.serialNumber,
      );
      return isNew ? true : undefined;
    });
    expect((await cluster.requests(CLIENT, USER)).length).toBeGreaterThan(0);
    const subject = { commonName: 'prometheus', organization: 'system:masters' };
    const { body: metrics } = await cluster.askNode(NAME, '/metrics', { subject });
    expect(metrics).toMatch(/^kubelet_certificate_manager_client_ttl_seconds -?\d+$/m);
    expect(metrics).toMatch(/^kubelet_certificate_manager_server_ttl_seconds -?\d+$/m);
    expect(metrics).toMatch(/^kubelet_certificate_manager_client_expiration_renew_errors 0$/m);
  });

  test('authenticates its clients by certificates and tokens, and authorizes them with the cluster', async () => {
    const ask = (who: ClientIdentity) => cluster.askNode(NAME, '/metrics', who);
    expect((await ask({})).code).toBe(401);
    expect((await ask({ token: 'nobody.knows.it' })).code).toBe(401);
    expect((await ask({ subject: { commonName: 'passer-by' } })).code).toBe(403);
    await cluster.kubectl('create serviceaccount reader');
    const token = (await cluster.kubectl('create token reader')).trim();
    const { code, body } = await ask({ token });
    expect(code).toBe(403);
    expect(body).toContain('user=system:serviceaccount:default:reader, verb=get, resource=nodes');
    await cluster.kubectl('create clusterrole metrics --verb=get --resource=nodes/metrics');
    const account = '--serviceaccount=default:reader';
    await cluster.kubectl(`create clusterrolebinding metrics --clusterrole=metrics ${account}`);
    await waitFor({ what: 'the grant to be seen', deadlineMs: WAIT_MS }, async () =>
      (await ask({ token })).code === 200 ? true : undefined,
    );
  });

  test('outlives its first certificate, and is never refused anything', async () => {
    const over = Date.parse(shown('kubelet-client').validTo);
    const patience = { what: 'its certificate to be over', deadlineMs: 2 * WAIT_MS };
    await waitFor(patience, async () => {
      await cluster.approveServing(USER);
      return Date.now() > over + 1000 ? true : undefined;
    });
    await cluster.kubectl('delete pod talks --wait=true');
    const asked = readAuditLog(cluster.plane.auditLog).filter(({ user }) => user === USER);
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.filter(({ code }) => code === 401 || code === 403)).toEqual([]);
  }, 240_000);

  test('starts again without its token, with its own identity', async () => {
    writeFileSync(path.join(place.folder, 'bootstrap'), 'nothing of use');
    await place.node.restart('SIGKILL');
    await cluster.apply(
      pod({
        name: 'after',
        script: 'echo again; exec sleep 600',
        pod: { nodeName: NAME, tolerations: [{ operator: 'Exists' }] },
      }),
    );
    const after = await cluster.ready('after');
    expect(after.spec.nodeName).toBe(NAME);
    await cluster.kubectl('delete pod after --wait=true');
  });
});

test('a node that is killed while it waits has one request to approve, and joins by it', async () => {
  const { node, kubeconfig } = cluster.newcomer('joined-2', tokenOf(SLOW_TOKEN));
  const user = `system:bootstrap:${SLOW_TOKEN.id}`;
  for (let deaths = 0; deaths < 2; deaths += 1) {
    const starting = node.start().catch(() => undefined);
    await waitFor({ what: 'the request', deadlineMs: WAIT_MS }, async () => {
      const isWaiting = node.log.split('"event":"certificate"').length > deaths + 1;
      return isWaiting && (await cluster.requests(CLIENT, user)).length > 0 ? true : undefined;
    });
    await node.stop('SIGKILL');
    await starting;
  }
  expect(existsSync(kubeconfig)).toBe(false);
  const requests = await cluster.requests(CLIENT, user);
  expect(requests).toHaveLength(1);
  await cluster.kubectl(`certificate approve ${requests[0]?.metadata.name}`);
  await node.start();
  expect(await cluster.requests(CLIENT, user)).toHaveLength(1);
});

test('an unknown token is reported, with what to do', async () => {
  const { node } = cluster.newcomer('joined-3', 'abcdef.wrongwrongwrong1');
  await expect(node.start()).rejects.toThrow(/podkeep ended with 1/);
  expect(node.log).toContain('JOIN_REFUSED');
});

/** Node authorization lets a node read only what its pods name, one by one. */
function talksAndWhatItReads(nodeName: string): readonly JsonObject[] {
  const metadata = { name: 'words' };
  const token = '/var/run/secrets/kubernetes.io/serviceaccount/token';
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: 'from a map' } },
    { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { text: 'from a secret' } },
    pod({
      name: 'talks',
      script: `echo "$(cat /words/text), $SECRET, $(test -s ${token} && echo with a token)"; exec sleep 600`,
      container: {
        env: [{ name: 'SECRET', valueFrom: { secretKeyRef: { name: 'words', key: 'text' } } }],
        volumeMounts: [{ name: 'words', mountPath: '/words' }],
      },
      pod: {
        nodeName,
        tolerations: [{ operator: 'Exists' }],
        volumes: [{ name: 'words', configMap: { name: 'words' } }],
      },
    }),
  ];
}

function slowTokenObjects(): readonly JsonObject[] {
  const { id, secret, group } = SLOW_TOKEN;
  const apiGroup = 'rbac.authorization.k8s.io';
  return [
    {
      apiVersion: `${apiGroup}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'slow-bootstrap' },
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'system:node-bootstrapper' },
      subjects: [{ apiGroup, kind: 'Group', name: group }],
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
      type: 'bootstrap.kubernetes.io/token',
      stringData: {
        'token-id': id,
        'token-secret': secret,
        'usage-bootstrap-authentication': 'true',
        'auth-extra-groups': group,
      },
    },
  ];
}
