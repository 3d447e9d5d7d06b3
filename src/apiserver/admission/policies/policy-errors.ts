/**
 * Errors that keep a policy from being applied to a request. Its `failurePolicy` then decides whether the
 * request is refused.
 */

/** The policy or the binding is misconfigured. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** A mutation of the policy failed. */
export class MutationError extends Error {
  override readonly name = 'MutationError';
}
