/**
 * Converts capacity and requests to the scheduler's units: cpu in thousandths, everything else in whole
 * units, both rounded up.
 */
import { quantityMilliValue, quantityValue } from '../../../api/values/quantity.ts';
import type { Value } from '../../../api/validation/json-reading.ts';
import { readAmounts } from '../../../api/validation/quantities.ts';

export type Amounts = ReadonlyMap<string, bigint>;

export function countAmounts(list: Value): Amounts {
  return new Map(
    [...readAmounts(list)].map(([name, quantity]) => [
      name,
      name === 'cpu' ? quantityMilliValue(quantity) : quantityValue(quantity),
    ]),
  );
}
