import {
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createPki, issueClientCertificate } from '../../apiserver/pki/pki.ts';
import { seededRandom } from '../../platform/seeded-random.ts';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { readPair, type CertificatePair } from './certificate-pair.ts';
import { CertificateStore } from './certificate-store.ts';

const clock = new VirtualClock();
const random = seededRandom(1);
const pki = await createPki({ clock, random });

async function makePair(commonName = 'system:node:n1'): Promise<CertificatePair> {
  const ca = { cert: pki.caCert, key: pki.caKey };
  const subject = { commonName, organizations: ['system:nodes'] };
  const { cert, key } = await issueClientCertificate(ca, subject, { clock, random });
  return readPair(cert, key, 'the test');
}

function openStore(folder = path.join(makeTempFolder(), 'pki')) {
  return { folder, store: new CertificateStore({ clock, folder, prefix: 'kubelet-client' }) };
}

test('there is none at first', async () => {
  expect(await openStore().store.current()).toBeNull();
});

test('a pair is found again, in the files that the kubelet uses, which are for the owner alone', async () => {
  const { folder, store } = openStore();
  const pair = await makePair();
  await store.update(pair);
  expect(await store.current()).toEqual(pair);
  expect(readdirSync(folder).toSorted()).toEqual([
    'kubelet-client-2030-01-02-03-04-05.pem',
    'kubelet-client-current.pem',
  ]);
  const file = path.join(folder, 'kubelet-client-2030-01-02-03-04-05.pem');
  expect(readlinkSync(store.currentPath)).toBe(file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(pair).toMatchObject({ commonName: 'system:node:n1', organizations: ['system:nodes'] });
});

test('the newest is in use, and the older ones stay', async () => {
  const { folder, store } = openStore();
  await store.update(await makePair());
  await clock.pass(1000);
  const newest = await makePair('system:node:n2');
  await store.update(newest);
  expect(await store.current()).toEqual(newest);
  expect(readdirSync(folder)).toHaveLength(3);
});

test('the new link that a kubelet left when it died between two links is used', async () => {
  const { folder, store } = openStore();
  const pair = await makePair();
  await store.update(pair);
  const target = readlinkSync(store.currentPath);
  rmSync(store.currentPath);
  symlinkSync(target, path.join(folder, 'kubelet-client-updated.pem'));
  expect(await store.current()).toEqual(pair);
  expect(readlinkSync(store.currentPath)).toBe(target);
});

test('unfinished files of a podkeep that died do no harm', async () => {
  const { folder, store } = openStore();
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'kubelet-client-2030-01-02-03-04-06.pem.new'), 'half of');
  symlinkSync('nowhere', path.join(folder, 'kubelet-client-updated.pem'));
  expect(await store.current()).toBeNull();
  const pair = await makePair();
  await store.update(pair);
  expect(await store.current()).toEqual(pair);
});

test('a file that is damaged, or has the key of another certificate, is refused by its name', async () => {
  const { folder, store } = openStore();
  mkdirSync(folder);
  writeFileSync(store.currentPath, 'nothing of use');
  await expect(store.current()).rejects.toMatchObject({ code: 'CERTIFICATE_UNUSABLE' });
  const [mine, others] = [await makePair(), await makePair()];
  writeFileSync(store.currentPath, mine.cert + others.key);
  await expect(store.current()).rejects.toThrow(/current\.pem cannot be used: the private key/);
});

test('a folder that cannot be written is reported', async () => {
  const file = path.join(makeTempFolder(), 'file');
  writeFileSync(file, '');
  const { store } = openStore(file);
  await expect(store.update(await makePair())).rejects.toMatchObject({
    code: 'CERTIFICATE_FOLDER_UNUSABLE',
  });
});
