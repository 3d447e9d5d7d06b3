/**
 * How deep a patch may reach.
 *
 * Patches are walked by recursion, and a document of a few kilobytes can nest deeper than any
 * stack. It is refused at a fixed depth, so that the answer does not depend on how full the stack
 * was. No Kubernetes object comes near it.
 */
import { defineError } from '../../lib/errors.ts';

const DEPTH_MAX = 1000;

const patchTooDeep = defineError<undefined>({
  code: 'PATCH_TOO_DEEP',
  retry: 'never',
  message: () => `exceeded max depth: the document nests deeper than ${DEPTH_MAX} levels`,
  hint: () => 'Flatten the object, or send the deep part as a string.',
});

/** One level further down, or the error. */
export function descend(depth: number): number {
  if (depth >= DEPTH_MAX) throw patchTooDeep(undefined);
  return depth + 1;
}
