/** What became of a bearer token. */
import type { User } from '../access.ts';

export type TokenVerdict = TokenAccepted | TokenRefused;

export interface TokenAccepted {
  readonly user: User;
  /** For which of the audiences that were asked about it is good. */
  readonly audiences: readonly string[];
}

export interface TokenRefused {
  /** Why not. Only a TokenReview tells it; whoever comes with the token hears `Unauthorized`. */
  readonly refusal: string;
}

/** Nobody here knows this token. */
export const UNKNOWN_TOKEN: TokenRefused = { refusal: 'invalid bearer token' };

export function refuse(refusal: string): TokenRefused {
  return { refusal };
}

export function intersect(some: readonly string[], others: readonly string[]): readonly string[] {
  return some.filter((one) => others.includes(one));
}
