import { once } from 'node:events';
import { request as requestHttps } from 'node:https';
import { expect, test } from 'vitest';
import { userOfCertificate } from '../../src/apiserver/auth/certificate-user.ts';
import { systemClock } from '../../src/platform/system-clock.ts';
import { isJsonObject } from '../../src/lib/json.ts';
import type { KubeRequest } from '../../src/ports/api/kube-api.ts';
import { ReviewAccess } from '../../src/server/auth/review-access.ts';
import { ListenerHarness } from '../support/listener-harness.ts';
import { promisesSettled } from '../support/virtual-clock.ts';
import { ADMIN, bodyOf, kubeletHarness, startPod } from './kubelet-server-harness.ts';

const LOG = '/containerLogs/default/web/main';

/** system:masters has all rights. */
function review({ body }: KubeRequest) {
  const spec = isJsonObject(body) && isJsonObject(body['spec']) ? body['spec'] : {};
  const { groups } = spec;
  const allowed = Array.isArray(groups) && groups.includes('system:masters');
  return Promise.resolve({ status: { allowed, authenticated: false } });
}

async function open(lines: number) {
  const output = Array.from({ length: lines }, (_, index) => ({
    text: `line ${index} ${'x'.repeat(100)}`,
    afterMs: 0,
  }));
  const access = new ReviewAccess({
    clock: systemClock,
    api: { send: review },
    certificateUser: userOfCertificate,
  });
  const harness = kubeletHarness({ access, scripts: () => ({ output }) });
  await startPod(harness, 'web');
  await harness.clock.pass(1);
  const { server } = harness;
  const listener = await ListenerHarness.open(
    (request, clientIdentity) => server.answer(request, clientIdentity),
    {},
    (request, connection, clientIdentity) => server.connect(request, connection, clientIdentity),
  );
  const text = output.map((line) => `${line.text}\n`).join('');
  const { adminCert: cert, adminKey: key, caCert: ca } = listener.pki;
  const { host, port } = listener.listener;
  return {
    ...harness,
    listener,
    text,
    client: { host, port, ca, cert, key, agent: false as const },
  };
}

test('only clients with a certificate are accepted, and a long log arrives complete', async () => {
  const { listener, client, text } = await open(2000);
  const stranger = await listener.http1({ path: LOG });
  expect([stranger.status, stranger.body]).toEqual([401, 'Unauthorized']);
  const forged = await listener.http1({ path: LOG, headers: { authorization: 'Bearer forged' } });
  expect(forged.status).toBe(401);
  const { status, body } = await listener.http1({ ...client, path: LOG });
  expect(status).toBe(200);
  expect(body === text).toBe(true);
});

test('a client that follows a log and disconnects is forgotten', async () => {
  const { client, ask, text } = await open(2);
  const outgoing = requestHttps({ ...client, path: `${LOG}?follow=true` });
  outgoing.on('error', () => {});
  outgoing.end();
  const [message] = await once(outgoing, 'response');
  let seen = '';
  for await (const chunk of message) {
    seen += String(chunk);
    if (seen.length >= text.length) break;
  }
  expect(seen).toBe(text);
  outgoing.destroy();
  const gauge = /^kubelet_http_inflight_requests\{.*path="containerLogs".*\} (\d+)$/m;
  const inFlight = async () => gauge.exec(await bodyOf(await ask('/metrics', ADMIN)))?.[1];
  while ((await inFlight()) !== '0') await promisesSettled();
  expect(await inFlight()).toBe('0');
});

test('an upgrade that is forbidden is answered in HTTP', async () => {
  const { client } = await open(1);
  const { cert: _cert, key: _key, ...stranger } = client;
  const outgoing = requestHttps({
    ...stranger,
    path: '/exec/default/web/main?command=ls',
    headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1' },
  });
  outgoing.end();
  const [message] = await once(outgoing, 'response');
  expect(message.statusCode).toBe(401);
});
