/**
 * Verifies a token of a Secret of type service-account-token. It does not expire, so it is valid only as long
 * as the Secret holds it.
 */
import { timingSafeEqual } from 'node:crypto';
import type { JsonObject } from '../../lib/json.ts';
import type { ObjectStore } from '../../ports/api/object-store.ts';
import { readStruct, readText, readTextMap } from '../../api/validation/json-reading.ts';
import { metadataOf, nameOf, textOf } from '../objects/metadata.ts';
import { groupsOf, readUsername, usernameOf } from './service-account-name.ts';
import { SECRET_CLAIMS } from './token-claims.ts';
import { refuse, type TokenRefused, type TokenReviewResult } from './token-review.ts';

const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';
const INVALIDATED = refuse('Token has been invalidated');

/** Expects that the signature and the audiences have been checked. */
export function verifySecretToken(
  store: ObjectStore,
  text: string,
  claims: JsonObject,
  audiences: readonly string[],
): TokenReviewResult {
  const tokenClaims = readClaims(claims);
  const refusal = checkClaims(tokenClaims);
  if (refusal !== null) return refuse(refusal);
  const { namespace, secretName, name, uid } = tokenClaims;
  const secret = store.get(`/core/secrets/${namespace}/${secretName}`)?.value;
  if (!secret || metadataOf(secret)['deletionTimestamp'] !== undefined) return INVALIDATED;
  if (!holds(secret, text)) return refuse("Token does not match server's copy");
  const account = store.get(`/core/serviceaccounts/${namespace}/${name}`)?.value;
  return (
    checkAccount(account, tokenClaims) ??
    checkLabels(secret, tokenClaims) ?? {
      user: { name: usernameOf({ namespace, name }), uid, groups: groupsOf({ namespace }) },
      audiences,
    }
  );
}

interface TokenClaims {
  readonly sub: string;
  readonly namespace: string;
  readonly secretName: string;
  readonly name: string;
  readonly uid: string;
}

function readClaims(claims: JsonObject): TokenClaims {
  return {
    sub: readText(claims['sub']),
    namespace: readText(claims[SECRET_CLAIMS.namespace]),
    secretName: readText(claims[SECRET_CLAIMS.secretName]),
    name: readText(claims[SECRET_CLAIMS.accountName]),
    uid: readText(claims[SECRET_CLAIMS.accountUid]),
  };
}

function checkClaims({ sub, namespace, secretName, name, uid }: TokenClaims): string | null {
  if (sub === '') return 'sub claim is missing';
  if (namespace === '') return 'namespace claim is missing';
  if (secretName === '') return 'secretName claim is missing';
  if (name === '') return 'serviceAccountName claim is missing';
  if (uid === '') return 'serviceAccountUID claim is missing';
  const subject = readUsername(sub);
  const isSame = subject?.namespace === namespace && subject.name === name;
  return isSame ? null : 'sub claim is invalid';
}

function holds(secret: JsonObject, text: string): boolean {
  const kept = Buffer.from(readText(readStruct(secret['data'])['token']), 'base64');
  const given = Buffer.from(text);
  return kept.byteLength === given.byteLength && timingSafeEqual(kept, given);
}

function checkAccount(
  account: JsonObject | undefined,
  tokenClaims: TokenClaims,
): TokenRefused | null {
  const { namespace, name, uid } = tokenClaims;
  if (!account) return refuse(`serviceaccounts "${name}" not found`);
  const { deletionTimestamp, uid: found } = metadataOf(account);
  if (deletionTimestamp !== undefined) {
    return refuse(`ServiceAccount ${namespace}/${name} has been deleted`);
  }
  if (found === uid) return null;
  return refuse(`ServiceAccount UID (${textOf(found)}) does not match claim (${uid})`);
}

/** Tokens that were unused for a long time are labelled, and refused until the label is removed. */
function checkLabels(secret: JsonObject, { namespace, name }: TokenClaims): TokenRefused | null {
  const labels = readTextMap(metadataOf(secret)['labels']);
  if ((labels.get(INVALID_SINCE) ?? '') === '') return null;
  return refuse(
    `the token in secret ${namespace}/${nameOf(secret)} for service account ${namespace}/${name} ` +
      'has been marked invalid. Use tokens from the TokenRequest API or manually created ' +
      `secret-based tokens, or remove the '${INVALID_SINCE}' label from the secret to temporarily ` +
      'allow use of this token',
  );
}
