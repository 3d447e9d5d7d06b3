import { expect, test } from 'vitest';
import { nameOf } from '../../../src/apiserver/metadata.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { ControllerStage, type StageOptions } from './stage.ts';

const SHOP = '/api/v1/namespaces/shop';
const CA = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

async function openShop(options: StageOptions): Promise<ControllerStage> {
  const stage = await ControllerStage.open(options);
  await stage.make('/api/v1/namespaces', 'shop');
  await stage.settle();
  return stage;
}

test('every namespace has an account, and has it again when it is deleted', async () => {
  const stage = await openShop({ controllers: ['serviceaccount'] });
  const first = await stage.get(`${SHOP}/serviceaccounts/default`);
  expect(first.code).toBe(200);
  await stage.remove(`${SHOP}/serviceaccounts/default`);
  await stage.settle();
  const second = await stage.get(`${SHOP}/serviceaccounts/default`);
  expect(second.body.metadata['uid']).not.toBe(first.body.metadata['uid']);
});

test('a namespace that is going gets no new account', async () => {
  const stage = await openShop({ controllers: ['serviceaccount'] });
  await stage.remove(SHOP);
  await stage.remove(`${SHOP}/serviceaccounts/default`);
  await stage.settle(60_000);
  expect(await stage.has(`${SHOP}/serviceaccounts/default`)).toBe(false);
});

test('every namespace has the certificate of the authority, and has it right', async () => {
  const stage = await openShop({ controllers: ['root-ca-certificate'], certificatePem: CA });
  const path = `${SHOP}/configmaps/kube-root-ca.crt`;
  const published = { data: { 'ca.crt': CA } };
  expect((await stage.get(path)).body).toMatchObject(published);
  await stage.patch(path, { data: { 'ca.crt': 'mine', more: 'x' } });
  await stage.settle();
  expect((await stage.get(path)).body['data']).toEqual({ 'ca.crt': CA });
  await stage.patch(path, { metadata: { annotations: null } });
  await stage.settle();
  expect((await stage.get(path)).body.metadata['annotations']).toEqual({
    'kubernetes.io/description': expect.stringContaining('verify the kube-apiserver'),
  });
  await stage.remove(path);
  await stage.settle();
  expect((await stage.get(path)).body).toMatchObject(published);
});

test('a description of its own is left to the certificate', async () => {
  const stage = await openShop({ controllers: ['root-ca-certificate'], certificatePem: CA });
  const path = `${SHOP}/configmaps/kube-root-ca.crt`;
  const annotations = { 'kubernetes.io/description': 'ours' };
  await stage.patch(path, { metadata: { annotations } });
  await stage.settle();
  expect((await stage.get(path)).body.metadata['annotations']).toEqual(annotations);
});

const tokens: StageOptions = {
  controllers: ['serviceaccount', 'serviceaccount-token'],
  certificatePem: CA,
  makeToken: (account: JsonObject, secret: JsonObject) =>
    `token of ${nameOf(account)} in ${nameOf(secret)}`,
};
const type = 'kubernetes.io/service-account-token';
const annotations = { 'kubernetes.io/service-account.name': 'default' };

test('a secret that asks for a token gets it, and belongs to that very account', async () => {
  const stage = await openShop(tokens);
  await stage.make(`${SHOP}/secrets`, 's', { type, metadata: { annotations } });
  await stage.settle();
  const { body: account } = await stage.get(`${SHOP}/serviceaccounts/default`);
  expect((await stage.get(`${SHOP}/secrets/s`)).body).toMatchObject({
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
  const stage = await openShop(tokens);
  await stage.make(`${SHOP}/serviceaccounts`, 'bot');
  const own = { 'kubernetes.io/service-account.name': 'bot' };
  await stage.make(`${SHOP}/secrets`, 'bot-token', { type, metadata: { annotations: own } });
  await stage.make(`${SHOP}/secrets`, 'other', { type, metadata: { annotations } });
  await stage.settle();
  await stage.remove(`${SHOP}/serviceaccounts/bot`);
  await stage.settle();
  expect(await stage.names(`${SHOP}/secrets`)).toEqual(['other']);
});

test('a secret for an account that is not there does not stay', async () => {
  const stage = await openShop(tokens);
  const nobody = { 'kubernetes.io/service-account.name': 'nobody' };
  await stage.make(`${SHOP}/secrets`, 's', { type, metadata: { annotations: nobody } });
  await stage.settle();
  expect(await stage.has(`${SHOP}/secrets/s`)).toBe(false);
});

test('a secret that goes is taken out of the list of its account', async () => {
  const stage = await openShop(tokens);
  await stage.make(`${SHOP}/secrets`, 's', { type, metadata: { annotations } });
  await stage.patch(`${SHOP}/serviceaccounts/default`, { secrets: [{ name: 's' }, { name: 't' }] });
  await stage.remove(`${SHOP}/secrets/s`);
  await stage.settle();
  const { body } = await stage.get(`${SHOP}/serviceaccounts/default`);
  expect(body['secrets']).toEqual([{ name: 't' }]);
});
