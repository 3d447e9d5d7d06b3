/**
 * Who asks: the certificate of the connection, else the bearer token, else nobody.
 *
 * Nobody may see that the server is alive and which version it has, and nothing else. Credentials that
 * are wrong are refused even there: whoever sends them wants to know that they are.
 */
import type { ApiRequest } from '../../ports/http-handler.ts';
import type { Clock } from '../../ports/clock.ts';
import type { User, ClientIdentity } from '../access.ts';
import { readUrl } from '../request-url.ts';
import { StatusError } from '../status.ts';
import { joinErrors } from './authorizer.ts';
import { userOfCertificate } from './certificate-user.ts';
import { ANONYMOUS_USER, withAuthenticated } from './groups.ts';
import type { StaticTokens } from './static-tokens.ts';
import { refuse, UNKNOWN_TOKEN, type TokenVerdict } from './token-verdict.ts';
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
    // Whoever shows something that proves nothing is not the same as who shows nothing.
    const hasShown = certificate !== undefined || certificateFault !== undefined;
    const token = readBearer(headers.get('authorization'));
    if (token !== null) {
      const verdict = this.review(token, ownAudiences);
      if ('user' in verdict) return verdict.user;
    } else if (!hasShown && OPEN_PATHS.has(readUrl(url).pathname)) {
      return ANONYMOUS_USER;
    }
    throw unauthorized();
  }

  /** Whose token this is, if it is meant for one of these. */
  review(token: string, audiences: readonly string[]): TokenVerdict {
    const { staticTokens, verifier } = this.#options;
    const verdict = staticTokens.find(token, audiences) ?? verifier.verify(token, audiences);
    if (!verdict) return UNKNOWN_TOKEN;
    if ('user' in verdict) return { ...verdict, user: withAuthenticated(verdict.user) };
    // Both have refused it, and kube-apiserver tells both.
    return refuse(joinErrors([UNKNOWN_TOKEN.refusal, verdict.refusal]));
  }
}

export function unauthorized(): StatusError {
  return new StatusError(401, 'Unauthorized', 'Unauthorized');
}

/** Null: there is none. The scheme may be in any case. */
function readBearer(header: string | null): string | null {
  const [scheme = '', token = ''] = (header ?? '').trim().split(' ');
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : null;
}
