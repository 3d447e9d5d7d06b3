/**
 * Compiles message literals: `Object.spec{replicas: 3}`. An optional field, `?name: o`, is set only if `o`
 * has a value.
 */
import type { Expression, Scope } from './expression.ts';
import { CelFault, noSuchOverload } from './fault.ts';
import type { ASTNode, MessageLiteral } from './syntax.ts';
import { isAssignable, printType, type CelType, type MessageType } from './type.ts';
import { MessageValue, OptionalValue, type CelValue } from './value.ts';

export function compileMessage(
  node: ASTNode,
  { type: name, at, fields }: MessageLiteral,
  scope: Scope,
): Expression {
  const type = scope.messages?.(name);
  if (!type) {
    const problem = `undeclared reference to '${name}' (in container '')`;
    throw new CelFault(node.input, at, problem);
  }
  const compiled = fields.map((field) => {
    const inner = scope.compile(field.value, scope);
    checkField(node, type, field, inner.type, scope);
    return { ...field, inner };
  });
  return {
    type,
    run: (frame) => {
      frame.budget.spend(compiled.length + 1);
      const made = new Map<string, CelValue>();
      for (const { name: field, isOptional, inner } of compiled) {
        const value = inner.run(frame);
        if (!isOptional) made.set(field, value);
        else if (!(value instanceof OptionalValue)) throw noSuchOverload();
        else if (value.value !== undefined) made.set(field, value.value);
      }
      return new MessageValue(name, made);
    },
  };
}

function checkField(
  node: ASTNode,
  type: MessageType,
  { name, isOptional, at }: MessageLiteral['fields'][number],
  given: CelType,
  scope: Scope,
): void {
  if (!type.fields) return;
  const wanted = type.fields.get(name);
  const found = isOptional && given.kind === 'optional' ? given.value : given;
  if (wanted && isAssignable(wanted, found, new Map())) return;
  const problem = wanted
    ? `expected type of field '${name}' is '${printType(wanted)}' but provided type is '${printType(found)}'`
    : `undefined field '${name}'`;
  scope.report(new CelFault(node.input, at, problem));
}
