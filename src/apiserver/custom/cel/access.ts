/** Fields and items: `a.b`, `a[0]`, `a.?b`, `a[?'k']`, `has(a.b)`. */
import { compile, resolve, type Expression, type Frame, type Scope } from './compiler.ts';
import { CelError, CelFault, noSuchOverload } from './fault.ts';
import type { ASTNode } from './syntax.ts';
import { BOOL, DYN, printType, STRING, type CelType } from './type.ts';
import { ListValue, MapValue, ObjectValue, OptionalValue, type Value } from './value.ts';
import { unescapeName } from './escaping.ts';

export function compileAccess(
  node: ASTNode,
  owner: ASTNode,
  name: string,
  scope: Scope,
): Expression {
  const inner = compile(owner, scope);
  const type = typeOfField(node, inner.type, name);
  const read = fieldReader(name);
  return {
    type,
    run: (frame) => {
      frame.budget.spend(1);
      const value = inner.run(frame);
      // Behind something that may be absent, everything may be.
      if (value instanceof OptionalValue) return throughOptional(value, read);
      const found = read(value);
      if (found === undefined) throw new CelError(`no such key: ${unescapeName(name)}`);
      return found;
    },
  };
}

export function compileOptionalAccess(
  node: ASTNode,
  owner: ASTNode,
  name: string,
  scope: Scope,
): Expression {
  const inner = compile(owner, scope);
  const type = typeOfField(node, valueOf(inner.type), name);
  return optional(inner, type, () => fieldReader(name));
}

export function compileIndex(
  node: ASTNode,
  parts: readonly [ASTNode, ASTNode],
  scope: Scope,
  isOptional: boolean,
): Expression {
  const [inner, key] = [compile(parts[0], scope), compile(parts[1], scope)];
  const isBehindOptional = inner.type.kind === 'optional';
  const owner: Expression = { ...inner, type: valueOf(inner.type) };
  const at = node.input.indexOf('[', parts[0].end);
  const { type, run } = resolve(node, at < 0 ? node.start : at, '_[_]', false, [owner, key]);
  if (!isOptional && !isBehindOptional) return { type, run };
  return optional(inner, type, (frame) => {
    const wanted = key.run(frame);
    return (value) => itemOf(value, wanted);
  });
}

/** `has(a.b)`: is it there? What leads to it must be. */
export function compilePresence(node: ASTNode, arg: ASTNode | undefined, scope: Scope): Expression {
  if (arg?.op !== '.') {
    const problem = 'invalid argument to has() macro';
    throw new CelFault(node.input, node.start, problem);
  }
  const [owner, name] = arg.args;
  const inner = compile(owner, scope);
  typeOfField(arg, inner.type, name);
  const read = fieldReader(name);
  return {
    type: BOOL,
    run: (frame) => {
      const value = inner.run(frame);
      const seen = value instanceof OptionalValue ? value.value : value;
      return seen !== undefined && read(seen) !== undefined;
    },
  };
}

function optional(
  inner: Expression,
  type: CelType,
  readerOf: (frame: Frame) => Reader,
): Expression {
  return {
    type: { kind: 'optional', value: type },
    run: (frame) => {
      frame.budget.spend(1);
      const value = inner.run(frame);
      const read = readerOf(frame);
      if (value instanceof OptionalValue) return throughOptional(value, read);
      return new OptionalValue(read(value));
    },
  };
}

type Reader = (value: Value) => Value | undefined;

function throughOptional({ value }: OptionalValue, read: Reader): OptionalValue {
  return new OptionalValue(value === undefined ? undefined : read(value));
}

function valueOf(type: CelType): CelType {
  return type.kind === 'optional' ? type.value : type;
}

function typeOfField(node: ASTNode, owner: CelType, name: string): CelType {
  const at = node.input.lastIndexOf('.', node.pos);
  switch (owner.kind) {
    case 'object': {
      const type = owner.fields.get(name);
      if (type) return type;
      throw new CelFault(node.input, at, `undefined field '${name}'`);
    }
    case 'map':
      if (owner.key.kind === STRING.kind || owner.key.kind === 'dyn') return owner.value;
      break;
    case 'optional':
      return { kind: 'optional', value: typeOfField(node, owner.value, name) };
    case 'dyn':
      return DYN;
  }
  const problem = `type '${printType(owner)}' does not support field selection`;
  throw new CelFault(node.input, at, problem);
}

function fieldReader(escaped: string): Reader {
  const name = unescapeName(escaped);
  return (value) => {
    if (value instanceof ObjectValue) return value.get(name);
    if (value instanceof MapValue) return value.get(escaped);
    throw noSuchOverload();
  };
}

/** What stands at a place of a list, or under a key of a map; undefined: nothing. */
export function itemOf(value: Value, key: Value): Value | undefined {
  if (value instanceof MapValue) return value.get(key);
  if (!(value instanceof ListValue)) throw noSuchOverload();
  const index = Number(typeof key === 'bigint' || typeof key === 'number' ? key : Number.NaN);
  return index >= 0 ? value.items[index] : undefined;
}
