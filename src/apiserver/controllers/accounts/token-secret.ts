/**
 * Decides what the token controller does with a Secret of type service-account-token.
 *
 *     its account is deleted, or recreated with another UID ──> deleted
 *     token, namespace or certificate missing ──> filled in
 */
import type { JsonObject } from '../../../lib/json.ts';
import { structAt, textAt } from '../../objects/field-path.ts';
import { metadataOf, nameOf, textOf, withMetadata } from '../../objects/metadata.ts';

export const TOKEN_TYPE = 'kubernetes.io/service-account-token';
const NAME_ANNOTATION = 'kubernetes.io/service-account.name';
const UID_ANNOTATION = 'kubernetes.io/service-account.uid';

export type TokenDecision = 'keep' | 'remove' | 'fill';

export function isTokenSecret(secret: JsonObject): boolean {
  return textAt(secret, 'type') === TOKEN_TYPE;
}

export function accountNameOf(secret: JsonObject): string {
  return textOf(structAt(secret, 'metadata.annotations')[NAME_ANNOTATION]);
}

/** Whether the Secret belongs to this account, and not to an earlier one of the same name. */
export function belongsTo(secret: JsonObject, account: JsonObject): boolean {
  const uid = textOf(structAt(secret, 'metadata.annotations')[UID_ANNOTATION]);
  const isSame = uid === '' || uid === metadataOf(account)['uid'];
  return isSame && accountNameOf(secret) === nameOf(account);
}

export function decideTokenSecret(
  secret: JsonObject,
  account: JsonObject | undefined,
  certificatePem: string,
): TokenDecision {
  if (!account || !belongsTo(secret, account)) return 'remove';
  const data = structAt(secret, 'data');
  const isWhole =
    textOf(data['token']) !== '' &&
    textOf(data['namespace']) !== '' &&
    (certificatePem === '' || data['ca.crt'] === encode(certificatePem));
  return isWhole ? 'keep' : 'fill';
}

/** `token`: used if the Secret has none. */
export function fill(
  secret: JsonObject,
  account: JsonObject,
  token: string,
  certificatePem: string,
): JsonObject {
  const data = structAt(secret, 'data');
  const filled = {
    ...data,
    ...(certificatePem !== '' && { 'ca.crt': encode(certificatePem) }),
    namespace: textOf(data['namespace']) || encode(textOf(metadataOf(secret)['namespace'])),
    token: textOf(data['token']) || encode(token),
  };
  const annotations = {
    ...structAt(secret, 'metadata.annotations'),
    [NAME_ANNOTATION]: nameOf(account),
    [UID_ANNOTATION]: textOf(metadataOf(account)['uid']),
  };
  return withMetadata({ ...secret, data: filled }, { annotations });
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}
