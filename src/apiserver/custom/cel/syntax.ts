/**
 * The syntax of CEL is read by `@marcbachmann/cel-js`. Its types and its evaluation are not used:
 * Kubernetes takes types from schemas, numbers texts by code points, matches patterns in linear time
 * and counts what a rule costs, and none of that can be added to it from outside.
 */
import { Environment, ParseError, type ASTNode } from '@marcbachmann/cel-js';
import { CelFault } from './fault.ts';

export type { ASTNode };

const parser = new Environment({
  enableOptionalTypes: true,
  unlistedVariablesAreDyn: true,
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: 10_000, maxDepth: 100 },
});

export function parseExpression(text: string): ASTNode {
  try {
    return parser.parse(text).ast;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new CelFault(text, error.range?.start ?? 0, `Syntax error: ${error.summary}`);
  }
}

/** Where the sign of an operation stands: behind its left side. */
export function placeOfSign(node: ASTNode, left: ASTNode, sign: string): number {
  const found = node.input.indexOf(sign, left.end);
  return found < 0 ? node.start : found;
}

/** Where the parenthesis of a call opens. */
export function placeOfCall(node: ASTNode, from: number): number {
  const found = node.input.indexOf('(', from);
  return found < 0 ? node.start : found;
}
