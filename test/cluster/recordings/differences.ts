/**
 * Where the status of a pod of containers may differ from the recorded one of the kubelet: word by word,
 * and why. docs/cri-runtime.md has the same for users. Any other difference is a mistake.
 */
import type { Difference } from '../../e2e/recordings/difference.ts';

export const DIFFERENCES: readonly Difference[] = [];
