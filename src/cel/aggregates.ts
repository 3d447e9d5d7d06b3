/** Compiles list and map literals. All items of a literal must have the same type. */
import type { Expression, Scope } from './expression.ts';
import { CelFault } from './fault.ts';
import { placeOf, type ASTNode } from './syntax.ts';
import { DYN, joinTypes, printType, type CelType } from './type.ts';
import { ListValue, MapValue } from './value.ts';

export function compileList(items: readonly ASTNode[], scope: Scope, isMixed = false): Expression {
  const inner = items.map((item) => scope.compile(item, scope));
  const item = isMixed ? DYN : commonType(inner, items);
  return {
    type: { kind: 'list', item },
    run: (frame) => {
      frame.budget.spend(inner.length);
      return new ListValue(inner.map((one) => one.run(frame)));
    },
  };
}

export function compileMap(
  entries: readonly (readonly [ASTNode, ASTNode])[],
  scope: Scope,
): Expression {
  const keys = entries.map(([key]) => scope.compile(key, scope));
  const values = entries.map(([, value]) => scope.compile(value, scope));
  const key = commonType(
    keys,
    entries.map(([one]) => one),
  );
  const value = commonType(
    values,
    entries.map(([, one]) => one),
  );
  return {
    type: { kind: 'map', key, value },
    run: (frame) => {
      frame.budget.spend(keys.length);
      return new MapValue(
        keys.map((one, index) => [one.run(frame), values[index]?.run(frame) ?? null] as const),
      );
    },
  };
}

/** The type that all items of a literal share. */
function commonType(inner: readonly Expression[], nodes: readonly ASTNode[]): CelType {
  const [first, ...rest] = inner;
  return rest.reduce<CelType>((common, { type }, index) => {
    const joined = joinTypes(common, type);
    if (joined) return joined;
    const node = nodes[index + 1];
    const problem = `expected type '${printType(common)}' but found '${printType(type)}'`;
    throw new CelFault(node?.input ?? '', node ? placeOf(node) : 0, problem);
  }, first?.type ?? DYN);
}
