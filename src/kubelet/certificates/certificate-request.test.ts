import { describe, expect, test } from 'vitest';
import { clientTemplate } from '../../core/certificates/certificate-template.ts';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { refusal, SigningDesk } from '../../../test/support/signing-desk.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { makeKey, readPair } from './certificate-pair.ts';
import { requestCertificate } from './certificate-request.ts';

const SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';

function stage(name = '', key = makeKey(), known?: SigningDesk) {
  const clock = new VirtualClock();
  const desk = known ?? new SigningDesk(clock);
  const abort = new AbortController();
  const asked: unknown[] = [];
  const ask = (template = clientTemplate('n1')) =>
    settle(
      requestCertificate(
        { api: desk, clock, log: silentLog, asked: (...words) => asked.push(words) },
        { template, key, name, signer: SIGNER, waitMs: 900_000 },
        abort.signal,
      ),
    );
  return { clock, desk, abort, ask, asked, key };
}

/** So that a rejection before anybody looks is no alarm. */
function settle<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}

test('a certificate that somebody approves while it is watched belongs to the key', async () => {
  const { clock, desk, ask, asked: told, key } = stage();
  const asked = ask();
  await clock.pass(10_000);
  expect(told).toEqual([['csr-1', SIGNER]]);
  const [request] = desk.requests;
  expect(request?.spec).toMatchObject({
    signerName: SIGNER,
    usages: ['digital signature', 'client auth'],
  });
  if (request) desk.approve(request);
  expect(readPair(await asked, key, 'the desk')).toMatchObject(clientTemplate('n1'));
  expect(clock.pending).toBe(0);
  expect(desk.watches).toBe(0);
});

test('a watch that ends is begun again with a list, so that nothing is missed', async () => {
  const { clock, desk, ask } = stage();
  const asked = ask();
  await clock.pass(1000);
  desk.cutWatches();
  await clock.pass(1);
  expect(desk.watches).toBe(0);
  const [request] = desk.requests;
  if (request) desk.approve(request);
  await clock.pass(2000);
  expect(await asked).toContain('BEGIN CERTIFICATE');
});

test('a server that is away for a while is asked again', async () => {
  const { clock, desk, ask } = stage();
  desk.fault = ({ method }) => (method === 'GET' ? new Error('away') : undefined);
  const asked = ask();
  await clock.pass(20_000);
  desk.fault = () => undefined;
  const [request] = desk.requests;
  if (request) desk.approve(request);
  await clock.pass(16_000);
  expect(await asked).toContain('BEGIN CERTIFICATE');
});

test('a silent watch is given up after 75 s and begun again', async () => {
  const { clock, desk, ask, abort } = stage();
  const asked = ask();
  await clock.pass(74_000);
  expect(desk.sent).toHaveLength(2);
  await clock.pass(4000);
  expect(desk.sent).toHaveLength(3);
  abort.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
  expect(clock.pending).toBe(0);
});

describe('an answer that is no', () => {
  test.each([
    ['Denied', /csr-1 was denied: Why, words/],
    ['Failed', /csr-1 could not be signed: Why, words/],
  ])('%s', async (type, words) => {
    const { clock, desk, ask } = stage();
    const asked = ask();
    await clock.pass(1000);
    desk.answer('csr-1', { conditions: [{ type, reason: 'Why', message: 'words' }] });
    await expect(asked).rejects.toThrow(words);
    await expect(asked).rejects.toMatchObject({ code: 'CERTIFICATE_REFUSED' });
  });

  test('deleted', async () => {
    const { clock, desk, ask } = stage();
    const asked = ask();
    await clock.pass(1000);
    desk.remove('csr-1');
    await expect(asked).rejects.toThrow(/csr-1 is lost: somebody deleted it/);
  });

  test('none in time', async () => {
    const { clock, ask } = stage();
    const asked = ask();
    await clock.pass(900_000);
    await expect(asked).rejects.toMatchObject({ code: 'CERTIFICATE_OVERDUE' });
    expect(clock.pending).toBe(0);
  });

  test('not even the question is taken', async () => {
    const { desk, ask } = stage();
    desk.fault = () => refusal(403, 'Forbidden');
    await expect(ask()).rejects.toMatchObject({ statusCode: 403 });
  });
});

describe('a request that is there already', () => {
  test('is taken up if it is of the same key and for the same node', async () => {
    const before = stage('node-csr-1');
    const dying = before.ask();
    await before.clock.pass(1000);
    before.abort.abort(new Error('it died'));
    await expect(dying).rejects.toThrow('it died');
    const [request] = before.desk.requests;
    if (request) before.desk.approve(request);
    const after = stage('node-csr-1', before.key, before.desk);
    expect(readPair(await after.ask(), before.key, 'the desk')).toMatchObject(clientTemplate('n1'));
    expect(before.desk.requests).toHaveLength(1);
  });

  test('is not ours if it was made with another key', async () => {
    const { desk, ask, clock, abort } = stage('node-csr-1');
    const first = ask();
    await clock.pass(1000);
    abort.abort(new Error('it died'));
    await expect(first).rejects.toThrow('it died');
    const other = stage('node-csr-1', makeKey(), desk);
    await expect(other.ask()).rejects.toThrow(/it was made with another key/);
  });

  test('is not ours if it is for somebody else', async () => {
    const { desk, ask, clock } = stage('node-csr-1');
    desk.isGenerous = true;
    await ask(clientTemplate('n2'));
    await expect(ask()).rejects.toThrow(/node-csr-1 is there already: it is for somebody else/);
    expect(await ask(clientTemplate('n2'))).toContain('BEGIN CERTIFICATE');
    await clock.pass(2 * desk.lifeMs);
    await expect(ask(clientTemplate('n2'))).rejects.toThrow(/its certificate has expired/);
  });
});
