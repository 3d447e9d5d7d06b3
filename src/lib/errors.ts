/**
 * Defines errors that users or the environment cause.
 *
 * Failures such as a dead socket, a bad manifest or a full disk are `PodkeepError`s, created with
 * `defineError`: they have a stable code to branch on, one sentence, a hint with the next thing to try, and
 * whether a retry can help. Bugs are `InvariantError`s (assert.ts). The two kinds are never mixed.
 */

export type Retry = 'backoff' | 'never';

export class PodkeepError extends Error {
  override readonly name = 'PodkeepError';
  readonly code: string;
  readonly hint: string;
  readonly retry: Retry;

  constructor(code: string, message: string, hint: string, retry: Retry, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint;
    this.retry = retry;
  }
}

export interface ErrorDefinition<Facts> {
  readonly code: string;
  readonly retry: Retry;
  readonly message: (facts: Facts) => string;
  readonly hint: (facts: Facts) => string;
}

/** Returns a function that creates the error from its facts and its cause. */
export function defineError<Facts>(
  definition: ErrorDefinition<Facts>,
): (facts: Facts, cause?: unknown) => PodkeepError {
  const { code, retry, message, hint } = definition;
  return (facts, cause) => new PodkeepError(code, message(facts), hint(facts), retry, cause);
}
