/** The listeners without authentication: over real sockets of this machine. */
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { readKubeletConfig, type KubeletConfig } from '../../src/cli/config/kubelet-config.ts';
import { kubeletAccess, LOCAL_READER } from '../../src/cli/node/server/kubelet-access.ts';
import { openPlainListeners } from '../../src/cli/node/server/plain-listeners.ts';
import type { HttpHandler, ClientIdentity } from '../../src/ports/api/http-handler.ts';
import { silentLog } from '../support/silent-ports.ts';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function open(fields: Partial<KubeletConfig>) {
  const clientIdentities: ClientIdentity[] = [];
  const warnings: string[] = [];
  const handler: HttpHandler = {
    answer: async ({ url }, clientIdentity) => {
      clientIdentities.push(clientIdentity);
      return { status: 200, headers: [], body: new URL(url).pathname };
    },
    connect: async (_request, { socket }) => void socket.destroy(),
  };
  const config = await readKubeletConfig(null, {
    address: '127.0.0.1',
    healthzPort: 0,
    ...fields,
  });
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
  const listeners = openPlainListeners({ config, handler, log });
  onTestFinished(() => listeners.close());
  return { clientIdentities, warnings };
}

async function ask(port: number, path: string, init: RequestInit = {}): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, init);
  return `${answer.status} ${(await answer.text()).trim()}`;
}

test('the health port serves health to every client on the machine, and nothing else', async () => {
  const healthzPort = await freePort();
  const { clientIdentities } = await open({ healthzPort });
  await expect.poll(() => ask(healthzPort, '/healthz').catch(() => '')).toBe('200 /healthz');
  expect(await ask(healthzPort, '/healthz/ping')).toBe('200 /healthz/ping');
  expect(await ask(healthzPort, '/readyz')).toBe('200 /readyz');
  for (const path of ['/pods', '/metrics', '/healthzx', '/']) {
    expect(await ask(healthzPort, path)).toBe('404 404 page not found');
  }
  expect(clientIdentities.every(({ user }) => user === LOCAL_READER)).toBe(true);
});

test('the read-only port serves pods, metrics and statistics, and no actions', async () => {
  const readOnlyPort = await freePort();
  await open({ readOnlyPort });
  await expect.poll(() => ask(readOnlyPort, '/pods').catch(() => '')).toBe('200 /pods');
  expect(await ask(readOnlyPort, '/metrics/cadvisor')).toBe('200 /metrics/cadvisor');
  expect(await ask(readOnlyPort, '/stats/summary')).toBe('200 /stats/summary');
  for (const path of ['/configz', '/containerLogs/a/b/c', '/run/a/b/c', '/exec/a/b/c', '/logs/']) {
    expect(await ask(readOnlyPort, path)).toBe('404 404 page not found');
  }
  expect(await ask(readOnlyPort, '/pods', { method: 'POST' })).toBe('404 404 page not found');
});

test('a port that another process has is a warning', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const { warnings } = await open({ healthzPort: port });
  await expect.poll(() => warnings).toHaveLength(1);
});

test('the reader of these listeners needs no authorization, and no other user of its name does', async () => {
  const config = await readKubeletConfig(null);
  const asked: string[] = [];
  const api = {
    send: async ({ path }: { readonly path: string }) => {
      asked.push(path);
      return { status: { allowed: false } };
    },
    watch: () => {
      throw new Error('nobody watches');
    },
  };
  const access = kubeletAccess(api, config);
  const attributes = { verb: 'get', nodeName: 'n1', subresource: 'pods' };
  expect(await access.authorize(LOCAL_READER, attributes)).toMatchObject({ allowed: true });
  expect(asked).toEqual([]);
  expect(await access.authorize({ ...LOCAL_READER }, attributes)).toMatchObject({ allowed: false });
});
