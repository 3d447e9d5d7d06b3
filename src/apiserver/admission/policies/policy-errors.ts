/** Why a policy could not be applied: its failure policy decides. */

/** The policy or the binding cannot be used. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** A mutation failed. */
export class MutationError extends Error {
  override readonly name = 'MutationError';
}
