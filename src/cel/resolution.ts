/** Resolves a call to the overload that accepts the types of its arguments. */
import type { Expression } from './expression.ts';
import { CelFault } from './fault.ts';
import { library } from './library/library.ts';
import { placeOf, type ASTNode } from './syntax.ts';
import { printType } from './type.ts';

export function undeclared(node: ASTNode, name: string): CelFault {
  const problem = `undeclared reference to '${name}' (in container '')`;
  return new CelFault(node.input, placeOf(node), problem);
}

/** The compiled call. Throws a CelFault if no overload accepts the types. */
export function resolve(
  node: ASTNode,
  name: string,
  isMethod: boolean,
  args: readonly Expression[],
  shownName = name,
): Expression {
  const types = args.map(({ type }) => type);
  const resolved = library.resolve(name, isMethod, types);
  if (!resolved) {
    const [receiver = '', ...rest] = types.map(printType);
    const shown = isMethod
      ? `${receiver}.(${rest.join(', ')})`
      : `(${types.map(printType).join(', ')})`;
    const problem = `found no matching overload for '${shownName}' applied to '${shown}'`;
    throw new CelFault(node.input, placeOf(node), problem);
  }
  const { type, run } = resolved;
  return {
    type,
    run: (frame) => {
      frame.budget.spend(1);
      return run(
        args.map((arg) => arg.run(frame)),
        frame.budget,
      );
    },
  };
}
