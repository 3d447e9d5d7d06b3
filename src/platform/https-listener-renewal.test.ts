import { once } from 'node:events';
import { expect, test } from 'vitest';
import { createPki } from '../apiserver/pki/pki.ts';
import { ListenerHarness, text } from '../../test/support/listener-harness.ts';
import type { ClientIdentity } from '../ports/api/http-handler.ts';
import { seededRandom } from './seeded-random.ts';
import { systemClock } from './system-clock.ts';

async function harnessAndOther() {
  const clientIdentities: ClientIdentity[] = [];
  const harness = await ListenerHarness.open((_request, clientIdentity) => {
    clientIdentities.push(clientIdentity);
    return text('hello');
  });
  const other = await createPki({ clock: systemClock, random: seededRandom(8) });
  return { harness, other, clientIdentities };
}

test('new connections get the new certificate, and existing ones stay open', async () => {
  const { harness, other } = await harnessAndOther();
  const { caCert: ca } = harness.pki;
  const session = await harness.session();
  harness.listener.renew({ cert: other.serverCert, key: other.serverKey, ca });
  expect((await harness.http2({}, undefined, session)).body).toBe('hello');
  const newcomer = harness.http1({ agent: false });
  await expect(newcomer).rejects.toThrow(/self-signed|unable to verify/);
  const trusting = harness.http1({ agent: false, ca: other.caCert });
  expect((await trusting).body).toBe('hello');
});

test('another authority counts immediately, and idle clients of the old one must reconnect', async () => {
  const { harness, other, clientIdentities } = await harnessAndOther();
  const { serverCert: cert, serverKey: key, adminCert, adminKey, caCert } = harness.pki;
  const session = await harness.session({ cert: adminCert, key: adminKey });
  await harness.http2({}, undefined, session);
  const gone = once(session, 'close');
  harness.listener.renew({ cert, key, ca: other.caCert });
  await gone;
  await harness.http1({ agent: false, ca: caCert, cert: adminCert, key: adminKey });
  await harness.http1({ agent: false, ca: caCert, cert: other.adminCert, key: other.adminKey });
  const [before, after, others] = clientIdentities;
  expect(before).toEqual({ address: '127.0.0.1', certificate: expect.anything() });
  expect(after).toEqual({ address: '127.0.0.1', certificateFault: expect.stringMatching(/.+/) });
  expect(others).toEqual({ address: '127.0.0.1', certificate: expect.anything() });
});
