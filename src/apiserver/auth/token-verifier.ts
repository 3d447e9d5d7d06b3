/**
 * Verifies service account tokens.
 *
 * The signature proves that this server issued the token; everything else is looked up each time. So a token
 * becomes invalid as soon as its account, or the pod, Secret or node to which it is bound, is deleted.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ObjectStore } from '../../ports/api/object-store.ts';
import { readStruct, readText, readTexts } from '../../api/validation/json-reading.ts';
import { parseTime } from '../../api/values/time.ts';
import { metadataOf, textOf } from '../objects/metadata.ts';
import { CREDENTIAL_ID } from '../objects/groups.ts';
import { isSignedBy, readToken, type Token } from '../objects/json-web-token.ts';
import { verifySecretToken } from './secret-token.ts';
import { groupsOf, usernameOf } from './service-account-name.ts';
import type { VerifyingKey } from '../objects/signing-key.ts';
import { SECRET_ISSUER } from './token-claims.ts';
import { intersect, refuse, type TokenAccepted, type TokenReviewResult } from './token-review.ts';

export interface TokenVerifierOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly keys: readonly VerifyingKey[];
  readonly issuer: string;
  /** The audiences of this server, which are the default. */
  readonly ownAudiences: readonly string[];
}

const MS_PER_SECOND = 1000;
/** The clocks of two machines may differ by this much. */
const LEEWAY_MS = 60_000;
const INVALIDATED = refuse('service account token has been invalidated');
const SIGNATURES_KEPT_MAX = 4096;
const EXTRA = 'authentication.kubernetes.io/';

export class TokenVerifier {
  readonly #options: TokenVerifierOptions;
  /** Tokens with a valid signature. Cached, because verifying a signature is the most expensive step. */
  readonly #signed = new Map<string, Token>();

  constructor(options: TokenVerifierOptions) {
    this.#options = options;
  }

  /** Null: it is not a service account token of this server. */
  verify(text: string, audiences: readonly string[]): TokenReviewResult | null {
    const { issuer, ownAudiences, store } = this.#options;
    const known = this.#signed.get(text) ?? readToken(text);
    if (!known) return null;
    const { claims } = known;
    const { iss } = claims;
    if (iss !== issuer && iss !== SECRET_ISSUER) return null;
    const refusal = this.#checkSignature(text, known);
    if (refusal !== null) return refuse(refusal);
    const given = audiencesOf(claims);
    const target = given.length === 0 ? ownAudiences : given;
    const shared = intersect(target, audiences);
    if (shared.length === 0) {
      const [have, want] = [print(target), print(audiences)];
      return refuse(`token audiences ${have} is invalid for the target audiences ${want}`);
    }
    if (iss === SECRET_ISSUER) return verifySecretToken(store, text, claims, shared);
    return this.#checkTimes(claims) ?? this.#checkObjects(claims, shared);
  }

  #checkSignature(text: string, token: Token): string | null {
    if (this.#signed.has(text)) return null;
    const { keyId } = token;
    const keys = this.#options.keys.filter(({ id }) => keyId === '' || keyId === id);
    if (keys.length === 0) return 'invalid signature, no keys found';
    if (!keys.some((key) => isSignedBy(key, token)))
      return 'go-jose/go-jose: error in cryptographic primitive';
    if (this.#signed.size >= SIGNATURES_KEPT_MAX) this.#signed.clear();
    this.#signed.set(text, token);
    return null;
  }

  #checkTimes({ exp, nbf, iat }: JsonObject): TokenReviewResult | null {
    const nowMs = this.#options.clock.now();
    const isAhead = (seconds: unknown): boolean =>
      typeof seconds === 'number' && nowMs + LEEWAY_MS < seconds * MS_PER_SECOND;
    if (isAhead(nbf)) return refuse('service account token is not valid yet');
    if (typeof exp === 'number' && nowMs - LEEWAY_MS > exp * MS_PER_SECOND) {
      return refuse('service account token has expired');
    }
    return isAhead(iat) ? refuse('service account token is issued in the future') : null;
  }

  #checkObjects(claims: JsonObject, audiences: readonly string[]): TokenReviewResult {
    const own = readStruct(claims['kubernetes.io']);
    const namespace = readText(own['namespace']);
    const account = readStruct(own['serviceaccount']);
    return (
      this.#checkAccount(namespace, account) ??
      this.#checkBound('secret', `/core/secrets/${namespace}/`, own['secret']) ??
      this.#checkBound('pod', `/core/pods/${namespace}/`, own['pod']) ??
      (own['pod'] === undefined ? this.#checkBound('node', '/core/nodes/', own['node']) : null) ??
      accept(claims, { namespace, account, own, audiences })
    );
  }

  #checkAccount(namespace: string, claimed: JsonObject): TokenReviewResult | null {
    const name = readText(claimed['name']);
    const found = this.#options.store.get(`/core/serviceaccounts/${namespace}/${name}`)?.value;
    if (!found) return refuse(`serviceaccounts "${name}" not found`);
    const [uid, given] = [textOf(metadataOf(found)['uid']), readText(claimed['uid'])];
    if (uid !== given)
      return refuse(`service account UID (${uid}) does not match claim (${given})`);
    if (!this.#isDeleted(found)) return null;
    return refuse(`service account ${namespace}/${name} has been deleted`);
  }

  #checkBound(
    kind: string,
    prefix: string,
    claimed: JsonObject[string] | undefined,
  ): TokenReviewResult | null {
    if (claimed === undefined) return null;
    const { name, uid: given } = readStruct(claimed);
    const found = this.#options.store.get(`${prefix}${readText(name)}`)?.value;
    if (!found) return INVALIDATED;
    const uid = textOf(metadataOf(found)['uid']);
    if (uid !== given) {
      const claim = `service account ${kind} ref claim (${readText(given)})`;
      return refuse(`${kind} UID (${uid}) does not match ${claim}`);
    }
    return this.#isDeleted(found) ? INVALIDATED : null;
  }

  /** Whether the deletion began longer ago than the leeway. */
  #isDeleted(object: JsonObject): boolean {
    const { deletionTimestamp } = metadataOf(object);
    if (typeof deletionTimestamp !== 'string') return false;
    return parseTime(deletionTimestamp).ms < this.#options.clock.now() - LEEWAY_MS;
  }
}

interface Checked {
  readonly namespace: string;
  readonly account: JsonObject;
  /** The claim `kubernetes.io`. */
  readonly own: JsonObject;
  readonly audiences: readonly string[];
}

function accept({ jti }: JsonObject, checked: Checked): TokenAccepted {
  const { namespace, account, own, audiences } = checked;
  const [pod, node] = [readStruct(own['pod']), readStruct(own['node'])];
  const [podName, podUid] = [readText(pod['name']), readText(pod['uid'])];
  const [nodeName, nodeUid] = [readText(node['name']), readText(node['uid'])];
  const name = readText(account['name']);
  const user = {
    name: usernameOf({ namespace, name }),
    uid: readText(account['uid']),
    groups: groupsOf({ namespace }),
    extra: {
      ...(readText(jti) !== '' && { [CREDENTIAL_ID]: [`JTI=${readText(jti)}`] }),
      ...(nodeName !== '' && { [`${EXTRA}node-name`]: [nodeName] }),
      ...(nodeName !== '' && nodeUid !== '' && { [`${EXTRA}node-uid`]: [nodeUid] }),
      ...(podName !== '' &&
        podUid !== '' && { [`${EXTRA}pod-name`]: [podName], [`${EXTRA}pod-uid`]: [podUid] }),
    },
  };
  return { user, audiences };
}

/** A single audience may be a plain string instead of a list. */
function audiencesOf({ aud }: JsonObject): readonly string[] {
  return typeof aud === 'string' ? [aud] : readTexts(aud);
}

/** The list as Go prints quoted strings. */
function print(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
}
