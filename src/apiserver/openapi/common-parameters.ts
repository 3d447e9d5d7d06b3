/** Moves parameters that all operations of a path share to the path. */
import type { Operation, Parameter } from './spec.ts';

export interface SharedParameters {
  readonly common: readonly Parameter[];
  readonly own: (operation: Operation) => readonly Parameter[];
}

export function shareParameters(operations: readonly Operation[]): SharedParameters {
  const [first, ...others] = operations;
  const isCommon = (parameter: Parameter): boolean =>
    others.every(({ parameters }) => parameters.some((one) => isSame(one, parameter)));
  const common = first?.parameters.filter(isCommon) ?? [];
  const own = ({ parameters }: Operation): readonly Parameter[] =>
    parameters.filter((parameter) => !common.some((one) => isSame(one, parameter)));
  return { common, own };
}

function isSame(a: Parameter, b: Parameter): boolean {
  return a.name === b.name && a.in === b.in;
}
