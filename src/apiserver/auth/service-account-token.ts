/** Creates service account tokens: those of TokenRequests, and those of token Secrets. */
import type { JsonObject } from '../../lib/json.ts';
import { writeToken } from '../objects/json-web-token.ts';
import type { SigningKey } from '../objects/signing-key.ts';
import { makeClaims, makeSecretClaims, type ClaimFacts } from './token-claims.ts';

/** A token that expires, for the given audiences. */
export function requestedToken(key: SigningKey, facts: ClaimFacts): string {
  return writeToken(key, makeClaims(facts));
}

/**
 * The token for a Secret of type `kubernetes.io/service-account-token`. It does not expire: it is valid as
 * long as the Secret holds it and the account has the same UID. The token controller stores it, in base64, as
 * `data.token`.
 */
export function serviceAccountToken(
  key: SigningKey,
  account: JsonObject,
  secret: JsonObject,
): string {
  return writeToken(key, makeSecretClaims(account, secret));
}
