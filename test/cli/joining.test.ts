/** A node joins the embedded API server over TLS, as it would join any other. */
import { ApiError } from '../../src/ports/api/api-client.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startCluster } from '../../src/cli/cluster.ts';
import { ClosingList } from '../../src/cli/closing-list.ts';
import { locateDataFolder } from '../../src/cli/data-folder.ts';
import { openClusterLink } from '../../src/cli/node/cluster-link.ts';
import { createKubeApi } from '../../src/client/kube-api.ts';
import { loadKubeconfig } from '../../src/client/kubeconfig/kubeconfig.ts';
import { createHttpsTransport } from '../../src/client/transport/https-transport.ts';
import { REQUESTS_PATH } from '../../src/core/certificates/signing-request.ts';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import { Registry } from '../../src/lib/metrics/registry.ts';
import { systemClock as clock } from '../../src/platform/system-clock.ts';
import type { KubeApi } from '../../src/ports/api/kube-api.ts';
import { silentLog } from '../support/silent-ports.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const version = '0.0.0';

async function harness() {
  const root = makeTempFolder();
  const folder = locateDataFolder(path.join(root, 'cluster'), {});
  const cluster = await startCluster({
    folder,
    port: 0,
    authorizationMode: 'RBAC',
    controllers: '*',
    version,
    log: silentLog,
    out: () => {},
    onOpened: () => {},
  });
  onTestFinished(() => cluster.close());
  const places = {
    adminKubeconfig: folder.kubeconfig,
    kubeconfig: path.join(root, 'node', 'kubeconfig'),
    certificates: path.join(root, 'pki'),
  };
  return { ...places, admin: await adminOf(folder.kubeconfig) };
}

async function adminOf(kubeconfig: string): Promise<KubeApi> {
  const ports = { clock, log: silentLog, environment: {} };
  const transport = createHttpsTransport(await loadKubeconfig(kubeconfig), ports);
  onTestFinished(() => transport.close());
  return createKubeApi(transport, { clock, version });
}

interface Link {
  readonly kubeconfig: string;
  readonly bootstrapKubeconfig?: string;
  readonly certificates: string;
  readonly rotates: boolean;
}

async function open({ certificates, ...link }: Link, asked: (request: string) => void) {
  const closing = new ClosingList();
  onTestFinished(() => closing.run());
  return openClusterLink(
    {
      ...link,
      nodeName: 'n1',
      certificateFolder: certificates,
      version,
      environment: {},
      log: silentLog,
      registry: new Registry(),
      requests: { answered: () => {} },
      asked,
    },
    closing,
    new AbortController().signal,
  );
}

/** As `kubectl certificate approve`. */
async function approve(admin: KubeApi, name: string): Promise<void> {
  const path = `${REQUESTS_PATH}/${name}`;
  const request = await admin.send({ method: 'GET', path });
  const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: 'yes' }];
  const body: JsonObject = { ...request, status: { conditions } };
  await admin.send({ method: 'PUT', path: `${path}/approval`, body }).catch((error: unknown) => {
    // The controller that approves kubelets' certificates was faster.
    if (!(error instanceof ApiError && error.statusCode === 409)) throw error;
  });
}

async function whoIs(api: KubeApi): Promise<unknown> {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const kind = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const { status } = await api.send({ method: 'POST', path, body: kind });
  return isJsonObject(status) && isJsonObject(status['userInfo'])
    ? status['userInfo']['username']
    : null;
}

test('a node joins, has its own identity from then on, and needs no other credentials any more', async () => {
  const { admin, kubeconfig, certificates, ...places } = await harness();
  const names: string[] = [];
  const place = {
    kubeconfig,
    certificates,
    bootstrapKubeconfig: places.adminKubeconfig,
    rotates: false,
  };
  const api = await open(place, (name) => {
    names.push(name);
    void approve(admin, name);
  });
  expect(await whoIs(api)).toBe('system:node:n1');
  expect(readFileSync(kubeconfig, 'utf8')).toContain('kubelet-client-current.pem');
  const again = await open({ ...place, bootstrapKubeconfig: '/nowhere' }, (name) => {
    names.push(name);
  });
  expect(await whoIs(again)).toBe('system:node:n1');
  expect(names).toHaveLength(1);
});

test('with rotation, a certificate inside the kubeconfig is replaced immediately', async () => {
  const { admin, certificates, ...places } = await harness();
  const kubeconfig = path.join(makeTempFolder(), 'kubeconfig');
  writeFileSync(kubeconfig, readFileSync(places.adminKubeconfig));
  const api = await open({ kubeconfig, certificates, rotates: true }, (name) => {
    void approve(admin, name);
  });
  await expect.poll(() => whoIs(api), { timeout: 10_000 }).toBe('system:node:n1');
  const next = await open({ kubeconfig, certificates, rotates: true }, () => {
    throw new Error('what it keeps is good');
  });
  expect(await whoIs(next)).toBe('system:node:n1');
});

test('without a bootstrap kubeconfig the kubeconfig must exist', async () => {
  const { certificates } = await harness();
  const place = { kubeconfig: '/nowhere/kubeconfig', certificates, rotates: false };
  await expect(open(place, () => {})).rejects.toMatchObject({ code: 'KUBECONFIG_UNREADABLE' });
});
