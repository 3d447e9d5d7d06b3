/** The compiled form of a part of an expression, and the scope it is compiled in. */
import { CelFault, type Budget } from './fault.ts';
import { placeOf, type ASTNode } from './syntax.ts';
import { printType, type CelType, type MessageType } from './type.ts';
import type { CelValue } from './value.ts';

/** The state of one evaluation: the values of the variables, and the budget. */
export interface Frame {
  readonly slots: (CelValue | undefined)[];
  readonly budget: Budget;
}

export interface Expression {
  readonly type: CelType;
  readonly run: (frame: Frame) => CelValue;
}

export interface Variable {
  readonly type: CelType;
  readonly slot: number;
}

export interface Scope {
  readonly variables: ReadonlyMap<string, Variable>;
  /** The next free slot. */
  readonly slot: number;
  /** Called for every variable that is used. */
  readonly uses: (name: string) => void;
  /** Compiles a part of the expression with the variables of `scope`. */
  readonly compile: (node: ASTNode, scope: Scope) => Expression;
  /** The types of message literals, by name; absent: there are none. */
  readonly messages?: ((name: string) => MessageType | undefined) | undefined;
  /** Called for every error, so that all of them can be reported at once. */
  readonly report: (fault: CelFault) => void;
}

export function isBoolean(type: CelType): boolean {
  return type.kind === 'bool' || type.kind === 'dyn';
}

export function requireBoolean(node: ASTNode, { type }: Expression, scope: Scope): void {
  if (isBoolean(type)) return;
  const problem = `expected type 'bool' but found '${printType(type)}'`;
  scope.report(new CelFault(node.input, placeOf(node), problem));
}
