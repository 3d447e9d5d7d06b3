/**
 * Parses CEL with `@marcbachmann/cel-js`. Its type checker and its evaluator are not used: Kubernetes takes
 * types from schemas, indexes strings by code points, matches patterns in linear time and counts the cost,
 * and none of that can be added to the package from outside.
 */
import { createRequire } from 'node:module';
import type * as library from '@marcbachmann/cel-js';
import type { ASTNode, Environment, ParseError } from '@marcbachmann/cel-js';
import { CelFault } from './fault.ts';
import { syntaxProblem } from './syntax-problem.ts';
import { rewriteMessages, writtenPosition, type RewrittenText } from './message-text.ts';

export type { ASTNode };

type Library = typeof library;

interface Parser {
  readonly rules: Environment;
  readonly isFault: (error: unknown) => error is ParseError;
}

const require = createRequire(import.meta.url);
let parser: Parser | undefined;

/** Created at first use: loading the parser takes a while, and most processes never compile an expression. */
function parserOfRules(): Parser {
  if (parser) return parser;
  const loaded: Library = require('@marcbachmann/cel-js');
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
  const rewritten = rewriteMessages(text);
  try {
    const { ast } = rules.parse(rewritten.text);
    if (rewritten.messages.size > 0) restore(ast, text, rewritten);
    return ast;
  } catch (error) {
    if (!isFault(error)) throw error;
    const at = writtenPosition(rewritten.inserted, error.range?.start ?? 0);
    if (error.code === 'invalid_macro_argument') {
      throw new CelFault(text, text[at - 1] === '.' ? at - 1 : at, NOT_A_NAME);
    }
    throw new CelFault(text, at, `Syntax error: ${syntaxProblem(error, rewritten)}`);
  }
}

/** `Object.spec{replicas: 3}` */
export interface MessageLiteral {
  readonly type: string;
  /** The position of the opening brace. */
  readonly at: number;
  readonly fields: readonly MessageField[];
}

interface MessageField {
  readonly name: string;
  readonly isOptional: boolean;
  readonly at: number;
  readonly value: ASTNode;
}

const literals = new WeakMap<ASTNode, MessageLiteral>();

/** Undefined: the node is not a message literal. */
export function messageOf(node: ASTNode): MessageLiteral | undefined {
  return literals.get(node);
}

/** Changes positions in the tree to those of the author's text, and marks the message literals. */
function restore(node: ASTNode, text: string, rewritten: RewrittenText): void {
  for (const part of partsOf(node)) restore(part, text, rewritten);
  const position = (at: number) => writtenPosition(rewritten.inserted, at);
  const [map] = node.op === 'call' ? node.args[1] : node.op === 'rcall' ? node.args[2] : [];
  const isMessage = map?.op === 'map' && rewritten.messages.has(originalStart.get(map) ?? -1);
  originalStart.set(node, node.start);
  const { pos, start, end } = node;
  Object.defineProperty(node, 'input', { value: text });
  Object.assign(node, { pos: position(pos), start: position(start), end: position(end) });
  if (!isMessage) return;
  const fields = map.args.map(([key, value]) => fieldOf(key, value));
  literals.set(node, { type: pathOf(node), at: map.start, fields });
}

/** Where nodes begin in the rewritten text. */
const originalStart = new WeakMap<ASTNode, number>();

function fieldOf(key: ASTNode, value: ASTNode): MessageField {
  const name = key.op === 'value' && typeof key.args === 'string' ? key.args : '';
  if (name === '') throw new CelFault(key.input, key.start, 'Syntax error: a field has no name');
  const isOptional = name.startsWith('?');
  const colon = key.input.indexOf(':', key.end);
  const at = colon < 0 ? key.start : colon;
  return { name: isOptional ? name.slice(1) : name, isOptional, at, value };
}

/** The name of a message type: `Object.spec`. */
function pathOf(node: ASTNode): string {
  if (node.op === 'call') return node.args[0];
  if (node.op === 'rcall') return `${pathOf(node.args[1])}.${node.args[0]}`;
  if (node.op === '.') return `${pathOf(node.args[0])}.${node.args[1]}`;
  return node.op === 'id' ? node.args : '';
}

function partsOf(node: ASTNode): readonly ASTNode[] {
  const { op } = node;
  if (op === 'value' || op === 'id') return [];
  if (op === '.' || op === '.?') return [node.args[0]];
  if (op === 'call') return node.args[1];
  if (op === 'rcall') return [node.args[1], ...node.args[2]];
  if (op === 'map') return node.args.flat();
  return op === '!_' || op === '-_' ? [node.args] : node.args;
}

/** The reported position of a part of an expression: its operator, not its beginning. */
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

/** The position of a binary operator: after its left operand. */
function placeOfSign(node: ASTNode, left: ASTNode, sign: string): number {
  const found = node.input.indexOf(sign, left.end);
  return found < 0 ? node.start : found;
}

/** The position of the opening parenthesis of a call. */
function placeOfCall(node: ASTNode, from: number): number {
  const found = node.input.indexOf('(', from);
  return found < 0 ? node.start : found;
}
