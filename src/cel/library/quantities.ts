/** The quantity library: `quantity('500Mi').isLessThan(quantity('1Gi'))`. */
import { parseQuantity } from '../../api/values/quantity-text.ts';
import {
  addQuantities,
  compareQuantities,
  quantityFromInteger,
  quantityValue,
  signOfQuantity,
  subtractQuantities,
  type Quantity,
} from '../../api/values/quantity.ts';
import { CelError } from '../fault.ts';
import { overload, type Overload } from '../overload.ts';
import { Opaque, type CelValue } from '../value.ts';
import { int, quantityParts, text } from './arguments.ts';

const NANO = 1_000_000_000n;
const INT_MAX = 2n ** 63n - 1n;

function read(value: string): Quantity | undefined {
  try {
    return parseQuantity(value);
  } catch {
    return undefined;
  }
}

function made(quantity: Quantity): CelValue {
  return new Opaque('Quantity', quantity);
}

function quantity(value: CelValue | undefined): Quantity {
  return quantityParts(value);
}

function isInteger({ nanos }: Quantity): boolean {
  const whole = nanos / NANO;
  return nanos % NANO === 0n && whole <= INT_MAX && whole >= -INT_MAX;
}

export const quantities: readonly Overload[] = [
  overload('quantity(string): Quantity', ([a]) => {
    const found = read(text(a));
    if (!found) throw new CelError('invalid quantity');
    return made(found);
  }),
  overload('isQuantity(string): bool', ([a]) => read(text(a)) !== undefined),
  overload('Quantity.isGreaterThan(Quantity): bool', ([a, b]) => {
    return compareQuantities(quantity(a), quantity(b)) > 0;
  }),
  overload('Quantity.isLessThan(Quantity): bool', ([a, b]) => {
    return compareQuantities(quantity(a), quantity(b)) < 0;
  }),
  overload('Quantity.compareTo(Quantity): int', ([a, b]) => {
    return BigInt(compareQuantities(quantity(a), quantity(b)));
  }),
  // In Kubernetes `sign` is a function, although its documentation shows a method.
  overload('sign(Quantity): int', ([a]) => BigInt(signOfQuantity(quantity(a)))),
  overload('Quantity.isInteger(): bool', ([a]) => isInteger(quantity(a))),
  overload('Quantity.asInteger(): int', ([a]) => {
    if (!isInteger(quantity(a))) throw new CelError('cannot convert value to integer');
    return quantityValue(quantity(a));
  }),
  overload('Quantity.asApproximateFloat(): double', ([a]) => Number(quantity(a).nanos) / 1e9),
  overload('Quantity.add(Quantity): Quantity', ([a, b]) => {
    return made(addQuantities(quantity(a), quantity(b)));
  }),
  overload('Quantity.add(int): Quantity', ([a, b]) => {
    return made(addQuantities(quantity(a), quantityFromInteger(int(b))));
  }),
  overload('Quantity.sub(Quantity): Quantity', ([a, b]) => {
    return made(subtractQuantities(quantity(a), quantity(b)));
  }),
  overload('Quantity.sub(int): Quantity', ([a, b]) => {
    return made(subtractQuantities(quantity(a), quantityFromInteger(int(b))));
  }),
];
