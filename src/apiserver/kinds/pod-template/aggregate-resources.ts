/**
 * What the containers of a pod need together, whatever the pod itself says.
 *
 * The larger of what runs at the same time and what any init container needs while the sidecars
 * before it run: the same sum as core/pod-resources.ts, for specs that nobody has validated yet.
 */
import { addAmounts, maxAmounts, type Amounts } from '../../../core/resource-amounts.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { readObjects, readStruct } from '../validation/json-reading.ts';
import { readAmounts } from '../validation/quantities.ts';

export function aggregateAmounts(spec: JsonObject, list: 'limits' | 'requests'): Amounts {
  const amountsOf = (container: JsonObject): Amounts =>
    readAmounts(readStruct(container['resources'])[list]);
  let running: Amounts = new Map();
  for (const container of readObjects(spec['containers'])) {
    running = addAmounts(running, amountsOf(container));
  }
  let sidecars: Amounts = new Map();
  let initializing: Amounts = new Map();
  for (const container of readObjects(spec['initContainers'])) {
    const own = amountsOf(container);
    if (container['restartPolicy'] === 'Always') {
      running = addAmounts(running, own);
      sidecars = addAmounts(sidecars, own);
      initializing = maxAmounts(initializing, sidecars);
    } else {
      initializing = maxAmounts(initializing, addAmounts(own, sidecars));
    }
  }
  return maxAmounts(running, initializing);
}
