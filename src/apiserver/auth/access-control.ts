/**
 * Assembles authentication, authorization and the admission plugins that belong to them.
 *
 *     listener ─> authenticator ─> impersonation ─> authorizer ─> admission: escalation, nodes, certificates
 *
 * It is created before the ApiServer, which gets it as follows:
 *
 *     const access = createAccess({ store, clock, random, log }, { issuer, signingKey, … });
 *     new ApiServer({
 *       …,
 *       access: () => access,
 *       admission: access.admission,
 *       actions: (parts) => createAccessActions(parts, access),
 *       pages: () => [accessHandlers(access)],
 *     });
 */
import type { KeyObject } from 'node:crypto';
import type { JsonObject } from '../../lib/json.ts';
import type { ApiRequest } from '../../ports/api/http-handler.ts';
import { MASTER, type Access, type AccessDecision, type Attributes } from '../objects/access.ts';
import type { AccessObserver, User, ClientIdentity } from '../objects/access.ts';
import type { Actions } from '../objects/action.ts';
import { reviewActions } from './reviews/reviews.ts';
import { tokenRequestAction } from './reviews/token-request.ts';
import type { Admission } from '../registry/admission.ts';
import { nodeRules } from './rbac/rbac-policy.ts';
import { attributesOf, verbOf } from '../registry/call.ts';
import type { PathHandler } from '../requests/path-handler.ts';
import { readResourcePath } from '../requests/request-info.ts';
import { readUrl } from '../requests/request-url.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { Authenticator } from './authenticator.ts';
import { alwaysAllow, askInTurn, type Authorizer } from './authorizer.ts';
import { CertificateAdmission } from './certificate-admission.ts';
import { withAuthenticated } from '../objects/groups.ts';
import { Impersonation } from './impersonation.ts';
import { NodeAuthorizer } from './node/node-authorizer.ts';
import { NodeRestriction } from './node/node-restriction.ts';
import { openIdHandler } from './openid-handlers.ts';
import { EscalationCheck } from './rbac/escalation.ts';
import { RbacAuthorizer } from './rbac/rbac-authorizer.ts';
import { RbacIndex } from './rbac/rbac-index.ts';
import { serviceAccountToken } from './service-account-token.ts';
import {
  openSigningKey,
  openVerifyingKeys,
  type SigningKey,
  type VerifyingKey,
} from '../objects/signing-key.ts';
import { StaticTokens, type StaticToken } from './static-tokens.ts';
import { TokenVerifier } from './token-verifier.ts';

export type AccessPorts = Pick<ServerParts, 'store' | 'clock' | 'random' | 'log'>;

export interface AccessOptions {
  /**
   * A plain string authenticates a member of system:masters; a StaticToken authenticates the user that it
   * names.
   */
  readonly adminTokens?: readonly (string | StaticToken)[];
  /** The issuer of service account tokens: a stable address of the server. */
  readonly issuer?: string;
  /** The default audiences of tokens. Absent: the issuer. */
  readonly audiences?: readonly string[];
  /** A P-256 key, as PEM or as a KeyObject. */
  readonly signingKey: string | KeyObject;
  /** PEMs of earlier signing keys, whose tokens are still valid. */
  readonly verifyingKeys?: readonly string[];
  readonly mode: AuthorizationMode;
}

/** `RBAC`: roles decide, and for kubelets the node authorizer, too. */
export type AuthorizationMode = 'RBAC' | 'AlwaysAllow';

export const DEFAULT_ISSUER = 'https://kubernetes.default.svc.cluster.local';

export function createAccess(ports: AccessPorts, options: AccessOptions): AccessControl {
  return new AccessControl(ports, options);
}

/** Handlers for service account tokens and for all reviews. */
export function createAccessActions(parts: ServerParts, access: AccessControl): Actions {
  return new Map([
    ...reviewActions(parts.clock, access),
    ['/serviceaccounts/token', tokenRequestAction(parts, access)],
  ]);
}

export function accessHandlers({ issuer, verifyingKeys }: AccessControl): PathHandler {
  return openIdHandler(issuer, verifyingKeys);
}

export class AccessControl implements Access {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly signingKey: SigningKey;
  /** The key with which tokens are signed comes first. */
  readonly verifyingKeys: readonly VerifyingKey[];
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly nodeRestriction: NodeRestriction;
  /** The plugins that the server runs after its own admission. */
  readonly admission: readonly Admission[];
  readonly #impersonation: Impersonation;
  readonly #index: RbacIndex;
  readonly #nodes: NodeAuthorizer;

  constructor({ store, clock }: AccessPorts, options: AccessOptions) {
    this.issuer = options.issuer ?? DEFAULT_ISSUER;
    this.audiences = options.audiences ?? [this.issuer];
    this.signingKey = openSigningKey(options.signingKey);
    this.verifyingKeys = withoutRepeats([
      this.signingKey,
      ...(options.verifyingKeys ?? []).flatMap(openVerifyingKeys),
    ]);
    const { issuer, verifyingKeys: keys, audiences: ownAudiences } = this;
    const verifier = new TokenVerifier({ store, clock, keys, issuer, ownAudiences });
    const staticTokens = new StaticTokens(
      (options.adminTokens ?? []).map(adminToken),
      ownAudiences,
    );
    this.authenticator = new Authenticator({ clock, staticTokens, verifier, ownAudiences });
    this.#index = new RbacIndex(store);
    this.#nodes = new NodeAuthorizer(store, nodeRules());
    const roles = new RbacAuthorizer(this.#index);
    this.authorizer =
      options.mode === 'AlwaysAllow' ? alwaysAllow : askInTurn([this.#nodes, roles]);
    this.#impersonation = new Impersonation(this.authorizer);
    this.nodeRestriction = new NodeRestriction(
      store,
      (user, wanted) => this.authorizer.authorize(user, wanted).isAllowed,
    );
    this.admission = [
      this.nodeRestriction,
      new CertificateAdmission(this.authorizer),
      new EscalationCheck(this.#index, roles, this.authorizer),
    ];
  }

  async authenticate(
    request: ApiRequest,
    clientIdentity: ClientIdentity,
    observer?: AccessObserver,
  ): Promise<User> {
    const user = this.authenticator.authenticate(request, clientIdentity);
    observer?.authenticated(user);
    const wanted = (): Attributes => attributesOfRequest(request);
    return this.#impersonation.resolve(user, request.headers, wanted, observer);
  }

  authorize(user: User, attributes: Attributes): AccessDecision {
    return this.authorizer.authorize(user, attributes);
  }

  /** The token for a service account token Secret. */
  makeSecretToken(account: JsonObject, secret: JsonObject): string {
    return serviceAccountToken(this.signingKey, account, secret);
  }

  /** Stops following the store. */
  stop(): void {
    this.#index.stop();
    this.#nodes.stop();
  }
}

function withoutRepeats(keys: readonly VerifyingKey[]): readonly VerifyingKey[] {
  return keys.filter(({ id }, index) => keys.findIndex((key) => key.id === id) === index);
}

function adminToken(token: string | StaticToken): StaticToken {
  return typeof token === 'string' ? { token, user: withAuthenticated(MASTER) } : token;
}

function attributesOfRequest({ method, url }: ApiRequest): Attributes {
  const { pathname, searchParams } = readUrl(url);
  const path = readResourcePath(pathname);
  if (path) return attributesOf(verbOf(method, path, searchParams), path, searchParams);
  return { verb: method === 'HEAD' ? 'get' : method.toLowerCase(), path: pathname };
}
