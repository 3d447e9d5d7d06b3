/**
 * Limits how deep a patch may nest.
 *
 * Patches are processed recursively, and a document of a few kilobytes can nest deeper than any stack. A
 * fixed limit makes the answer independent of how full the stack was. No Kubernetes object comes near it.
 */
import { defineError } from '../../lib/errors.ts';

const DEPTH_MAX = 1000;

const patchTooDeep = defineError<undefined>({
  code: 'PATCH_TOO_DEEP',
  retry: 'never',
  message: () => `exceeded max depth: the document nests deeper than ${DEPTH_MAX} levels`,
  hint: () => 'Flatten the object, or send the deep part as a string.',
});

/** The next depth. Throws PATCH_TOO_DEEP beyond the limit. */
export function descend(depth: number): number {
  if (depth >= DEPTH_MAX) throw patchTooDeep(undefined);
  return depth + 1;
}
