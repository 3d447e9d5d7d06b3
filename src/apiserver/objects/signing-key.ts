/**
 * Loads the keys that sign and verify service account tokens: P-256, for tokens with ES256.
 *
 * The ID of a key is the hash of its public key, as in kube-apiserver: a verifier finds the key in
 * `/openid/v1/jwks` by the ID in the token's header.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { defineError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';

/** A public key, also of an earlier signing key whose tokens are still valid. */
export interface VerifyingKey {
  readonly publicKey: KeyObject;
  readonly id: string;
}

export interface SigningKey extends VerifyingKey {
  readonly privateKey: KeyObject;
}

const signingKeyUnfit = defineError<{ reason: string }>({
  code: 'SIGNING_KEY_UNFIT',
  retry: 'never',
  message: ({ reason }) => `the key for service account tokens cannot be used: ${reason}`,
  hint: () =>
    'Use a PEM file with a P-256 (prime256v1) key; the signing key must be a private key.',
});

export function openSigningKey(key: string | KeyObject): SigningKey {
  const privateKey = typeof key === 'string' ? readPrivateKey(key) : key;
  const { namedCurve } = privateKey.asymmetricKeyDetails ?? {};
  if (privateKey.type !== 'private' || namedCurve !== 'prime256v1') {
    const what = namedCurve ?? privateKey.asymmetricKeyType ?? privateKey.type;
    throw signingKeyUnfit({ reason: `it is ${what}, not a private P-256 key` });
  }
  const publicKey = createPublicKey(privateKey);
  return { privateKey, publicKey, id: idOf(publicKey) };
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]+?-----END \1-----/g;

/** All keys of a PEM: public keys, and the public keys of private ones. */
export function openVerifyingKeys(pem: string): readonly VerifyingKey[] {
  const blocks = [...pem.matchAll(BLOCK)].flatMap(([block, label]) =>
    label === 'EC PARAMETERS' ? [] : [block],
  );
  if (blocks.length === 0) throw signingKeyUnfit({ reason: 'it is no key in PEM' });
  return blocks.map((block) => {
    const publicKey = readPublicKey(block);
    const { namedCurve } = publicKey.asymmetricKeyDetails ?? {};
    if (namedCurve === 'prime256v1') return { publicKey, id: idOf(publicKey) };
    const what = namedCurve ?? publicKey.asymmetricKeyType ?? publicKey.type;
    throw signingKeyUnfit({ reason: `it is ${what}, not a P-256 key` });
  });
}

function idOf(publicKey: KeyObject): string {
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(der).digest('base64url');
}

/** The public key as a JSON Web Key. */
export function describeKey({ publicKey, id }: VerifyingKey): JsonObject {
  const { kty = '', crv = '', x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return { use: 'sig', kty, kid: id, crv, alg: 'ES256', x, y };
}

function readPublicKey(pem: string): KeyObject {
  try {
    return createPublicKey(pem);
  } catch (error) {
    throw signingKeyUnfit({ reason: 'it is no key in PEM' }, error);
  }
}

function readPrivateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw signingKeyUnfit({ reason: 'it is no private key in PEM' }, error);
  }
}
