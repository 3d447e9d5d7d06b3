/** Computes exact sums and maxima of resource lists. */
import { addQuantities, compareQuantities, type Quantity } from './quantity.ts';
import { formatQuantity, readQuantity } from './quantity-text.ts';
import type { ResourceList } from '../resources.ts';

export type Amounts = ReadonlyMap<string, Quantity>;

export function amountsOf(list: ResourceList | undefined): Amounts {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, readQuantity(text)]));
}

export function resourceListOf(amounts: Amounts): ResourceList {
  return Object.fromEntries(
    [...amounts].map(([name, quantity]) => [name, formatQuantity(quantity)]),
  );
}

export function addAmounts(a: Amounts, b: Amounts): Amounts {
  return combine(a, b, addQuantities);
}

export function maxAmounts(a: Amounts, b: Amounts): Amounts {
  return combine(a, b, (x, y) => (compareQuantities(y, x) > 0 ? y : x));
}

function combine(a: Amounts, b: Amounts, join: (x: Quantity, y: Quantity) => Quantity): Amounts {
  if (b.size === 0) return a;
  if (a.size === 0) return b;
  const result = new Map(a);
  for (const [name, quantity] of b) {
    const before = result.get(name);
    result.set(name, before ? join(before, quantity) : quantity);
  }
  return result;
}
