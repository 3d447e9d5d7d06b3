/**
 * Where a pod of containers may say something else than the recorded one of the kubelet: word by word, and
 * why. docs/cri-runtime.md tells users the same. Everything that is not here is a mistake.
 */
import type { Difference } from '../../e2e/recordings/difference.ts';

export const DIFFERENCES: readonly Difference[] = [];
