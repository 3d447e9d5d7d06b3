/**
 * Thrown when an invariant is broken: a bug of podkeep. Code that catches it does not continue with the same
 * pod.
 */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Throws InvariantError unless the condition is true. The message says what was found instead. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** The end of a switch over a closed set: a forgotten case does not compile. */
export function unreachable(value: never): never {
  throw new InvariantError(`unexpected ${JSON.stringify(value)}`);
}
