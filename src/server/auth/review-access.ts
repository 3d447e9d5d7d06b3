/**
 * Authenticates clients with certificates of the cluster's authority or TokenReview, and authorizes them with
 * SubjectAccessReview.
 *
 *     client ── identified in this process ───┐
 *             ── certificate ──────────────────┼─> user ──SubjectAccessReview──> yes, no
 *             ── token ──TokenReview───────────┤
 *             ── nothing, if anonymous ────────┘   system:anonymous
 *
 * Answers are cached (authentication.webhook.cacheTTL, authorization.webhook.cache…TTL), so that not every
 * scrape costs a request. A client with an invalid token is refused, not treated as anonymous.
 */
import { createHash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { User, ClientIdentity } from '../../ports/api/http-handler.ts';
import type { KubeApi } from '../../ports/api/kube-api.ts';
import type {
  KubeletAccess,
  KubeletDecision,
  NodeAttributes,
} from '../../ports/api/kubelet-access.ts';
import { DecisionCache } from './decision-cache.ts';

export interface ReviewAccessOptions {
  readonly clock: Clock;
  readonly api: Pick<KubeApi, 'send'>;
  /** The user that a certificate names. Null: it names none, or is not valid any more. */
  certificateUser(der: Uint8Array, nowMs: number): User | null;
  /** Absent: false. */
  readonly allowsAnonymous?: boolean;
  readonly tokenMs?: number;
  readonly authorizedMs?: number;
  readonly unauthorizedMs?: number;
}

const TOKEN_MS = 120_000;
const AUTHORIZED_MS = 300_000;
const UNAUTHORIZED_MS = 30_000;
const AUTHENTICATED = 'system:authenticated';
const ANONYMOUS: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

export class ReviewAccess implements KubeletAccess {
  readonly #options: ReviewAccessOptions;
  readonly #tokens: DecisionCache<User | null>;
  readonly #decisions: DecisionCache<KubeletDecision>;

  constructor(options: ReviewAccessOptions) {
    const { clock, tokenMs = TOKEN_MS } = options;
    const { authorizedMs = AUTHORIZED_MS, unauthorizedMs = UNAUTHORIZED_MS } = options;
    this.#options = options;
    this.#tokens = new DecisionCache(clock, () => tokenMs);
    this.#decisions = new DecisionCache(clock, ({ allowed }) =>
      allowed ? authorizedMs : unauthorizedMs,
    );
  }

  async identify(clientIdentity: ClientIdentity, bearerToken: string | null): Promise<User | null> {
    if (clientIdentity.user) return clientIdentity.user;
    const { clock, allowsAnonymous = false } = this.#options;
    const { certificate } = clientIdentity;
    const named = certificate && this.#options.certificateUser(certificate, clock.now());
    if (named) return authenticated(named);
    if (bearerToken !== null) return this.#userOfToken(bearerToken);
    if (certificate || clientIdentity.certificateFault !== undefined) return null;
    return allowsAnonymous ? ANONYMOUS : null;
  }

  authorize(user: User, attributes: NodeAttributes): Promise<KubeletDecision> {
    const spec = reviewSpec(user, attributes);
    return this.#decisions.get(JSON.stringify(spec), async () => {
      const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
      const kind = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview' };
      const status = await this.#review(path, { ...kind, spec });
      const allowed = status['allowed'] === true && status['denied'] !== true;
      return { allowed, reason: textOf(status['reason']) };
    });
  }

  /** The cache key is a hash, so the token itself is not stored. */
  #userOfToken(token: string): Promise<User | null> {
    return this.#tokens.get(createHash('sha256').update(token).digest('hex'), async () => {
      const path = '/apis/authentication.k8s.io/v1/tokenreviews';
      const kind = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' };
      const status = await this.#review(path, { ...kind, spec: { token } });
      if (status['authenticated'] !== true || !isJsonObject(status['user'])) return null;
      return authenticated(userOf(status['user']));
    });
  }

  async #review(path: string, body: JsonObject): Promise<JsonObject> {
    const { status } = await this.#options.api.send({ method: 'POST', path, body });
    return isJsonObject(status) ? status : {};
  }
}

function reviewSpec(user: User, { verb, nodeName, subresource }: NodeAttributes): JsonObject {
  const { name, uid, groups, extra } = user;
  return {
    user: name,
    ...(uid !== undefined && { uid }),
    groups,
    ...(extra && { extra: { ...extra } }),
    resourceAttributes: { verb, version: 'v1', resource: 'nodes', subresource, name: nodeName },
  };
}

function userOf({ username, uid, groups, extra }: JsonObject): User {
  return {
    name: textOf(username),
    ...(typeof uid === 'string' && uid !== '' && { uid }),
    groups: textsOf(groups),
    ...(isJsonObject(extra) && {
      extra: Object.fromEntries(Object.entries(extra).map(([key, value]) => [key, textsOf(value)])),
    }),
  };
}

function authenticated(user: User): User {
  if (user.groups.includes(AUTHENTICATED)) return user;
  return { ...user, groups: [...user.groups, AUTHENTICATED] };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
