import * as fc from 'fast-check';
import { createDecipheriv } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../platform/seeded-random.ts';
import { systemRandom } from '../../platform/system-random.ts';
import type { EncryptionRule, KeyedProvider, ProviderConfig } from './encryption-config.ts';
import { createEncryption, isEncrypted, type Encryption } from './encryption.ts';
import { parseGroupResource } from './group-resource.ts';

const SECRET = '/core/secrets/default/a';
const TEXT = Buffer.from('{"data":{"password":"aHVudGVyMg=="}}');
const IDENTITY: ProviderConfig = { type: 'identity' };
const TYPES: readonly KeyedProvider[] = ['aescbc', 'aesgcm', 'secretbox'];

function provider(type: KeyedProvider, ...names: readonly string[]): ProviderConfig {
  const keys = names.map((name) => ({ name, secret: Buffer.alloc(32, name) }));
  return { type, keys };
}

function rule(
  resources: readonly string[],
  ...providers: readonly ProviderConfig[]
): EncryptionRule {
  return { resources: resources.map(parseGroupResource), providers };
}

function encrypt(...rules: readonly EncryptionRule[]): Encryption {
  return createEncryption(rules, systemRandom);
}

function openedOr(open: () => Buffer): string {
  try {
    return open().toString();
  } catch (error) {
    return String(error);
  }
}

describe.each(TYPES)('%s', (type) => {
  test('opens any sealed text, under the prefix of kube-apiserver, and never has the same bytes twice', () => {
    const encryption = encrypt(rule(['secrets'], provider(type, 'key1')));
    const property = fc.property(fc.string({ maxLength: 300 }), (text) => {
      const sealed = encryption.seal(SECRET, Buffer.from(text));
      expect(sealed.toString('latin1').startsWith(`k8s:enc:${type}:v1:key1:`)).toBe(true);
      expect(encryption.open(SECRET, sealed).toString()).toBe(Buffer.from(text).toString());
      expect(encryption.seal(SECRET, Buffer.from(text))).not.toEqual(sealed);
    });
    fc.assert(property, { numRuns: 50 });
  });

  test('a value that was cut or written with another key is refused', () => {
    const old = encrypt(rule(['secrets'], provider(type, 'key1')));
    const sealed = old.seal(SECRET, TEXT);
    const other = encrypt(
      rule(['secrets'], { type, keys: [{ name: 'key1', secret: Buffer.alloc(32, 'x') }] }),
    );
    expect(() => old.open(SECRET, sealed.subarray(0, 30))).toThrow(
      /shorter|block size|authentication|not large enough/,
    );
    // AES-CBC authenticates nothing: by chance it may return something, but never the text.
    expect(openedOr(() => other.open(SECRET, sealed))).not.toBe(TEXT.toString());
    expect(() => encrypt(rule(['secrets'], provider(type, 'key2'))).open(SECRET, sealed)).toThrow(
      /^no matching key was found for the provided (AES|Secretbox) transformer$/,
    );
    expect(() => encrypt(rule(['secrets'], IDENTITY)).open(SECRET, sealed)).toThrow(
      'no matching prefix found',
    );
    expect(() => encrypt(rule(['configmaps'], IDENTITY)).open(SECRET, sealed)).toThrow(
      'identity transformer tried to read encrypted data',
    );
  });

  test('the first key writes, all read, and a value of another key is stale', () => {
    const before = encrypt(rule(['secrets'], provider(type, 'key1')));
    const during = encrypt(rule(['secrets'], provider(type, 'key2', 'key1'), IDENTITY));
    const sealed = before.seal(SECRET, TEXT);
    expect(before.isStale(SECRET, sealed)).toBe(false);
    expect(during.isStale(SECRET, sealed)).toBe(true);
    expect(during.isStale(SECRET, TEXT)).toBe(true);
    expect(during.open(SECRET, sealed)).toEqual(TEXT);
    expect(during.open(SECRET, TEXT)).toEqual(TEXT);
    const again = during.seal(SECRET, TEXT);
    expect(during.isStale(SECRET, again)).toBe(false);
    expect(() => before.open(SECRET, again)).toThrow('no matching key');
    expect(during.fingerprint).not.toBe(before.fingerprint);
  });
});

test('aesgcm binds a value to its object, as kube-apiserver does', () => {
  const encryption = encrypt(rule(['secrets'], provider('aesgcm', 'k')));
  const sealed = encryption.seal(SECRET, TEXT);
  expect(() => encryption.open('/core/secrets/default/b', sealed)).toThrow(
    'cipher: message authentication failed',
  );
  const body = sealed.subarray('k8s:enc:aesgcm:v1:k:'.length);
  const cipher = createDecipheriv('aes-256-gcm', Buffer.alloc(32, 'k'), body.subarray(0, 12));
  cipher.setAAD(Buffer.from(SECRET));
  cipher.setAuthTag(body.subarray(-16));
  expect(Buffer.concat([cipher.update(body.subarray(12, -16)), cipher.final()])).toEqual(TEXT);
});

test('two providers of one kind are tried one after the other', () => {
  const old = encrypt(
    rule(['secrets'], { type: 'secretbox', keys: [{ name: 'k', secret: Buffer.alloc(32, 1) }] }),
  );
  const both = encrypt(
    rule(
      ['secrets'],
      { type: 'secretbox', keys: [{ name: 'k', secret: Buffer.alloc(32, 2) }] },
      { type: 'secretbox', keys: [{ name: 'k', secret: Buffer.alloc(32, 1) }] },
    ),
  );
  expect(both.open(SECRET, old.seal(SECRET, TEXT))).toEqual(TEXT);
});

test('a resource has its own rule, else that of its group, else that for all', () => {
  const encryption = createEncryption(
    [
      rule(['secrets'], provider('aescbc', 'own')),
      rule(['*.apps'], provider('aescbc', 'group')),
      rule(['deployments.example.com'], IDENTITY),
      rule(['*.*'], provider('aescbc', 'all')),
    ],
    seededRandom(1),
  );
  const writerOf = (key: string): string => {
    const sealed = encryption.seal(key, TEXT);
    return isEncrypted(sealed) ? (sealed.toString('latin1').split(':')[4] ?? '') : 'plain';
  };
  expect(
    [
      '/core/secrets/a/b',
      '/apps/deployments/a/b',
      '/example.com/deployments/a',
      '/core/nodes/n',
      '/example.com/things/x/y',
    ].map(writerOf),
  ).toEqual(['own', 'group', 'plain', 'all', 'all']);
});
