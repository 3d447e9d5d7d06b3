/** Serves OpenID discovery: the issuer of service account tokens, and the public keys that verify them. */
import type { JsonObject } from '../../lib/json.ts';
import type { ApiResponse } from '../../ports/api/http-handler.ts';
import type { PathHandler } from '../requests/path-handler.ts';
import { describeKey, type VerifyingKey } from '../objects/signing-key.ts';

const CONFIGURATION = '/.well-known/openid-configuration';
const KEYS = '/openid/v1/jwks';
const MAX_AGE_SECONDS = 3600;

export function openIdHandler(issuer: string, verifyingKeys: readonly VerifyingKey[]): PathHandler {
  const keys = { keys: verifyingKeys.map(describeKey) };
  return ({ method }, { pathname, host }) => {
    if (method !== 'GET' && method !== 'HEAD') return null;
    if (pathname === KEYS) return handler(keys, 'application/jwk-set+json');
    if (pathname !== CONFIGURATION) return null;
    // The URL of the keys has the host of the request.
    return handler(describeIssuer(issuer, `https://${host}${KEYS}`), 'application/json');
  };
}

function describeIssuer(issuer: string, keysAddress: string): JsonObject {
  return {
    issuer,
    jwks_uri: keysAddress,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  };
}

function handler(body: JsonObject, contentType: string): ApiResponse {
  return {
    status: 200,
    headers: [
      ['content-type', contentType],
      ['cache-control', `public, max-age=${MAX_AGE_SECONDS}`],
    ],
    body: JSON.stringify(body),
  };
}
