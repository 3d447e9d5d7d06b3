import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { seededRandom } from '../../platform/seeded-random.ts';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { refusal, SigningHarness } from '../../../test/support/signing-harness.ts';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { filesSettled, VirtualClock } from '../../../test/support/virtual-clock.ts';
import { CertificateStore } from './certificate-store.ts';
import { obtainFirstCertificate } from './first-certificate.ts';

function harness() {
  const clock = new VirtualClock(undefined, filesSettled);
  const api = new SigningHarness(clock);
  const folder = path.join(makeTempFolder(), 'pki');
  const store = new CertificateStore({ clock, folder, prefix: 'kubelet-client' });
  const keyFile = path.join(folder, 'kubelet-client.key.tmp');
  /** Starts as a new podkeep would, on the same folder. */
  const join = () => {
    const abort = new AbortController();
    const options = { clock, random: seededRandom(1), log: silentLog, nodeName: 'n1' };
    const joined = obtainFirstCertificate(
      { ...options, asked: () => {}, api: api, store, folder },
      abort.signal,
    );
    joined.catch(() => {});
    return { joined, die: () => abort.abort(new Error('it died')) };
  };
  return { clock, api, folder, store, keyFile, join };
}

test('a node gets its first certificate, and leaves no unused key behind', async () => {
  const { clock, api, store, keyFile, join } = harness();
  const { joined } = join();
  await clock.pass(1000);
  const [request] = api.requests;
  expect(request?.metadata.name).toMatch(/^node-csr-[\w-]{43}$/);
  expect(existsSync(keyFile)).toBe(true);
  if (request) api.approve(request);
  const pair = await joined;
  expect(pair).toMatchObject({ commonName: 'system:node:n1', organizations: ['system:nodes'] });
  expect(await store.current()).toEqual(pair);
  expect(existsSync(keyFile)).toBe(false);
});

test('however often it dies while it waits, there is one request to approve', async () => {
  const { clock, api, join } = harness();
  for (let deaths = 0; deaths < 3; deaths += 1) {
    const { joined, die } = join();
    await clock.pass(1000);
    die();
    await expect(joined).rejects.toThrow('it died');
  }
  expect(api.requests).toHaveLength(1);
  const { joined } = join();
  await clock.pass(1000);
  const [request] = api.requests;
  if (request) api.approve(request);
  expect((await joined).commonName).toBe('system:node:n1');
});

test('a podkeep that died after it had its certificate requests it with the same key and gets it again', async () => {
  const { api, join } = harness();
  api.isGenerous = true;
  const first = await join().joined;
  expect(await join().joined).toEqual(first);
  expect(api.requests).toHaveLength(1);
});

test('an expired certificate is replaced through another request', async () => {
  const { clock, api, join } = harness();
  api.isGenerous = true;
  const first = await join().joined;
  await clock.pass(2 * api.lifeMs);
  const { joined } = join();
  await clock.pass(10_000);
  const second = await joined;
  expect(second.key).not.toBe(first.key);
  expect(api.requests).toHaveLength(2);
});

test('a damaged key is replaced', async () => {
  const { api, folder, keyFile, join } = harness();
  api.isGenerous = true;
  mkdirSync(folder);
  writeFileSync(keyFile, 'half of a key');
  expect((await join().joined).commonName).toBe('system:node:n1');
});

test('a server that cannot be reached is asked again', async () => {
  const { clock, api, keyFile, join } = harness();
  api.isGenerous = true;
  api.fault = () => refusal(503, 'ServiceUnavailable');
  const { joined } = join();
  await clock.pass(1000);
  const key = readFileSync(keyFile, 'utf8');
  await clock.pass(60_000);
  expect(readFileSync(keyFile, 'utf8')).toBe(key);
  api.fault = () => undefined;
  await clock.pass(40_000);
  expect((await joined).key.trim()).toBe(key.trim());
});

test('refused credentials are reported at once', async () => {
  const { api, join } = harness();
  api.fault = () => refusal(401, 'Unauthorized');
  await expect(join().joined).rejects.toMatchObject({ code: 'JOIN_REFUSED' });
});

test('a denied request is reported, and the next start does not make another', async () => {
  const { clock, api, join, folder } = harness();
  const { joined } = join();
  await clock.pass(1000);
  const name = api.requests[0]?.metadata.name ?? '';
  api.answer(name, { conditions: [{ type: 'Denied', reason: 'No', message: 'not here' }] });
  await expect(joined).rejects.toMatchObject({ code: 'CERTIFICATE_REFUSED' });
  await expect(join().joined).rejects.toThrow(/was denied: No, not here/);
  expect(api.requests).toHaveLength(1);
  expect(readdirSync(folder)).toEqual(['kubelet-client.key.tmp']);
});
