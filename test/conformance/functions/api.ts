/** Replays of the API's functions: quantities, selectors, patches. */
import { matchesLabels } from '../../../src/api/values/label-selector.ts';
import { parseLabelSelector } from '../../../src/api/values/label-selector-text.ts';
import { applyStrategicMergePatch } from '../../../src/api/patch/strategic-merge-patch.ts';
import { quantityValue } from '../../../src/api/values/quantity.ts';
import { formatQuantity, parseQuantity } from '../../../src/api/values/quantity-text.ts';
import { structOf } from '../../../src/api/schema/schema.ts';
import { PodkeepError } from '../../../src/lib/errors.ts';
import type { Json } from '../../../src/lib/json.ts';
import { replayer } from '../replayer.ts';

interface Selection {
  readonly selector: string;
  readonly labels?: Readonly<Record<string, string>>;
}

interface Patching {
  readonly original: Json;
  readonly patch: Json;
}

export const apiReplayers = {
  parseQuantity: replayer<string>((text) =>
    orError(() => {
      const quantity = parseQuantity(text);
      const value = quantityValue(quantity);
      const isExact = value >= 0n && value <= BigInt(Number.MAX_SAFE_INTEGER);
      const canonical = formatQuantity(quantity);
      return isExact ? { canonical, value: String(value) } : { canonical };
    }),
  ),
  labelSelector: replayer<Selection>(({ selector, labels }) =>
    orError(() => ({ matches: matchesLabels(parseLabelSelector(selector), labels) })),
  ),
  strategicMergePatchPod: replayer<Patching>(
    ({ original, patch }) =>
      orError(() => ({
        object: applyStrategicMergePatch(original, patch, structOf('core/v1.Pod')),
      })),
    'patch',
  ),
};

/** An error that podkeep gives on purpose. Any other is a failure of the replay. */
function orError(compute: () => unknown): unknown {
  try {
    return compute();
  } catch (error) {
    if (error instanceof PodkeepError) return { error: true };
    throw error;
  }
}
