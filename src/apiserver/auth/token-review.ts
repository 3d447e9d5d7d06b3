/** The result of checking a bearer token. */
import type { User } from '../objects/access.ts';

export type TokenReviewResult = TokenAccepted | TokenRefused;

export interface TokenAccepted {
  readonly user: User;
  /** The requested audiences for which the token is valid. */
  readonly audiences: readonly string[];
}

export interface TokenRefused {
  /** The reason. Only a TokenReview shows it; the client of the token gets `Unauthorized`. */
  readonly refusal: string;
}

/** No authenticator recognizes the token. */
export const UNKNOWN_TOKEN: TokenRefused = { refusal: 'invalid bearer token' };

export function refuse(refusal: string): TokenRefused {
  return { refusal };
}

export function intersect(some: readonly string[], others: readonly string[]): readonly string[] {
  return some.filter((one) => others.includes(one));
}
