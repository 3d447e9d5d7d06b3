/**
 * Parses paths of fields in a schema, as CEL rules and selectable fields write them: `.spec.a`,
 * `.spec['b.c']`. They can name only fields that the schema has.
 */
import { entryBelow, fieldBelow } from './field-path.ts';
import type { Schema } from './schema.ts';

export interface WalkedPath {
  readonly names: readonly string[];
  /** The path as field errors write it: `spec.a`, `spec[b.c]`. */
  readonly fieldPath: string;
  /** Undefined: the field may have any value. */
  readonly schema: Schema | undefined;
}

export interface PathFault {
  readonly fault: string;
}

const TOKEN = /'(?:\\.|[^'\\])*'|[.[\]]|[^.[\]']+|'/gs;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ["'", "'"],
  ['\\', '\\'],
]);

export function walkFieldPath(
  text: string,
  schema: Schema,
  allowsBrackets = true,
): WalkedPath | PathFault {
  const tokens = text.match(TOKEN) ?? [];
  let walked: WalkedPath = { names: [], fieldPath: '', schema };
  for (let index = 0; index < tokens.length;) {
    const [sign = '', name, end] = tokens.slice(index, index + 3);
    if (sign !== '.' && sign !== '[') return { fault: `expected [ or . but got: ${sign}` };
    if (sign === '[' && !allowsBrackets) return { fault: 'array notation is not allowed' };
    if (name === undefined) return { fault: 'unexpected end of JSON path' };
    const read = sign === '.' ? { name } : readBracket(name, end);
    if ('fault' in read) return read;
    const next = step(walked, read.name);
    if ('fault' in next) return next;
    walked = next;
    index += sign === '.' ? 2 : 3;
  }
  return walked;
}

function readBracket(
  token: string,
  end: string | undefined,
): { readonly name: string } | PathFault {
  if (!/^'.*'$/s.test(token) || token.length < 2) {
    return { fault: `expected single quoted string but got ${token}` };
  }
  let bad: string | undefined;
  const name = token.slice(1, -1).replaceAll(/\\(.)/gs, (whole, sign: string) => {
    const meant = ESCAPES.get(sign);
    if (meant === undefined) bad = whole;
    return meant ?? '';
  });
  if (bad !== undefined) return { fault: `invalid string literal: invalid escape char ${bad}` };
  if (end === undefined) return { fault: 'unexpected end of JSON path' };
  return end === ']' ? { name } : { fault: `expected ] but got ${end}` };
}

function step(walked: WalkedPath, name: string): WalkedPath | PathFault {
  const { names, fieldPath, schema } = walked;
  const fault = { fault: 'does not refer to a valid field' };
  if (!schema) return fault;
  if (schema.properties.size > 0) {
    const property = schema.properties.get(name);
    if (!property) return fault;
    return { names: [...names, name], fieldPath: fieldBelow(fieldPath, name), schema: property };
  }
  if (schema.additional === undefined) return fault;
  const inner = typeof schema.additional === 'object' ? schema.additional : undefined;
  return { names: [...names, name], fieldPath: entryBelow(fieldPath, name), schema: inner };
}
