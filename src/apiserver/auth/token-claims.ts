/**
 * Builds the claims of a service account token: its account, audiences, expiry, and the object to which it is
 * bound.
 *
 * Times are in whole seconds since 1970. A token that is bound to a pod also names the pod's node, for
 * information: it is not bound to the node.
 */
import type { JsonObject } from '../../lib/json.ts';
import { metadataOf, nameOf, textOf } from '../objects/metadata.ts';
import { usernameOf } from './service-account-name.ts';

export interface ClaimFacts {
  readonly issuer: string;
  readonly account: JsonObject;
  readonly audiences: readonly string[];
  /** A pod, a Secret or a node. Absent: the token is bound to its account only. */
  readonly bound?: BoundObject;
  readonly nowMs: number;
  readonly expirationSeconds: number;
  /** From then on, using the token causes a warning. Absent: never. */
  readonly warnAfterSeconds?: number;
  /** The ID of the token. */
  readonly id: string;
}

export type BoundObject =
  | { readonly kind: 'pod'; readonly object: JsonObject; readonly node?: Reference }
  | { readonly kind: 'secret' | 'node'; readonly object: JsonObject };

export interface Reference {
  readonly name: string;
  /** Absent: the object does not exist; only its name is known. */
  readonly uid?: string;
}

const MS_PER_SECOND = 1000;

export function makeClaims(facts: ClaimFacts): JsonObject {
  const { account, audiences, bound, issuer, id } = facts;
  const namespace = textOf(metadataOf(account)['namespace']);
  const now = Math.floor(facts.nowMs / MS_PER_SECOND);
  const { warnAfterSeconds } = facts;
  return {
    aud: audiences,
    exp: now + facts.expirationSeconds,
    iat: now,
    iss: issuer,
    jti: id,
    'kubernetes.io': {
      namespace,
      ...(bound?.kind === 'node' && { node: refer(bound.object) }),
      ...(bound?.kind === 'pod' && {
        ...(bound.node && { node: { ...bound.node } }),
        pod: refer(bound.object),
      }),
      ...(bound?.kind === 'secret' && { secret: refer(bound.object) }),
      serviceaccount: refer(account),
      ...(warnAfterSeconds !== undefined && { warnafter: now + warnAfterSeconds }),
    },
    nbf: now,
    sub: usernameOf({ namespace, name: nameOf(account) }),
  };
}

/** The claims of a token that is valid as long as a Secret holds it. */
export function makeSecretClaims(account: JsonObject, secret: JsonObject): JsonObject {
  const namespace = textOf(metadataOf(account)['namespace']);
  const name = nameOf(account);
  return {
    iss: SECRET_ISSUER,
    [SECRET_CLAIMS.namespace]: namespace,
    [SECRET_CLAIMS.secretName]: nameOf(secret),
    [SECRET_CLAIMS.accountName]: name,
    [SECRET_CLAIMS.accountUid]: textOf(metadataOf(account)['uid']),
    sub: usernameOf({ namespace, name }),
  };
}

export const SECRET_ISSUER = 'kubernetes/serviceaccount';

export const SECRET_CLAIMS = {
  namespace: 'kubernetes.io/serviceaccount/namespace',
  secretName: 'kubernetes.io/serviceaccount/secret.name',
  accountName: 'kubernetes.io/serviceaccount/service-account.name',
  accountUid: 'kubernetes.io/serviceaccount/service-account.uid',
} as const;

function refer(object: JsonObject): JsonObject {
  return { name: nameOf(object), uid: textOf(metadataOf(object)['uid']) };
}
