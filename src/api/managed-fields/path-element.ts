/**
 * One step of a field path, as FieldsV1 writes it:
 *
 *     f:spec                    a field of a struct or map
 *     k:{"name":"app"}          an item of a list, by its keys, which are sorted by name
 *     v:"example.com/hold"      an item of a set
 *     i:0                       an item of a list, by its index
 *
 * The text is canonical, so two steps are equal if their texts are.
 */
import { isJsonObject, type Json } from '../../lib/json.ts';
import { parseExactJson, printExactJson } from '../../lib/json-text/exact-json.ts';

export type PathElement = string;

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

export function keyElement(keys: readonly (readonly [name: string, value: Json])[]): PathElement {
  const sorted = keys.toSorted(([a], [b]) => compareText(a, b));
  return `k:${printExactJson(Object.fromEntries(sorted))}`;
}

export function valueElement(value: Json): PathElement {
  return `v:${printExactJson(value)}`;
}

/** Converts a path element from a client to its canonical form. Undefined: it is not valid. */
export function readElement(text: string): PathElement | undefined {
  const rest = text.slice(2);
  switch (text.slice(0, 2)) {
    case 'f:':
      return text;
    case 'v:': {
      const value = parse(rest);
      return value === undefined ? undefined : valueElement(value);
    }
    case 'k:': {
      const keys = parse(rest);
      const isKey = isJsonObject(keys) && Object.keys(keys).length > 0;
      return isKey ? keyElement(Object.entries(keys)) : undefined;
    }
    case 'i:':
      return /^-?\d+$/.test(rest) ? `i:${Number(rest)}` : undefined;
  }
  return undefined;
}

/** The element as error messages show it: `.spec`, `[name="app"]`, `[="example.com/hold"]`, `[0]`. */
export function describeElement(element: PathElement): string {
  const rest = element.slice(2);
  switch (element.charAt(0)) {
    case 'f':
      return `.${rest}`;
    case 'k': {
      const keys = parse(rest);
      const entries = isJsonObject(keys) ? Object.entries(keys) : [];
      return `[${entries.map(([name, value]) => `${name}=${printExactJson(value)}`).join(',')}]`;
    }
    case 'v':
      return `[=${rest}]`;
  }
  return `[${rest}]`;
}

const ORDER = 'fkvi';

/** The order of elements in error messages: fields, keys, values, indices. */
export function compareElements(a: PathElement, b: PathElement): number {
  const kind = ORDER.indexOf(a.charAt(0)) - ORDER.indexOf(b.charAt(0));
  if (kind !== 0) return kind;
  switch (a.charAt(0)) {
    case 'k':
      return compareKeys(parse(a.slice(2)), parse(b.slice(2)));
    case 'v':
      return compareScalars(parse(a.slice(2)), parse(b.slice(2)));
    case 'i':
      return Number(a.slice(2)) - Number(b.slice(2));
  }
  return compareText(a, b);
}

function compareKeys(a: Json | undefined, b: Json | undefined): number {
  const left = isJsonObject(a) ? Object.entries(a) : [];
  const right = isJsonObject(b) ? Object.entries(b) : [];
  for (const [index, [name, value]] of left.entries()) {
    const other = right[index];
    if (!other) return 1;
    const order = compareText(name, other[0]) || compareScalars(value, other[1]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

const TYPES = ['number', 'string', 'boolean', 'object', 'undefined'];

function compareScalars(a: Json | undefined, b: Json | undefined): number {
  const types = TYPES.indexOf(typeOf(a)) - TYPES.indexOf(typeOf(b));
  if (types !== 0) return types;
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : Number(a > b);
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  return Number(a) - Number(b);
}

function typeOf(value: Json | undefined): string {
  return typeof value === 'bigint' ? 'number' : typeof value;
}

function isNumber(value: Json | undefined): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function parse(text: string): Json | undefined {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}
