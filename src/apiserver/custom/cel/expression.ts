/** What a part of an expression becomes, and what it knows of the whole while it is compiled. */
import { CelFault, type Budget } from './fault.ts';
import { placeOf, type ASTNode } from './syntax.ts';
import { printType, type CelType } from './type.ts';
import type { Value } from './value.ts';

/** What an expression has while it runs. */
export interface Frame {
  readonly slots: (Value | undefined)[];
  readonly budget: Budget;
}

export interface Expression {
  readonly type: CelType;
  readonly run: (frame: Frame) => Value;
}

export interface Variable {
  readonly type: CelType;
  readonly slot: number;
}

export interface Scope {
  readonly variables: ReadonlyMap<string, Variable>;
  /** The next one that is free. */
  readonly slot: number;
  /** Told of every variable that is used. */
  readonly uses: (name: string) => void;
  /** Compiles a part, with the names that are bound there. */
  readonly compile: (node: ASTNode, scope: Scope) => Expression;
  /** Told of everything that is wrong, so that all of it can be said at once. */
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
