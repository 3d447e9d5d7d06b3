/**
 * Authenticates requests: by the certificate of the connection, else by the bearer token, else as anonymous.
 *
 * Anonymous clients may read the health endpoints and the version, nothing else. Invalid credentials are
 * refused even there, so that the client learns that they are invalid.
 */
import type { ApiRequest } from '../../ports/api/http-handler.ts';
import type { Clock } from '../../ports/clock.ts';
import type { User, ClientIdentity } from '../objects/access.ts';
import { readUrl } from '../requests/request-url.ts';
import { StatusError } from '../objects/status.ts';
import { joinErrors } from './authorizer.ts';
import { userOfCertificate } from './certificate-user.ts';
import { ANONYMOUS_USER, withAuthenticated } from '../objects/groups.ts';
import type { StaticTokens } from './static-tokens.ts';
import { refuse, UNKNOWN_TOKEN, type TokenReviewResult } from './token-review.ts';
import type { TokenVerifier } from './token-verifier.ts';

export interface AuthenticatorOptions {
  readonly clock: Clock;
  readonly staticTokens: StaticTokens;
  readonly verifier: TokenVerifier;
  readonly ownAudiences: readonly string[];
}

const OPEN_PATHS: ReadonlySet<string> = new Set([
  '/healthz',
  '/livez',
  '/readyz',
  '/version',
  '/version/',
]);

export class Authenticator {
  readonly #options: AuthenticatorOptions;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /** Throws a StatusError (401). */
  authenticate({ url, headers }: ApiRequest, clientIdentity: ClientIdentity): User {
    const { user, certificate, certificateFault } = clientIdentity;
    if (user) return user;
    const { clock, ownAudiences } = this.#options;
    const holder = certificate && userOfCertificate(certificate, clock.now());
    if (holder) return withAuthenticated(holder);
    // A client with invalid credentials is refused, not anonymous.
    const hasShown = certificate !== undefined || certificateFault !== undefined;
    const token = readBearer(headers.get('authorization'));
    if (token !== null) {
      const review = this.review(token, ownAudiences);
      if ('user' in review) return review.user;
    } else if (!hasShown && OPEN_PATHS.has(readUrl(url).pathname)) {
      return ANONYMOUS_USER;
    }
    throw unauthorized();
  }

  /** The user of a token, if the token is valid for one of these audiences. */
  review(token: string, audiences: readonly string[]): TokenReviewResult {
    const { staticTokens, verifier } = this.#options;
    const review = staticTokens.find(token, audiences) ?? verifier.verify(token, audiences);
    if (!review) return UNKNOWN_TOKEN;
    if ('user' in review) return { ...review, user: withAuthenticated(review.user) };
    // Both the static tokens and the verifier refused the token; kube-apiserver reports both errors.
    return refuse(joinErrors([UNKNOWN_TOKEN.refusal, review.refusal]));
  }
}

export function unauthorized(): StatusError {
  return new StatusError(401, 'Unauthorized', 'Unauthorized');
}

/** Null: there is no bearer token. The scheme is case-insensitive. */
function readBearer(header: string | null): string | null {
  const [scheme = '', token = ''] = (header ?? '').trim().split(' ');
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : null;
}
