/** Compiles literals: null, booleans, numbers, strings and bytes. */
import type { Expression } from './expression.ts';
import { CelFault } from './fault.ts';
import type { ASTNode } from './syntax.ts';
import { BOOL, type CelType } from './type.ts';
import { Uint, type CelValue } from './value.ts';

export const INT_MAX = 2n ** 63n - 1n;

export function compileLiteral(value: {} | null, node: ASTNode): Expression {
  const made = literalOf(value);
  if (typeof made === 'bigint' && made > INT_MAX) throw tooLarge(node);
  return { type: typeOfLiteral(made), run: () => made };
}

function tooLarge(node: ASTNode): CelFault {
  return new CelFault(node.input, node.start, 'Syntax error: invalid int literal');
}

function literalOf(value: {} | null): CelValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  if (value instanceof Uint8Array) return value;
  // The rest is the parser's unsigned number, whose value is a bigint.
  const worth: unknown = value?.valueOf();
  return new Uint(typeof worth === 'bigint' ? worth : 0n);
}

function typeOfLiteral(value: CelValue): CelType {
  if (value === null) return { kind: 'null' };
  if (typeof value === 'boolean') return BOOL;
  if (typeof value === 'bigint') return { kind: 'int' };
  if (typeof value === 'number') return { kind: 'double' };
  if (typeof value === 'string') return { kind: 'string' };
  return { kind: value instanceof Uint8Array ? 'bytes' : 'uint' };
}
