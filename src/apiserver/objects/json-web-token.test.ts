import { createHash, generateKeyPairSync, verify } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { isSignedBy, readToken, writeToken } from './json-web-token.ts';
import { describeKey, openSigningKey, type SigningKey } from './signing-key.ts';

function makeKey(): SigningKey {
  return openSigningKey(generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey);
}

const key = makeKey();
const claims = { iss: 'https://issuer', aud: ['a'], sub: 'somebody' };

describe('a token', () => {
  test('contains its claims, and the ID of the key that signed it', () => {
    const text = writeToken(key, claims);
    const token = readToken(text);
    expect(token).toMatchObject({ claims, keyId: key.id });
    expect(token && isSignedBy(key, token)).toBe(true);
    expect(token && isSignedBy(makeKey(), token)).toBe(false);
  });

  test('is signed with ES256: SHA-256, two numbers of 32 bytes', () => {
    const [head = '', body = '', tail = ''] = writeToken(key, claims).split('.');
    expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({
      alg: 'ES256',
      kid: key.id,
    });
    const signature = Buffer.from(tail, 'base64url');
    const publicKey = { key: key.publicKey, dsaEncoding: 'ieee-p1363' as const };
    expect(signature.byteLength).toBe(64);
    expect(verify('sha256', Buffer.from(`${head}.${body}`), publicKey, signature)).toBe(true);
  });

  test('with one letter changed is rejected', () => {
    const text = writeToken(key, claims);
    fc.assert(
      fc.property(
        fc.nat({ max: text.length - 1 }),
        fc.constantFrom('A', 'a', '0', '-', '_', '.', '='),
        (at, letter) => {
          const changed = text.slice(0, at) + letter + text.slice(at + 1);
          const token = readToken(changed);
          const isBelieved = token !== null && isSignedBy(key, token);
          // The last letter of a signature has bits that do not count.
          expect(isBelieved && changed !== text && at < text.length - 1).toBe(false);
        },
      ),
    );
  });

  test('that names another algorithm, or none, is rejected', () => {
    const [, body = '', tail = ''] = writeToken(key, claims).split('.');
    for (const alg of ['none', 'HS256', 'RS256', 'es256', '']) {
      const head = Buffer.from(JSON.stringify({ alg })).toString('base64url');
      expect(readToken(`${head}.${body}.${tail}`), alg).toBeNull();
    }
  });

  test('that is malformed is rejected', () => {
    for (const text of [
      '',
      'a',
      'a.b',
      'a.b.c',
      '..',
      'a.b.c.d',
      'bnVsbA.bnVsbA.bnVsbA',
      'é.b.c',
    ]) {
      expect(readToken(text), text).toBeNull();
    }
  });
});

describe('a signing key', () => {
  test('is identified by the hash of its public half', () => {
    const der = key.publicKey.export({ type: 'spki', format: 'der' });
    expect(key.id).toBe(createHash('sha256').update(der).digest('base64url'));
    expect(describeKey(key)).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' });
    expect(describeKey(key)).not.toHaveProperty('d');
  });

  test('may be a PEM, and must be a private key on P-256', () => {
    const pem = key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(openSigningKey(pem).id).toBe(key.id);
    const wrongKeys = [
      'hello',
      key.publicKey,
      generateKeyPairSync('ec', { namedCurve: 'secp384r1' }).privateKey,
      generateKeyPairSync('ed25519').privateKey,
    ];
    for (const wrong of wrongKeys) {
      expect(() => openSigningKey(wrong)).toThrow(
        expect.objectContaining({ code: 'SIGNING_KEY_UNFIT' }),
      );
    }
  });
});
