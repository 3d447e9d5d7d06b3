import { expect, test } from 'vitest';
import { nameOf } from '../../../src/apiserver/objects/metadata.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { ControllerHarness, type HarnessOptions } from './controller-harness.ts';

const SHOP = '/api/v1/namespaces/shop';
const CA = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

async function openShop(options: HarnessOptions): Promise<ControllerHarness> {
  const harness = await ControllerHarness.open(options);
  await harness.make('/api/v1/namespaces', 'shop');
  await harness.settle();
  return harness;
}

test('every namespace has a default account, which is created again after a deletion', async () => {
  const harness = await openShop({ controllers: ['serviceaccount'] });
  const first = await harness.get(`${SHOP}/serviceaccounts/default`);
  expect(first.code).toBe(200);
  await harness.remove(`${SHOP}/serviceaccounts/default`);
  await harness.settle();
  const second = await harness.get(`${SHOP}/serviceaccounts/default`);
  expect(second.body.metadata['uid']).not.toBe(first.body.metadata['uid']);
});

test('a terminating namespace gets no new account', async () => {
  const harness = await openShop({ controllers: ['serviceaccount'] });
  await harness.remove(SHOP);
  await harness.remove(`${SHOP}/serviceaccounts/default`);
  await harness.settle(60_000);
  expect(await harness.has(`${SHOP}/serviceaccounts/default`)).toBe(false);
});

test('every namespace has the CA certificate, and a changed one is corrected', async () => {
  const harness = await openShop({ controllers: ['root-ca-certificate'], certificatePem: CA });
  const path = `${SHOP}/configmaps/kube-root-ca.crt`;
  const published = { data: { 'ca.crt': CA } };
  expect((await harness.get(path)).body).toMatchObject(published);
  await harness.patch(path, { data: { 'ca.crt': 'mine', more: 'x' } });
  await harness.settle();
  expect((await harness.get(path)).body['data']).toEqual({ 'ca.crt': CA });
  await harness.patch(path, { metadata: { annotations: null } });
  await harness.settle();
  expect((await harness.get(path)).body.metadata['annotations']).toEqual({
    'kubernetes.io/description': expect.stringContaining('verify the kube-apiserver'),
  });
  await harness.remove(path);
  await harness.settle();
  expect((await harness.get(path)).body).toMatchObject(published);
});

test('a user’s own description of the CA ConfigMap is kept', async () => {
  const harness = await openShop({ controllers: ['root-ca-certificate'], certificatePem: CA });
  const path = `${SHOP}/configmaps/kube-root-ca.crt`;
  const annotations = { 'kubernetes.io/description': 'ours' };
  await harness.patch(path, { metadata: { annotations } });
  await harness.settle();
  expect((await harness.get(path)).body.metadata['annotations']).toEqual(annotations);
});

const tokens: HarnessOptions = {
  controllers: ['serviceaccount', 'serviceaccount-token'],
  certificatePem: CA,
  makeToken: (account: JsonObject, secret: JsonObject) =>
    `token of ${nameOf(account)} in ${nameOf(secret)}`,
};
const type = 'kubernetes.io/service-account-token';
const annotations = { 'kubernetes.io/service-account.name': 'default' };

test('a secret that asks for a token gets it, and belongs to that account', async () => {
  const harness = await openShop(tokens);
  await harness.make(`${SHOP}/secrets`, 's', { type, metadata: { annotations } });
  await harness.settle();
  const { body: account } = await harness.get(`${SHOP}/serviceaccounts/default`);
  expect((await harness.get(`${SHOP}/secrets/s`)).body).toMatchObject({
    metadata: {
      annotations: { ...annotations, 'kubernetes.io/service-account.uid': account.metadata['uid'] },
    },
    data: {
      token: base64('token of default in s'),
      namespace: base64('shop'),
      'ca.crt': base64(CA),
    },
  });
});

test('the secrets of an account go with it, and those of its successor stay', async () => {
  const harness = await openShop(tokens);
  await harness.make(`${SHOP}/serviceaccounts`, 'bot');
  const own = { 'kubernetes.io/service-account.name': 'bot' };
  await harness.make(`${SHOP}/secrets`, 'bot-token', { type, metadata: { annotations: own } });
  await harness.make(`${SHOP}/secrets`, 'other', { type, metadata: { annotations } });
  await harness.settle();
  await harness.remove(`${SHOP}/serviceaccounts/bot`);
  await harness.settle();
  expect(await harness.names(`${SHOP}/secrets`)).toEqual(['other']);
});

test('a secret for a missing account is deleted', async () => {
  const harness = await openShop(tokens);
  const missing = { 'kubernetes.io/service-account.name': 'nobody' };
  await harness.make(`${SHOP}/secrets`, 's', { type, metadata: { annotations: missing } });
  await harness.settle();
  expect(await harness.has(`${SHOP}/secrets/s`)).toBe(false);
});

test('a deleted secret is removed from the list of its account', async () => {
  const harness = await openShop(tokens);
  await harness.make(`${SHOP}/secrets`, 's', { type, metadata: { annotations } });
  await harness.patch(`${SHOP}/serviceaccounts/default`, {
    secrets: [{ name: 's' }, { name: 't' }],
  });
  await harness.remove(`${SHOP}/secrets/s`);
  await harness.settle();
  const { body } = await harness.get(`${SHOP}/serviceaccounts/default`);
  expect(body['secrets']).toEqual([{ name: 't' }]);
});
