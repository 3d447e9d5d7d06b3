/**
 * Limits the size of an expression's result before it is converted to JSON: a list that contains another list
 * twice, which again contains one twice, is small in memory and huge as text.
 */
import { ListValue, MapValue, MessageValue, type CelValue } from '../../../cel/cel.ts';
import { MutationError } from './policy-errors.ts';

/** More than the number of fields that the largest storable object can have. */
const PARTS_MAX = 200_000;

/** Throws a MutationError. */
export function checkResultSize(value: CelValue, partsMax: number = PARTS_MAX): void {
  const stack: CelValue[] = [value];
  let parts = 0;
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    parts += 1;
    if (parts > partsMax) {
      throw new MutationError(`the result has more than ${partsMax} parts`);
    }
    if (next instanceof ListValue) stack.push(...next.items);
    else if (next instanceof MapValue) stack.push(...next.entries().map(([, inner]) => inner));
    else if (next instanceof MessageValue) stack.push(...next.fields.values());
  }
}
