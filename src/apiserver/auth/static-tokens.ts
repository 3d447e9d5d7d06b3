/**
 * Authenticates static tokens from the server's configuration, each for one user.
 *
 * Comparison takes the same time for every wrong token, so that timing reveals nothing about valid ones. It
 * compares hashes, because they have the same length for all tokens.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { User } from '../objects/access.ts';
import { intersect, type TokenAccepted } from './token-review.ts';

export interface StaticToken {
  readonly token: string;
  readonly user: User;
}

export class StaticTokens {
  readonly #known: readonly (readonly [hash: Buffer, user: User])[];
  readonly #ownAudiences: readonly string[];

  constructor(tokens: readonly StaticToken[], ownAudiences: readonly string[]) {
    this.#known = tokens.map(({ token, user }) => [hashOf(token), user] as const);
    this.#ownAudiences = ownAudiences;
  }

  /** Null: no such token, or this server is not among the audiences. */
  find(token: string, audiences: readonly string[]): TokenAccepted | null {
    const hash = hashOf(token);
    // All are compared, so that the time does not reveal which one matched.
    const found = this.#known.reduce<User | null>(
      (before, [known, user]) => (timingSafeEqual(known, hash) ? user : before),
      null,
    );
    const shared = intersect(audiences, this.#ownAudiences);
    return found && shared.length > 0 ? { user: found, audiences: shared } : null;
  }
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
