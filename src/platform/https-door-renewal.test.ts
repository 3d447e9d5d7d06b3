import { once } from 'node:events';
import { expect, test } from 'vitest';
import { createPki } from '../apiserver/pki/pki.ts';
import { DoorStage, text } from '../../test/support/door-stage.ts';
import type { ClientIdentity } from '../ports/http-handler.ts';
import { seededRandom } from './seeded-random.ts';
import { systemClock } from './system-clock.ts';

async function stageAndOther() {
  const clientIdentities: ClientIdentity[] = [];
  const stage = await DoorStage.open((_request, clientIdentity) => {
    clientIdentities.push(clientIdentity);
    return text('hello');
  });
  const other = await createPki({ clock: systemClock, random: seededRandom(8) });
  return { stage, other, clientIdentities };
}

test('a new certificate is shown to who comes next, and who is in stays in', async () => {
  const { stage, other } = await stageAndOther();
  const { caCert: ca } = stage.pki;
  const session = await stage.session();
  stage.door.renew({ cert: other.serverCert, key: other.serverKey, ca });
  expect((await stage.http2({}, undefined, session)).body).toBe('hello');
  const newcomer = stage.http1({ agent: false });
  await expect(newcomer).rejects.toThrow(/self-signed|unable to verify/);
  const trusting = stage.http1({ agent: false, ca: other.caCert });
  expect((await trusting).body).toBe('hello');
});

test('another authority counts at once, and whom the old one had let in come anew', async () => {
  const { stage, other, clientIdentities } = await stageAndOther();
  const { serverCert: cert, serverKey: key, adminCert, adminKey, caCert } = stage.pki;
  const session = await stage.session({ cert: adminCert, key: adminKey });
  await stage.http2({}, undefined, session);
  const gone = once(session, 'close');
  stage.door.renew({ cert, key, ca: other.caCert });
  await gone;
  await stage.http1({ agent: false, ca: caCert, cert: adminCert, key: adminKey });
  await stage.http1({ agent: false, ca: caCert, cert: other.adminCert, key: other.adminKey });
  const [before, after, others] = clientIdentities;
  expect(before).toEqual({ certificate: expect.anything() });
  expect(after).toEqual({ certificateFault: expect.stringMatching(/.+/) });
  expect(others).toEqual({ certificate: expect.anything() });
});
