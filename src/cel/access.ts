/** Compiles access to fields and items: `a.b`, `a[0]`, `a.?b`, `a[?'k']`, `has(a.b)`. */
import type { Expression, Frame, Scope } from './expression.ts';
import { resolve } from './resolution.ts';
import { CelError, CelFault, noSuchOverload } from './fault.ts';
import { placeOf, type ASTNode } from './syntax.ts';
import { BOOL, DYN, printType, type CelType } from './type.ts';
import { itemOf } from './items.ts';
import { MapValue, MessageValue, ObjectValue, OptionalValue, type CelValue } from './value.ts';
import { unescapeName } from './escaping.ts';

export function compileAccess(
  node: ASTNode,
  owner: ASTNode,
  name: string,
  scope: Scope,
): Expression {
  const inner = scope.compile(owner, scope);
  const type = typeOfField(node, inner.type, name);
  const read = fieldReader(name);
  return {
    type,
    run: (frame) => {
      frame.budget.spend(1);
      const value = inner.run(frame);
      // Behind an optional value, everything is optional.
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
  const inner = scope.compile(owner, scope);
  const type = typeOfField(node, valueOf(inner.type), name);
  return optional(inner, type, () => fieldReader(name));
}

export function compileIndex(
  node: ASTNode,
  parts: readonly [ASTNode, ASTNode],
  scope: Scope,
  isOptional: boolean,
): Expression {
  const [inner, key] = [scope.compile(parts[0], scope), scope.compile(parts[1], scope)];
  const isBehindOptional = inner.type.kind === 'optional';
  const owner: Expression = { ...inner, type: valueOf(inner.type) };
  const shown = isOptional ? '_[?_]' : '_[_]';
  const { type, run } = resolve(node, '_[_]', false, [owner, key], shown);
  if (!isOptional && !isBehindOptional) return { type, run };
  return optional(inner, type, (frame) => {
    const wanted = key.run(frame);
    return (value) => itemOf(value, wanted);
  });
}

/** `has(a.b)`: whether the field is set. An absent parent (`a`) is an error. */
export function compilePresence(node: ASTNode, arg: ASTNode | undefined, scope: Scope): Expression {
  if (arg?.op !== '.') {
    const at = arg ? placeOf(arg) : placeOf(node);
    throw new CelFault(node.input, at, 'invalid argument to has() macro');
  }
  const [owner, name] = arg.args;
  const inner = scope.compile(owner, scope);
  typeOfField(node, inner.type, name);
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

type Reader = (value: CelValue) => CelValue | undefined;

function throughOptional({ value }: OptionalValue, read: Reader): OptionalValue {
  return new OptionalValue(value === undefined ? undefined : read(value));
}

function valueOf(type: CelType): CelType {
  return type.kind === 'optional' ? type.value : type;
}

function typeOfField(node: ASTNode, owner: CelType, name: string): CelType {
  if (owner.kind === 'dyn') return DYN;
  if (owner.kind === 'optional') {
    return { kind: 'optional', value: typeOfField(node, owner.value, name) };
  }
  if (owner.kind === 'map' && (owner.key.kind === 'string' || owner.key.kind === 'dyn')) {
    return owner.value;
  }
  if (owner.kind === 'message' && !owner.fields) return DYN;
  if (owner.kind !== 'object' && owner.kind !== 'message') {
    const problem = `type '${printType(owner)}' does not support field selection`;
    throw new CelFault(node.input, placeOf(node), problem);
  }
  // Reserved words may follow a dot unescaped.
  const type = owner.fields?.get(name) ?? owner.fields?.get(`__${name}__`);
  if (type) return type;
  throw new CelFault(node.input, placeOf(node), `undefined field '${name}'`);
}

function fieldReader(escaped: string): Reader {
  const name = unescapeName(escaped);
  return (value) => {
    if (value instanceof ObjectValue) return value.get(name);
    if (value instanceof MessageValue) return value.fields.get(name);
    if (value instanceof MapValue) return value.get(escaped);
    throw noSuchOverload();
  };
}
