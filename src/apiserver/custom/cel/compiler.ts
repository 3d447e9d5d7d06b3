/**
 * Makes a function of an expression, checking its types on the way.
 *
 *     text ──syntax.ts──> tree ──compile──> { type, run(frame) }
 *
 * Every step that runs is counted (fault.ts), so a rule that would take forever is stopped. Names
 * that macros bind stand in slots of the frame, one for each level of nesting.
 */
import { compileAccess, compileIndex, compileOptionalAccess } from './access.ts';
import { CelFault, type Budget } from './fault.ts';
import { library } from './library/library.ts';
import { isReadable } from './library/literals.ts';
import { compileMacro } from './macros.ts';
import { parseExpression, placeOfCall, placeOfSign, type ASTNode } from './syntax.ts';
import { asBoolean, attempt } from './truth.ts';
import { BOOL, DYN, joinTypes, printType, type CelType } from './type.ts';
import { ListValue, MapValue, TypeValue, Uint, type Value } from './value.ts';

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
}

export interface Program {
  readonly type: CelType;
  readonly uses: ReadonlySet<string>;
  readonly run: (values: readonly (Value | undefined)[], budget: Budget) => Value;
}

/** `variables`: by name, in the order in which their values are given to the program. */
export function compileProgram(text: string, variables: ReadonlyMap<string, CelType>): Program {
  const uses = new Set<string>();
  const slots = [...variables].map(([name, type], slot) => [name, { type, slot }] as const);
  const scope: Scope = {
    variables: new Map(slots),
    slot: slots.length,
    uses: (name) => uses.add(name),
  };
  const { type, run } = compile(parseExpression(text), scope);
  return { type, uses, run: (values, budget) => run({ slots: [...values], budget }) };
}

export function compile(node: ASTNode, scope: Scope): Expression {
  switch (node.op) {
    case 'value':
      return compileLiteral(node.args, node);
    case 'id':
      return compileName(node.args, node, scope);
    case '.':
      return compileAccess(node, node.args[0], node.args[1], scope);
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
      return compileLogic(node, node.op, node.args, scope);
    case '!_':
    case '-_':
      return compileUnary(node, node.op, node.args, scope);
    default:
      return compileBinary(node, node.args, scope);
  }
}

function compileLiteral(value: unknown, node: ASTNode): Expression {
  const made = literalOf(value);
  if (typeof made === 'bigint' && made > INT_MAX) throw tooLarge(node);
  return { type: typeOfLiteral(made), run: () => made };
}

const INT_MAX = 2n ** 63n - 1n;

function tooLarge(node: ASTNode): CelFault {
  return new CelFault(node.input, node.start, 'Syntax error: invalid int literal');
}

function literalOf(value: unknown): Value {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  if (value instanceof Uint8Array) return value;
  return new Uint(BigInt(String(value)));
}

function typeOfLiteral(value: Value): CelType {
  if (value === null) return { kind: 'null' };
  if (typeof value === 'boolean') return BOOL;
  if (typeof value === 'bigint') return { kind: 'int' };
  if (typeof value === 'number') return { kind: 'double' };
  if (typeof value === 'string') return { kind: 'string' };
  return { kind: value instanceof Uint8Array ? 'bytes' : 'uint' };
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
  throw undeclared(node, node.start, name);
}

export function undeclared(node: ASTNode, at: number, name: string): CelFault {
  return new CelFault(node.input, at, `undeclared reference to '${name}' (in container '')`);
}

function compileCall(
  node: ASTNode,
  name: string,
  receiver: ASTNode | undefined,
  args: readonly ASTNode[],
  scope: Scope,
): Expression {
  const macro = compileMacro(node, name, receiver, args, scope);
  if (macro) return macro;
  const isNamespaced =
    receiver?.op === 'id' &&
    !scope.variables.has(receiver.args) &&
    library.has(`${receiver.args}.${name}`);
  const fullName = isNamespaced ? `${receiver.args}.${name}` : name;
  const isMethod = receiver !== undefined && !isNamespaced;
  const at = placeOfCall(node, receiver ? receiver.end : node.start);
  if (!library.has(fullName)) throw undeclared(node, at, fullName);
  const inner = [...(isMethod ? [receiver] : []), ...args].map((one) => compile(one, scope));
  checkLiterals(node, fullName, [...(isMethod ? [receiver] : []), ...args]);
  return resolve(node, at, fullName, isMethod, inner);
}

/** Texts that are written out are looked at before anything runs. */
function checkLiterals(node: ASTNode, name: string, args: readonly ASTNode[]): void {
  const subject = name === 'matches' ? args[1] : args[0];
  if (subject?.op !== 'value' || typeof subject.args !== 'string') return;
  if (!['matches', 'duration', 'timestamp'].includes(name)) return;
  if (isReadable(name, subject.args)) return;
  throw new CelFault(node.input, subject.start, `invalid ${name} argument`);
}

/** A function of what is compiled already. */
export function resolve(
  node: ASTNode,
  at: number,
  name: string,
  isMethod: boolean,
  args: readonly Expression[],
): Expression {
  const types = args.map(({ type }) => type);
  const resolved = library.resolve(name, isMethod, types);
  if (!resolved) {
    const [receiver = '', ...rest] = types.map(printType);
    const shown = isMethod
      ? `${receiver}.(${rest.join(', ')})`
      : `(${types.map(printType).join(', ')})`;
    const problem = `found no matching overload for '${name}' applied to '${shown}'`;
    throw new CelFault(node.input, at, problem);
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

function compileList(items: readonly ASTNode[], scope: Scope): Expression {
  const inner = items.map((item) => compile(item, scope));
  const item = commonType(inner, items);
  return {
    type: { kind: 'list', item },
    run: (frame) => {
      frame.budget.spend(inner.length);
      return new ListValue(inner.map((one) => one.run(frame)));
    },
  };
}

function compileMap(
  entries: readonly (readonly [ASTNode, ASTNode])[],
  scope: Scope,
): Expression {
  const keys = entries.map(([key]) => compile(key, scope));
  const values = entries.map(([, value]) => compile(value, scope));
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

/** All items of a literal have one type. */
function commonType(inner: readonly Expression[], nodes: readonly ASTNode[]): CelType {
  const [first, ...rest] = inner;
  return rest.reduce<CelType>((common, { type }, index) => {
    const joined = joinTypes(common, type);
    if (joined) return joined;
    const node = nodes[index + 1];
    const problem = `expected type '${printType(common)}' but found '${printType(type)}'`;
    throw new CelFault(node?.input ?? '', node?.start ?? 0, problem);
  }, first?.type ?? DYN);
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
    throw new CelFault(node.input, placeOfSign(node, parts[0], '?'), problem);
  }
  return {
    type,
    run: (frame) => {
      frame.budget.spend(1);
      return asBoolean(condition.run(frame)) ? yes.run(frame) : no.run(frame);
    },
  };
}

export function isBoolean(type: CelType): boolean {
  return type.kind === 'bool' || type.kind === 'dyn';
}

/** One side may fail if the other decides. */
function compileLogic(
  node: ASTNode,
  sign: '&&' | '||',
  parts: readonly [ASTNode, ASTNode],
  scope: Scope,
): Expression {
  const [left, right] = [compile(parts[0], scope), compile(parts[1], scope)];
  if (!isBoolean(left.type) || !isBoolean(right.type)) {
    const types = `${printType(left.type)}, ${printType(right.type)}`;
    const problem = `found no matching overload for '_${sign}_' applied to '(${types})'`;
    throw new CelFault(node.input, placeOfSign(node, parts[0], sign), problem);
  }
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
  // The smallest number has no positive twin, so it is read together with its sign.
  if (sign === '-_' && part.op === 'value' && part.args === INT_MAX + 1n) {
    return { type: { kind: 'int' }, run: () => -INT_MAX - 1n };
  }
  return resolve(node, node.start, sign, false, [compile(part, scope)]);
}

function compileBinary(
  node: ASTNode,
  parts: readonly [ASTNode, ASTNode],
  scope: Scope,
): Expression {
  const name = node.op === 'in' ? '@in' : `_${node.op}_`;
  const at = placeOfSign(node, parts[0], node.op);
  return resolve(
    node,
    at,
    name,
    false,
    parts.map((part) => compile(part, scope)),
  );
}
