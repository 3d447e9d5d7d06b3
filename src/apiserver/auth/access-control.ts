/**
 * Who may do what in this server, put together.
 *
 *     door ─> authenticator ─> impersonation ─> authorizer ─> admission: escalation, nodes, certificates
 *
 * Built before the server is, because the server needs all of it:
 *
 *     const access = createAccess({ store, clock, random, log }, { issuer, signingKey, … });
 *     new ApiServer({
 *       …,
 *       access: () => access,
 *       admission: access.admission,
 *       actions: (parts) => createAccessActions(parts, access),
 *       pages: () => [accessPages(access)],
 *     });
 */
import type { KeyObject } from 'node:crypto';
import type { JsonObject } from '../../lib/json.ts';
import type { ApiRequest } from '../../ports/http-handler.ts';
import { MASTER, type Access, type AccessDecision, type Attributes } from '../access.ts';
import type { User, ClientIdentity } from '../access.ts';
import type { Actions } from '../action.ts';
import { reviewActions } from '../actions/reviews.ts';
import { tokenRequestAction } from '../actions/token-request.ts';
import type { Admission } from '../admission/admission.ts';
import { nodeRules } from '../bootstrap/rbac-policy.ts';
import { attributesOf, verbOf } from '../call.ts';
import type { Page } from '../page.ts';
import { readResourcePath } from '../request-info.ts';
import { readUrl } from '../request-url.ts';
import type { ServerParts } from '../server-parts.ts';
import { Authenticator } from './authenticator.ts';
import { alwaysAllow, askInTurn, type Authorizer } from './authorizer.ts';
import { CertificateAdmission } from './certificate-admission.ts';
import { withAuthenticated } from './groups.ts';
import { Impersonation } from './impersonation.ts';
import { NodeAuthorizer } from './node/node-authorizer.ts';
import { NodeRestriction } from './node/node-restriction.ts';
import { openIdPage } from './openid-pages.ts';
import { EscalationCheck } from './rbac/escalation.ts';
import { RbacAuthorizer } from './rbac/rbac-authorizer.ts';
import { RbacIndex } from './rbac/rbac-index.ts';
import { serviceAccountToken } from './service-account-token.ts';
import { openSigningKey, type SigningKey } from './signing-key.ts';
import { StaticTokens, type StaticToken } from './static-tokens.ts';
import { TokenVerifier } from './token-verifier.ts';

export type AccessPorts = Pick<ServerParts, 'store' | 'clock' | 'random' | 'log'>;

export interface AccessOptions {
  /** Whoever has one of these is in system:masters, or whom it is said to be for. */
  readonly adminTokens?: readonly (string | StaticToken)[];
  /** Who issues service account tokens: the address of the server, in a form that stays. */
  readonly issuer?: string;
  /** For whom tokens are if nobody says otherwise; absent: the issuer. */
  readonly audiences?: readonly string[];
  /** P-256, as PEM or as it is. */
  readonly signingKey: string | KeyObject;
  readonly mode: AuthorizationMode;
}

/** `RBAC`: roles decide, and for kubelets what runs on their node. */
export type AuthorizationMode = 'RBAC' | 'AlwaysAllow';

export const DEFAULT_ISSUER = 'https://kubernetes.default.svc.cluster.local';

export function createAccess(ports: AccessPorts, options: AccessOptions): AccessControl {
  return new AccessControl(ports, options);
}

/** Tokens for service accounts, and all reviews. */
export function createAccessActions(parts: ServerParts, access: AccessControl): Actions {
  return new Map([
    ...reviewActions(parts.clock, access),
    ['/serviceaccounts/token', tokenRequestAction(parts, access)],
  ]);
}

export function accessPages({ issuer, signingKey }: AccessControl): Page {
  return openIdPage(issuer, signingKey);
}

export class AccessControl implements Access {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly signingKey: SigningKey;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly nodeRestriction: NodeRestriction;
  /** For the server, to be asked after its own. */
  readonly admission: readonly Admission[];
  readonly #impersonation: Impersonation;
  readonly #index: RbacIndex;
  readonly #nodes: NodeAuthorizer;

  constructor({ store, clock }: AccessPorts, options: AccessOptions) {
    this.issuer = options.issuer ?? DEFAULT_ISSUER;
    this.audiences = options.audiences ?? [this.issuer];
    this.signingKey = openSigningKey(options.signingKey);
    const { issuer, signingKey: key, audiences: ownAudiences } = this;
    const verifier = new TokenVerifier({ store, clock, key, issuer, ownAudiences });
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

  async authenticate(request: ApiRequest, clientIdentity: ClientIdentity): Promise<User> {
    const user = this.authenticator.authenticate(request, clientIdentity);
    return this.#impersonation.resolve(user, request.headers, () => attributesOfRequest(request));
  }

  authorize(user: User, attributes: Attributes): AccessDecision {
    return this.authorizer.authorize(user, attributes);
  }

  /** The token that a Secret for this service account is to hold. */
  makeSecretToken(account: JsonObject, secret: JsonObject): string {
    return serviceAccountToken(this.signingKey, account, secret);
  }

  /** No longer follows the store. */
  stop(): void {
    this.#index.stop();
    this.#nodes.stop();
  }
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
