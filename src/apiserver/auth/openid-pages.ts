/** Where others learn who issues service account tokens, and by which key they are checked. */
import type { JsonObject } from '../../lib/json.ts';
import type { ApiResponse } from '../../ports/http-handler.ts';
import type { Page } from '../page.ts';
import { describeKey, type SigningKey } from './signing-key.ts';

const CONFIGURATION = '/.well-known/openid-configuration';
const KEYS = '/openid/v1/jwks';
const MAX_AGE_SECONDS = 3600;

export function openIdPage(issuer: string, key: SigningKey): Page {
  const keys = { keys: [describeKey(key)] };
  return ({ method }, { pathname, host }) => {
    if (method !== 'GET' && method !== 'HEAD') return null;
    if (pathname === KEYS) return page(keys, 'application/jwk-set+json');
    if (pathname !== CONFIGURATION) return null;
    // The keys are found where the configuration was.
    return page(describeIssuer(issuer, `https://${host}${KEYS}`), 'application/json');
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

function page(body: JsonObject, contentType: string): ApiResponse {
  return {
    status: 200,
    headers: [
      ['content-type', contentType],
      ['cache-control', `public, max-age=${MAX_AGE_SECONDS}`],
    ],
    body: JSON.stringify(body),
  };
}
