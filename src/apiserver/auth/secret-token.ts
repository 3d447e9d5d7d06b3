/**
 * Is this the token that a secret holds for a service account? Such tokens do not expire, so the
 * secret is the only proof that one is still wanted.
 */
import { timingSafeEqual } from 'node:crypto';
import type { JsonObject } from '../../lib/json.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import { readStruct, readText, readTextMap } from '../kinds/validation/json-reading.ts';
import { metadataOf, nameOf, textOf } from '../metadata.ts';
import { groupsOf, readUsername, usernameOf } from './service-account-name.ts';
import { SECRET_CLAIMS } from './token-claims.ts';
import { refuse, type TokenRefused, type TokenVerdict } from './token-verdict.ts';

const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';
const INVALIDATED = refuse('Token has been invalidated');

/** Its signature and audiences are checked already. */
export function verifySecretToken(
  store: ObjectStore,
  text: string,
  claims: JsonObject,
  audiences: readonly string[],
): TokenVerdict {
  const told = readClaims(claims);
  const refusal = checkClaims(told);
  if (refusal !== null) return refuse(refusal);
  const { namespace, secretName, name, uid } = told;
  const secret = store.get(`/core/secrets/${namespace}/${secretName}`)?.value;
  if (!secret || metadataOf(secret)['deletionTimestamp'] !== undefined) return INVALIDATED;
  if (!holds(secret, text)) return refuse("Token does not match server's copy");
  const account = store.get(`/core/serviceaccounts/${namespace}/${name}`)?.value;
  return (
    checkAccount(account, told) ??
    checkLabels(secret, told) ?? {
      user: { name: usernameOf({ namespace, name }), uid, groups: groupsOf({ namespace }) },
      audiences,
    }
  );
}

interface Told {
  readonly sub: string;
  readonly namespace: string;
  readonly secretName: string;
  readonly name: string;
  readonly uid: string;
}

function readClaims(claims: JsonObject): Told {
  return {
    sub: readText(claims['sub']),
    namespace: readText(claims[SECRET_CLAIMS.namespace]),
    secretName: readText(claims[SECRET_CLAIMS.secretName]),
    name: readText(claims[SECRET_CLAIMS.accountName]),
    uid: readText(claims[SECRET_CLAIMS.accountUid]),
  };
}

function checkClaims({ sub, namespace, secretName, name, uid }: Told): string | null {
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

function checkAccount(account: JsonObject | undefined, told: Told): TokenRefused | null {
  const { namespace, name, uid } = told;
  if (!account) return refuse(`serviceaccounts "${name}" not found`);
  const { deletionTimestamp, uid: found } = metadataOf(account);
  if (deletionTimestamp !== undefined) {
    return refuse(`ServiceAccount ${namespace}/${name} has been deleted`);
  }
  if (found === uid) return null;
  return refuse(`ServiceAccount UID (${textOf(found)}) does not match claim (${uid})`);
}

/** Tokens that nobody has used for long are marked, and refused until somebody takes the mark away. */
function checkLabels(secret: JsonObject, { namespace, name }: Told): TokenRefused | null {
  const labels = readTextMap(metadataOf(secret)['labels']);
  if ((labels.get(INVALID_SINCE) ?? '') === '') return null;
  return refuse(
    `the token in secret ${namespace}/${nameOf(secret)} for service account ${namespace}/${name} ` +
      'has been marked invalid. Use tokens from the TokenRequest API or manually created ' +
      `secret-based tokens, or remove the '${INVALID_SINCE}' label from the secret to temporarily ` +
      'allow use of this token',
  );
}
