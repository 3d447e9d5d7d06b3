import { describe, expect, test } from 'vitest';
import { clientTemplate } from '../../core/certificates/certificate-template.ts';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { refusal, SigningHarness } from '../../../test/support/signing-harness.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { makeKey, readPair } from './certificate-pair.ts';
import { requestCertificate } from './certificate-request.ts';

const SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';

function harness(name = '', key = makeKey(), known?: SigningHarness) {
  const clock = new VirtualClock();
  const api = known ?? new SigningHarness(clock);
  const abort = new AbortController();
  const asked: unknown[] = [];
  const ask = (template = clientTemplate('n1')) =>
    settle(
      requestCertificate(
        { api: api, clock, log: silentLog, asked: (...words) => asked.push(words) },
        { template, key, name, signer: SIGNER, waitMs: 900_000 },
        abort.signal,
      ),
    );
  return { clock, api, abort, ask, asked, key };
}

/** So that an early rejection is not reported as unhandled. */
function settle<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}

test('a certificate that is approved while the request is watched belongs to the key', async () => {
  const { clock, api, ask, asked: notified, key } = harness();
  const asked = ask();
  await clock.pass(10_000);
  expect(notified).toEqual([['csr-1', SIGNER]]);
  const [request] = api.requests;
  expect(request?.spec).toMatchObject({
    signerName: SIGNER,
    usages: ['digital signature', 'client auth'],
  });
  if (request) api.approve(request);
  expect(readPair(await asked, key, 'the desk')).toMatchObject(clientTemplate('n1'));
  expect(clock.pending).toBe(0);
  expect(api.watches).toBe(0);
});

test('a watch that ends is restarted with a list, so that nothing is missed', async () => {
  const { clock, api, ask } = harness();
  const asked = ask();
  await clock.pass(1000);
  api.cutWatches();
  await clock.pass(1);
  expect(api.watches).toBe(0);
  const [request] = api.requests;
  if (request) api.approve(request);
  await clock.pass(2000);
  expect(await asked).toContain('BEGIN CERTIFICATE');
});

test('a server that is unavailable for a while is asked again', async () => {
  const { clock, api, ask } = harness();
  api.fault = ({ method }) => (method === 'GET' ? new Error('away') : undefined);
  const asked = ask();
  await clock.pass(20_000);
  api.fault = () => undefined;
  const [request] = api.requests;
  if (request) api.approve(request);
  await clock.pass(16_000);
  expect(await asked).toContain('BEGIN CERTIFICATE');
});

test('a silent watch is given up after 75 s and restarted', async () => {
  const { clock, api, ask, abort } = harness();
  const asked = ask();
  await clock.pass(74_000);
  expect(api.sent).toHaveLength(2);
  await clock.pass(4000);
  expect(api.sent).toHaveLength(3);
  abort.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
  expect(clock.pending).toBe(0);
});

describe('a request that is refused', () => {
  test.each([
    ['Denied', /csr-1 was denied: Why, words/],
    ['Failed', /csr-1 could not be signed: Why, words/],
  ])('%s', async (type, words) => {
    const { clock, api, ask } = harness();
    const asked = ask();
    await clock.pass(1000);
    api.answer('csr-1', { conditions: [{ type, reason: 'Why', message: 'words' }] });
    await expect(asked).rejects.toThrow(words);
    await expect(asked).rejects.toMatchObject({ code: 'CERTIFICATE_REFUSED' });
  });

  test('deleted', async () => {
    const { clock, api, ask } = harness();
    const asked = ask();
    await clock.pass(1000);
    api.remove('csr-1');
    await expect(asked).rejects.toThrow(/csr-1 is lost: it was deleted/);
  });

  test('not answered in time', async () => {
    const { clock, ask } = harness();
    const asked = ask();
    await clock.pass(900_000);
    await expect(asked).rejects.toMatchObject({ code: 'CERTIFICATE_OVERDUE' });
    expect(clock.pending).toBe(0);
  });

  test('not accepted by the API server', async () => {
    const { api, ask } = harness();
    api.fault = () => refusal(403, 'Forbidden');
    await expect(ask()).rejects.toMatchObject({ statusCode: 403 });
  });
});

describe('a request that already exists', () => {
  test('is used if it has the same key and is for the same node', async () => {
    const before = harness('node-csr-1');
    const dying = before.ask();
    await before.clock.pass(1000);
    before.abort.abort(new Error('it died'));
    await expect(dying).rejects.toThrow('it died');
    const [request] = before.api.requests;
    if (request) before.api.approve(request);
    const after = harness('node-csr-1', before.key, before.api);
    expect(readPair(await after.ask(), before.key, 'the desk')).toMatchObject(clientTemplate('n1'));
    expect(before.api.requests).toHaveLength(1);
  });

  test('is not used if it was made with another key', async () => {
    const { api, ask, clock, abort } = harness('node-csr-1');
    const first = ask();
    await clock.pass(1000);
    abort.abort(new Error('it died'));
    await expect(first).rejects.toThrow('it died');
    const other = harness('node-csr-1', makeKey(), api);
    await expect(other.ask()).rejects.toThrow(/it was made with another key/);
  });

  test('is not used if it is for another subject', async () => {
    const { api, ask, clock } = harness('node-csr-1');
    api.isGenerous = true;
    await ask(clientTemplate('n2'));
    await expect(ask()).rejects.toThrow(/node-csr-1 exists already: it has another subject/);
    expect(await ask(clientTemplate('n2'))).toContain('BEGIN CERTIFICATE');
    await clock.pass(2 * api.lifeMs);
    await expect(ask(clientTemplate('n2'))).rejects.toThrow(/its certificate has expired/);
  });
});
