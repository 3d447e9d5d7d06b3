import { X509Certificate } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { seededRandom } from '../platform/seeded-random.ts';
import { makeTempFolder } from '../../test/support/temp-folder.ts';
import type { Clock } from '../ports/clock.ts';
import { openPkiFolder } from './pki-folder.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const FILES = [
  'admin.crt',
  'admin.key',
  'apiserver-kubelet-client.crt',
  'apiserver-kubelet-client.key',
  'apiserver.crt',
  'apiserver.key',
  'ca.crt',
  'ca.key',
  'sa.key',
];

let nowMs = 0;
const clock: Clock = { now: () => nowMs, monotonic: () => nowMs, after: () => () => {} };
const options = { clock, random: seededRandom(1) };

beforeEach(() => {
  nowMs = Date.UTC(2026, 0, 1);
});

function fileIn(folder: string, name: string): string {
  return path.join(folder, name);
}

function contentOf(folder: string): ReadonlyMap<string, string> {
  return new Map(FILES.map((name) => [name, readFileSync(fileIn(folder, name), 'utf8')]));
}

async function openNew(): Promise<string> {
  const folder = path.join(makeTempFolder(), 'pki');
  await openPkiFolder(folder, options);
  return folder;
}

test('the first start writes everything, for the owner alone', async () => {
  const folder = await openNew();
  expect(readdirSync(folder).toSorted()).toEqual(FILES);
  expect(readdirSync(path.dirname(folder))).toEqual(['pki']);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of FILES) expect(statSync(fileIn(folder, name)).mode & 0o777).toBe(0o600);
});

test('the next start finds what the first one made, and changes nothing', async () => {
  const folder = path.join(makeTempFolder(), 'pki');
  const first = await openPkiFolder(folder, options);
  const before = contentOf(folder);
  expect(await openPkiFolder(folder, options)).toEqual(first);
  expect(contentOf(folder)).toEqual(before);
});

test('what a killed start left half done is no obstacle', async () => {
  const folder = await openNew();
  rmSync(folder, { recursive: true });
  const draft = `${folder}.new`;
  writeFileSync(draft, 'half');
  await openPkiFolder(folder, options);
  expect(existsSync(draft)).toBe(false);
});

test('the client of kubelets is a user of its own, without any group', async () => {
  const folder = await openNew();
  const file = readFileSync(fileIn(folder, 'apiserver-kubelet-client.crt'), 'utf8');
  expect(new X509Certificate(file).subject).toBe('CN=kube-apiserver-kubelet-client');
});

test('a folder of an older podkeep gets the client of kubelets, and keeps the rest', async () => {
  const folder = await openNew();
  const before = contentOf(folder);
  for (const end of ['crt', 'key']) rmSync(fileIn(folder, `apiserver-kubelet-client.${end}`));
  const pki = await openPkiFolder(folder, options);
  const after = contentOf(folder);
  expect(after.get('apiserver-kubelet-client.crt')).toBe(pki.kubeletClientCert);
  for (const name of FILES.filter((one) => !one.includes('kubelet-client'))) {
    expect(after.get(name)).toBe(before.get(name));
  }
});

describe('certificates that the authority can make again', () => {
  test.each([
    ['expires in a month', () => (nowMs += 336 * DAY_MS)],
    ['has expired', () => (nowMs += 400 * DAY_MS)],
  ])('one that %s is renewed, and the authority stays', async (_name, pass) => {
    const folder = await openNew();
    const before = contentOf(folder);
    pass();
    await openPkiFolder(folder, options);
    const after = contentOf(folder);
    for (const name of ['ca.crt', 'ca.key', 'sa.key'])
      expect(after.get(name)).toBe(before.get(name));
    for (const name of ['apiserver.crt', 'admin.crt', 'apiserver-kubelet-client.crt']) {
      const certificate = new X509Certificate(after.get(name) ?? '');
      expect(Date.parse(certificate.validTo) - nowMs).toBeGreaterThan(300 * DAY_MS);
      const authority = new X509Certificate(after.get('ca.crt') ?? '');
      expect(certificate.verify(authority.publicKey)).toBe(true);
    }
  });

  test('one that is good for more than a month stays', async () => {
    const folder = await openNew();
    const before = contentOf(folder);
    nowMs += 330 * DAY_MS;
    await openPkiFolder(folder, options);
    expect(contentOf(folder)).toEqual(before);
  });

  test('the server gets a new one for a new name, and keeps it', async () => {
    const folder = await openNew();
    const before = contentOf(folder);
    const named = { ...options, names: ['podkeep.example'], addresses: ['192.0.2.7'] };
    await openPkiFolder(folder, named);
    const after = contentOf(folder);
    const certificate = new X509Certificate(after.get('apiserver.crt') ?? '');
    expect(certificate.checkHost('podkeep.example')).toBe('podkeep.example');
    expect(certificate.checkIP('192.0.2.7')).toBe('192.0.2.7');
    expect(certificate.checkHost('localhost')).toBe('localhost');
    expect(after.get('admin.crt')).toBe(before.get('admin.crt'));
    await openPkiFolder(folder, named);
    expect(contentOf(folder)).toEqual(after);
  });

  test.each(['apiserver.crt', 'apiserver.key', 'admin.crt', 'admin.key'])(
    '%s is made again if it is damaged, lost or half renewed',
    async (name) => {
      const folder = await openNew();
      const other = contentOf(await openNew());
      for (const content of ['', 'nonsense', null, other.get(name) ?? '']) {
        const file = fileIn(folder, name);
        if (content === null) rmSync(file);
        else writeFileSync(file, content);
        const pki = await openPkiFolder(folder, options);
        const found = contentOf(folder);
        expect(new Set(found.values())).toEqual(new Set(Object.values(pki)));
        expect(found.get(name)).not.toBe(content);
      }
    },
  );
});

describe('what others have trusted is never replaced', () => {
  test.each(['ca.crt', 'ca.key', 'sa.key'])('%s that is damaged is named', async (name) => {
    const folder = await openNew();
    const file = fileIn(folder, name);
    for (const content of ['', 'nonsense', null]) {
      if (content === null) rmSync(file);
      else writeFileSync(file, content);
      await expect(openPkiFolder(folder, options)).rejects.toMatchObject({
        code: 'PKI_DAMAGED',
        message: expect.stringContaining(file),
        hint: expect.stringContaining(`move ${folder} away`),
      });
    }
  });

  test('a key that belongs to another authority is named', async () => {
    const [folder, other] = [await openNew(), await openNew()];
    writeFileSync(fileIn(folder, 'ca.key'), readFileSync(fileIn(other, 'ca.key')));
    await expect(openPkiFolder(folder, options)).rejects.toMatchObject({
      message: `${fileIn(folder, 'ca.key')} cannot be used: it does not belong to ca.crt`,
    });
  });

  test('an authority that has expired is named', async () => {
    const folder = await openNew();
    nowMs += 3651 * DAY_MS;
    await expect(openPkiFolder(folder, options)).rejects.toMatchObject({
      code: 'PKI_DAMAGED',
      message: expect.stringMatching(/ca\.crt cannot be used: it was valid until/),
    });
  });
});

test('a key file that others could read is for its owner only after the start', async () => {
  const folder = await openNew();
  chmodSync(fileIn(folder, 'sa.key'), 0o644);
  await openPkiFolder(folder, options);
  expect(statSync(fileIn(folder, 'sa.key')).mode & 0o777).toBe(0o600);
});

test.each(['ca.key', 'sa.key', 'apiserver.key', 'admin.key'])(
  'a %s that others may write is refused, and not replaced',
  async (name) => {
    const folder = await openNew();
    chmodSync(fileIn(folder, name), 0o666);
    const before = contentOf(folder);
    await expect(openPkiFolder(folder, options)).rejects.toMatchObject({ code: 'UNTRUSTED_FILE' });
    expect(contentOf(folder)).toEqual(before);
  },
);
