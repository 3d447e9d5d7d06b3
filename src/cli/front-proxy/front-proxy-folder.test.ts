import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { seededRandom } from '../../platform/seeded-random.ts';
import { openFrontProxyFolder } from './front-proxy-folder.ts';

const DAY_MS = 86_400_000;

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'podkeep-front-proxy-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

test('the authority is one of its own, and signs the client certificate', async () => {
  const pki = await openFrontProxyFolder(folder(), {
    clock: new VirtualClock(),
    random: seededRandom(1),
  });
  const [ca, client] = [new X509Certificate(pki.caCert), new X509Certificate(pki.cert)];
  expect([ca.subject, client.subject]).toEqual(['CN=front-proxy-ca', 'CN=front-proxy-client']);
  expect(client.verify(ca.publicKey)).toBe(true);
});

test('both stay over restarts, and only their owner can read the keys', async () => {
  const [at, options] = [folder(), { clock: new VirtualClock(), random: seededRandom(1) }];
  const first = await openFrontProxyFolder(at, options);
  expect(await openFrontProxyFolder(at, options)).toEqual(first);
  for (const name of ['front-proxy-ca.key', 'front-proxy-client.key']) {
    expect(statSync(path.join(at, name)).mode & 0o077).toBe(0);
  }
});

test('a damaged or old client certificate is made again, by the same authority', async () => {
  const [at, clock] = [folder(), new VirtualClock()];
  const options = { clock, random: seededRandom(1) };
  const first = await openFrontProxyFolder(at, options);
  writeFileSync(path.join(at, 'front-proxy-client.crt'), 'damaged');
  const second = await openFrontProxyFolder(at, options);
  expect(second.caCert).toBe(first.caCert);
  expect(second.cert).not.toBe(first.cert);
  await clock.pass(340 * DAY_MS);
  const third = await openFrontProxyFolder(at, options);
  expect(third.caCert).toBe(first.caCert);
  expect(third.cert).not.toBe(second.cert);
});

test('a client certificate of another authority does not count', async () => {
  const at = folder();
  const options = { clock: new VirtualClock(), random: seededRandom(1) };
  const first = await openFrontProxyFolder(at, options);
  writeFileSync(path.join(at, 'front-proxy-ca.crt'), 'damaged');
  const second = await openFrontProxyFolder(at, options);
  expect(second.caCert).not.toBe(first.caCert);
  const client = new X509Certificate(second.cert);
  expect(client.verify(new X509Certificate(second.caCert).publicKey)).toBe(true);
});
