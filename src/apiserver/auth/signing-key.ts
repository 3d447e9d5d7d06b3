/**
 * The key that signs service account tokens: P-256, so that tokens are signed with ES256.
 *
 * Its ID is the hash of its public half, as kube-apiserver computes it: whoever checks tokens finds
 * the key by the ID in the token's header, in what `/openid/v1/jwks` tells.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { defineError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';

export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly id: string;
}

const signingKeyUnfit = defineError<{ reason: string }>({
  code: 'SIGNING_KEY_UNFIT',
  retry: 'never',
  message: ({ reason }) => `the key for service account tokens cannot be used: ${reason}`,
  hint: () => 'Give the PEM of a private key on the curve P-256 (prime256v1).',
});

export function openSigningKey(key: string | KeyObject): SigningKey {
  const privateKey = typeof key === 'string' ? readPrivateKey(key) : key;
  const { namedCurve } = privateKey.asymmetricKeyDetails ?? {};
  if (privateKey.type !== 'private' || namedCurve !== 'prime256v1') {
    const what = namedCurve ?? privateKey.asymmetricKeyType ?? privateKey.type;
    throw signingKeyUnfit({ reason: `it is ${what}, not a private P-256 key` });
  }
  const publicKey = createPublicKey(privateKey);
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return { privateKey, publicKey, id: createHash('sha256').update(der).digest('base64url') };
}

/** The public half, as a JSON Web Key. */
export function describeKey({ publicKey, id }: SigningKey): JsonObject {
  const { kty = '', crv = '', x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return { use: 'sig', kty, kid: id, crv, alg: 'ES256', x, y };
}

function readPrivateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw signingKeyUnfit({ reason: 'it is no private key in PEM' }, error);
  }
}
