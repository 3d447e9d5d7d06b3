/**
 * The syntax of CEL is read by `@marcbachmann/cel-js`. Its types and its evaluation are not used:
 * Kubernetes takes types from schemas, numbers texts by code points, matches patterns in linear time
 * and counts what a rule costs, and none of that can be added to it from outside.
 */
import { createRequire } from 'node:module';
import type * as library from '@marcbachmann/cel-js';
import type { ASTNode, Environment, ParseError } from '@marcbachmann/cel-js';
import { CelFault } from './fault.ts';

export type { ASTNode };

type Library = typeof library;

interface Parser {
  readonly rules: Environment;
  readonly isFault: (error: unknown) => error is ParseError;
}

const require = createRequire(import.meta.url);
/** Some versions of Node cannot load a module of its kind in the middle of something. */
const loadedFirst: Library | null =
  'require_module' in process.features ? null : await import('@marcbachmann/cel-js');
let parser: Parser | undefined;

/** Loading and making it takes a while, and most servers never see a rule. */
function parserOfRules(): Parser {
  if (parser) return parser;
  const loaded: Library = loadedFirst ?? require('@marcbachmann/cel-js');
  parser = {
    rules: new loaded.Environment({
      enableOptionalTypes: true,
      unlistedVariablesAreDyn: true,
      homogeneousAggregateLiterals: false,
      limits: { maxAstNodes: 10_000, maxDepth: 100 },
    }),
    isFault: (error) => error instanceof loaded.ParseError,
  };
  return parser;
}

export const NOT_A_NAME = 'argument must be a simple name';

export function parseExpression(text: string): ASTNode {
  const { rules, isFault } = parserOfRules();
  try {
    return rules.parse(text).ast;
  } catch (error) {
    if (!isFault(error)) throw error;
    const at = error.range?.start ?? 0;
    if (error.code === 'invalid_macro_argument') {
      throw new CelFault(text, text[at - 1] === '.' ? at - 1 : at, NOT_A_NAME);
    }
    throw new CelFault(text, at, `Syntax error: ${error.summary}`);
  }
}

/** Where a part of an expression is said to be: at its sign, and not at its beginning. */
export function placeOf(node: ASTNode): number {
  switch (node.op) {
    case '.':
    case '.?':
      return node.input.lastIndexOf('.', node.pos);
    case '[]':
    case '[?]':
      return placeOfSign(node, node.args[0], '[');
    case 'call':
      return placeOfCall(node, node.start);
    case 'rcall':
      return placeOfCall(node, node.args[1].end);
    case '?:':
      return placeOfSign(node, node.args[0], '?');
    case 'value':
    case 'id':
    case 'list':
    case 'map':
    case '!_':
    case '-_':
      return node.start;
    case '&&':
    case '||':
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
    case 'in':
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return placeOfSign(node, node.args[0], node.op);
  }
}

/** Where the sign of an operation stands: behind its left side. */
function placeOfSign(node: ASTNode, left: ASTNode, sign: string): number {
  const found = node.input.indexOf(sign, left.end);
  return found < 0 ? node.start : found;
}

/** Where the parenthesis of a call opens. */
function placeOfCall(node: ASTNode, from: number): number {
  const found = node.input.indexOf('(', from);
  return found < 0 ? node.start : found;
}
