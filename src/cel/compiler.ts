/**
 * Compiles an expression to a function, with type checking.
 *
 *     text ──syntax.ts──> tree ──compile──> { type, run(frame) }
 *
 * Every step that runs is counted (fault.ts), so a rule that would run without end is stopped. Variables that
 * macros bind are in slots of the frame, one for each level of nesting.
 */
import { compileAccess, compileIndex, compileOptionalAccess } from './access.ts';
import { compileList, compileMap } from './aggregates.ts';
import { compileCall } from './calls.ts';
import { isBoolean, requireBoolean, type Expression, type Scope } from './expression.ts';
import { CelFault, type Budget } from './fault.ts';
import { compileLiteral, INT_MAX } from './literal.ts';
import { resolve, undeclared } from './resolution.ts';
import { compileMessage } from './messages.ts';
import { messageOf, parseExpression, placeOf, type ASTNode } from './syntax.ts';
import { asBoolean, attempt } from './truth.ts';
import { BOOL, DYN, joinTypes, printType, type CelType, type MessageType } from './type.ts';
import { TypeValue, type CelValue } from './value.ts';

export interface Program {
  readonly type: CelType;
  readonly uses: ReadonlySet<string>;
  readonly run: (values: readonly (CelValue | undefined)[], budget: Budget) => CelValue;
}

/**
 * `variables`: by name, in the order in which the program gets their values. `messages`: the types of message
 * literals by name; absent: there are none. Throws a CelFault or a
 * FaultList if the expression is invalid, and a CelFailure if it could only ever fail.
 */
export function compileProgram(
  text: string,
  variables: ReadonlyMap<string, CelType>,
  messages?: (name: string) => MessageType | undefined,
): Program {
  const uses = new Set<string>();
  const slots = [...variables].map(([name, type], slot) => [name, { type, slot }] as const);
  const faults: CelFault[] = [];
  const scope: Scope = {
    variables: new Map(slots),
    slot: slots.length,
    uses: (name) => uses.add(name),
    compile,
    messages,
    report: (fault) => faults.push(fault),
  };
  const { type, run } = compile(parseExpression(text), scope);
  if (faults.length > 0) throw new FaultList(faults);
  return { type, uses, run: (values, budget) => run({ slots: [...values], budget }) };
}

/** Everything that is wrong with an expression, in the order of the text. */
export class FaultList extends Error {
  /** The position of the first one in the text. */
  readonly at: number;

  constructor(faults: readonly CelFault[]) {
    const sorted = faults.toSorted((a, b) => a.at - b.at);
    super(sorted.map(({ message }) => message).join('\n'));
    this.at = sorted[0]?.at ?? 0;
  }
}

/** An error in one part does not hide those of others. */
function compile(node: ASTNode, scope: Scope): Expression {
  try {
    return compileNode(node, scope);
  } catch (error) {
    if (!(error instanceof CelFault)) throw error;
    scope.report(error);
    return { type: DYN, run: () => null };
  }
}

function compileNode(node: ASTNode, scope: Scope): Expression {
  const message = messageOf(node);
  if (message) return compileMessage(node, message, scope);
  switch (node.op) {
    case 'value':
      return compileLiteral(node.args, node);
    case 'id':
      return compileName(node.args, node, scope);
    case '.':
      return (
        compileQualified(node.args[0], node.args[1], scope) ??
        compileAccess(node, node.args[0], node.args[1], scope)
      );
    case '.?':
      return compileOptionalAccess(node, node.args[0], node.args[1], scope);
    case '[]':
    case '[?]':
      return compileIndex(node, node.args, scope, node.op === '[?]');
    case 'call':
      return compileCall(node, node.args[0], undefined, node.args[1], scope);
    case 'rcall':
      return compileCall(node, node.args[0], node.args[1], node.args[2], scope);
    case 'list':
      return compileList(node.args, scope);
    case 'map':
      return compileMap(node.args, scope);
    case '?:':
      return compileChoice(node, node.args, scope);
    case '&&':
    case '||':
      return compileLogic(node.op, node.args, scope);
    case '!_':
    case '-_':
      return compileUnary(node, node.op, node.args, scope);
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
      return compileBinary(node, node.args, scope);
  }
}

const TYPE_NAMES: ReadonlySet<string> = new Set([
  'bool',
  'int',
  'uint',
  'double',
  'string',
  'bytes',
  'list',
  'map',
  'null_type',
  'type',
]);

/** `authorizer.requestResource`: a variable whose name has a dot. */
function compileQualified(owner: ASTNode, name: string, scope: Scope): Expression | undefined {
  if (owner.op !== 'id') return undefined;
  const whole = `${owner.args}.${name}`;
  return scope.variables.has(whole) ? compileName(whole, owner, scope) : undefined;
}

function compileName(name: string, node: ASTNode, scope: Scope): Expression {
  const variable = scope.variables.get(name);
  if (variable) {
    scope.uses(name);
    const { type, slot } = variable;
    return {
      type,
      run: ({ slots, budget }) => {
        budget.spend(1);
        return slots[slot] ?? null;
      },
    };
  }
  if (TYPE_NAMES.has(name)) {
    const value = new TypeValue(name);
    return { type: { kind: 'type' }, run: () => value };
  }
  throw undeclared(node, name);
}

function compileChoice(
  node: ASTNode,
  parts: readonly [ASTNode, ASTNode, ASTNode],
  scope: Scope,
): Expression {
  const [condition, yes, no] = [
    compile(parts[0], scope),
    compile(parts[1], scope),
    compile(parts[2], scope),
  ];
  const type = joinTypes(yes.type, no.type);
  if (!type || !isBoolean(condition.type)) {
    const types = [condition, yes, no].map((one) => printType(one.type)).join(', ');
    const problem = `found no matching overload for '_?_:_' applied to '(${types})'`;
    throw new CelFault(node.input, placeOf(node), problem);
  }
  return {
    type,
    run: (frame) => {
      frame.budget.spend(1);
      return asBoolean(condition.run(frame)) ? yes.run(frame) : no.run(frame);
    },
  };
}

/** One side may fail if the other decides. */
function compileLogic(
  sign: '&&' | '||',
  parts: readonly [ASTNode, ASTNode],
  scope: Scope,
): Expression {
  const [left, right] = [compile(parts[0], scope), compile(parts[1], scope)];
  requireBoolean(parts[0], left, scope);
  requireBoolean(parts[1], right, scope);
  const deciding = sign === '||';
  return {
    type: BOOL,
    run: (frame) => {
      frame.budget.spend(1);
      const first = attempt(() => asBoolean(left.run(frame)));
      if (first === deciding) return deciding;
      const second = attempt(() => asBoolean(right.run(frame)));
      if (second === deciding) return deciding;
      if (first instanceof Error) throw first;
      if (second instanceof Error) throw second;
      return !deciding;
    },
  };
}

function compileUnary(node: ASTNode, sign: string, part: ASTNode, scope: Scope): Expression {
  // The smallest integer has no positive counterpart, so it is read together with its sign.
  if (sign === '-_' && part.op === 'value' && part.args === INT_MAX + 1n) {
    return { type: { kind: 'int' }, run: () => -INT_MAX - 1n };
  }
  return resolve(node, sign, false, [compile(part, scope)]);
}

function compileBinary(
  node: ASTNode,
  parts: readonly [ASTNode, ASTNode],
  scope: Scope,
): Expression {
  const name = node.op === 'in' ? '@in' : `_${node.op}_`;
  const inner = parts.map((part) => compile(part, scope));
  return resolve(node, name, false, inner);
}
