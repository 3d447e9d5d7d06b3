import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { makeTempFolder } from '../../test/support/temp-folder.ts';
import { writeKubeconfig } from './kubeconfig.ts';

const facts = {
  url: 'https://127.0.0.1:6443',
  caCert: 'the authority',
  clientCert: 'the certificate',
  clientKey: 'the key',
};

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}

test('it names the server, its authority, and the credentials', () => {
  const file = path.join(makeTempFolder(), 'kubeconfig');
  writeKubeconfig(file, facts);
  expect(parse(readFileSync(file, 'utf8'))).toEqual({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'podkeep',
    clusters: [
      {
        name: 'podkeep',
        cluster: { server: facts.url, 'certificate-authority-data': encode(facts.caCert) },
      },
    ],
    contexts: [{ name: 'podkeep', context: { cluster: 'podkeep', user: 'podkeep-admin' } }],
    users: [
      {
        name: 'podkeep-admin',
        user: {
          'client-certificate-data': encode(facts.clientCert),
          'client-key-data': encode(facts.clientKey),
        },
      },
    ],
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('it is written when something is new, and only then', () => {
  const file = path.join(makeTempFolder(), 'kubeconfig');
  writeKubeconfig(file, facts);
  const { ino } = statSync(file);
  writeKubeconfig(file, facts);
  expect(statSync(file).ino).toBe(ino);
  writeKubeconfig(file, { ...facts, url: 'https://127.0.0.1:7443' });
  expect(readFileSync(file, 'utf8')).toContain('server: https://127.0.0.1:7443');
});

test('secrets do not go where a link with the name of the draft leads', () => {
  const folder = makeTempFolder();
  const file = path.join(folder, 'kubeconfig');
  const elsewhere = path.join(folder, 'elsewhere');
  writeFileSync(elsewhere, 'as it was');
  symlinkSync(elsewhere, `${file}.new`);
  writeKubeconfig(file, facts);
  expect(readFileSync(elsewhere, 'utf8')).toBe('as it was');
  expect(readFileSync(file, 'utf8')).toContain(facts.url);
});
