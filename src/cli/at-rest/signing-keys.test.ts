import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSigningKey, openVerifyingKeys } from '../../apiserver/objects/signing-key.ts';
import {
  readEarlierKeys,
  readKeyFile,
  removeEarlierKeys,
  rotateSigningKey,
} from './signing-keys.ts';

function makeFolder(): string {
  const root = mkdtempSync(path.join(tmpdir(), 'podkeep-keys-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = path.join(root, 'pki');
  mkdirSync(folder);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  writeFileSync(path.join(folder, 'sa.key'), pem, { mode: 0o600 });
  return folder;
}

function signingId(folder: string): string {
  return openSigningKey(readKeyFile(path.join(folder, 'sa.key'))).id;
}

test('after rotations a new key signs, and all earlier keys verify, until they are removed', () => {
  const folder = makeFolder();
  const first = signingId(folder);
  rotateSigningKey(folder);
  const second = signingId(folder);
  const { signing, verifying } = rotateSigningKey(folder);
  expect(new Set([first, second, signing]).size).toBe(3);
  expect(signing).toBe(signingId(folder));
  expect(verifying.toSorted()).toEqual([first, second, signing].toSorted());
  const earlier = readEarlierKeys(folder).flatMap(openVerifyingKeys);
  expect(earlier.map(({ id }) => id).toSorted()).toEqual([first, second].toSorted());
  for (const name of readdirSync(folder)) {
    expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
  }
  expect(removeEarlierKeys(folder)).toEqual({ signing, verifying: [signing] });
  expect(readEarlierKeys(folder)).toEqual([]);
});

test('a folder without a key, and a key of another kind, are refused', () => {
  const folder = makeFolder();
  expect(() => rotateSigningKey(path.join(folder, 'none'))).toThrow(
    expect.objectContaining({ code: 'KEY_FILE_UNREADABLE' }),
  );
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  expect(() => openVerifyingKeys(pem)).toThrow(
    expect.objectContaining({ code: 'SIGNING_KEY_UNFIT', message: expect.stringContaining('rsa') }),
  );
  expect(() => openVerifyingKeys('nothing')).toThrow('it is no key in PEM');
});
