/**
 * Sums the requests or limits of a pod's containers, ignoring pod-level resources.
 *
 * The result is the maximum of (a) all containers and sidecars together and (b) each init container with the
 * sidecars that start before it. core/resources/pod-resources.ts computes the same; this file accepts
 * unvalidated specs.
 */
import { addAmounts, maxAmounts, type Amounts } from '../../values/resource-amounts.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { readObjects, readStruct } from '../../validation/json-reading.ts';
import { readAmounts } from '../../validation/quantities.ts';

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
