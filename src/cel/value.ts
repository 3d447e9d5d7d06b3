/** Values of CEL at run time, their comparison and their types. */
import type { Json, JsonObject } from '../lib/json.ts';
import type { Quantity } from '../api/values/quantity.ts';
import type { CelType } from './type.ts';

/** `int` is a bigint, `double` a number; null is itself. */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | ListValue
  | MapValue
  | ObjectValue
  | MessageValue
  | OptionalValue
  | Timestamp
  | Duration
  | TypeValue
  | OpaqueValue;

export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** A list. Lists of type set or map are compared and added without regard to order. */
export class ListValue {
  readonly items: readonly CelValue[];
  /** The identity of an item, in lists whose order does not matter. Undefined: the order matters. */
  readonly keyOf: ((item: CelValue) => string) | undefined;
  constructor(items: readonly CelValue[], keyOf?: (item: CelValue) => string) {
    this.items = items;
    this.keyOf = keyOf;
  }
}

export class MapValue {
  readonly #entries: ReadonlyMap<string, readonly [CelValue, CelValue]>;
  constructor(entries: Iterable<readonly [CelValue, CelValue]>) {
    this.#entries = new Map([...entries].map((entry) => [keyText(entry[0]), entry]));
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: CelValue): CelValue | undefined {
    return this.#entries.get(keyText(key))?.[1];
  }

  entries(): readonly (readonly [CelValue, CelValue])[] {
    return [...this.#entries.values()];
  }
}

/** The fields of an object, and how the JSON of each becomes a value. */
export interface ObjectFields {
  readonly has: (name: string) => boolean;
  /** Undefined: there is no such field. */
  readonly read: (name: string, value: Json) => CelValue | undefined;
}

/** An object with known fields. Its JSON is converted to values lazily. */
export class ObjectValue {
  readonly json: JsonObject;
  readonly fields: ObjectFields;
  constructor(json: JsonObject, fields: ObjectFields) {
    this.json = json;
    this.fields = fields;
  }

  /** Undefined: absent. A null field counts as absent. */
  get(name: string): CelValue | undefined {
    const inner = Object.hasOwn(this.json, name) ? (this.json[name] ?? null) : null;
    return inner === null ? undefined : this.fields.read(name, inner);
  }

  names(): readonly string[] {
    return Object.entries(this.json).flatMap(([name, inner]) =>
      inner !== null && this.fields.has(name) ? [name] : [],
    );
  }
}

/** The value of a message literal. */
export class MessageValue {
  /** The name of its type. */
  readonly type: string;
  readonly fields: ReadonlyMap<string, CelValue>;
  constructor(type: string, fields: ReadonlyMap<string, CelValue>) {
    this.type = type;
    this.fields = fields;
  }
}

export class OptionalValue {
  readonly value: CelValue | undefined;
  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

export class Timestamp {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class TypeValue {
  readonly type: string;
  constructor(type: string) {
    this.type = type;
  }
}

export interface UrlParts {
  readonly scheme: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
  readonly query: string;
}

export interface IpParts {
  readonly text: string;
  readonly bytes: readonly number[];
}

export interface CidrParts {
  readonly ip: IpParts;
  readonly bits: number;
}

export interface FormatParts {
  readonly name: string;
  readonly check: (text: string) => readonly string[];
}

export interface SemverParts {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly before: readonly string[];
  readonly text: string;
}

/** Asks whether the user of the request, or a service account, may do something. */
export interface AuthorizerParts {
  readonly authorize: (wanted: AuthorizationCheck) => AuthorizationDecision;
  /** The same for a service account; throws a CelError if the name is no valid service account. */
  readonly serviceAccount: (namespace: string, name: string) => AuthorizerParts;
}

export type AuthorizationCheck =
  | { readonly verb: string; readonly path: string }
  | {
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    };

export interface AuthorizationDecision {
  readonly isAllowed: boolean;
  readonly reason: string;
}

export interface PathCheckParts {
  readonly authorizer: AuthorizerParts;
  readonly path: string;
}

export interface GroupCheckParts {
  readonly authorizer: AuthorizerParts;
  readonly group: string;
}

export interface ResourceCheckParts extends GroupCheckParts {
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** Values of the libraries that Kubernetes adds to CEL. */
export type OpaqueValue =
  | Opaque<'URL', UrlParts>
  | Opaque<'Quantity', Quantity>
  | Opaque<'IP', IpParts>
  | Opaque<'CIDR', CidrParts>
  | Opaque<'Format', FormatParts>
  | Opaque<'Semver', SemverParts>
  | Opaque<'Authorizer', AuthorizerParts>
  | Opaque<'PathCheck', PathCheckParts>
  | Opaque<'GroupCheck', GroupCheckParts>
  | Opaque<'ResourceCheck', ResourceCheckParts>
  | Opaque<'Decision', AuthorizationDecision>;

export class Opaque<Kind extends string, Parts> {
  readonly kind: Kind;
  readonly parts: Parts;
  constructor(kind: Kind, parts: Parts) {
    this.kind = kind;
    this.parts = parts;
  }
}

/** The same text for equal keys: 1, 1u and 1.0 are equal. */
export function keyText(key: CelValue): string {
  if (key instanceof Uint) return `n${key.value}`;
  if (typeof key === 'number') return `n${key}`;
  if (typeof key === 'bigint') return `n${key}`;
  return `${typeof key}:${printKey(key)}`;
}

/** A key as error messages print it. */
export function printKey(key: CelValue): string {
  if (key instanceof Uint) return String(key.value);
  return typeof key === 'object' ? kindOf(key) : String(key);
}

export function isNumber(value: CelValue): value is bigint | number | Uint {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;
}

export function plainNumber(value: bigint | number | Uint): bigint | number {
  return value instanceof Uint ? value.value : value;
}

/** Numbers are compared across their types; other values of different types are never equal. */
export function isEqual(a: CelValue, b: CelValue): boolean {
  if (a === b) return true;
  // Integers and doubles are compared by their numeric value.
  // oxlint-disable-next-line eqeqeq -- 1n == 1, and that is meant
  if (isNumber(a) && isNumber(b)) return plainNumber(a) == plainNumber(b);
  if (a instanceof ListValue && b instanceof ListValue) return isSameList(a, b);
  if (a instanceof MapValue && b instanceof MapValue) return isSameMap(a, b);
  if (a instanceof ObjectValue && b instanceof ObjectValue) return isSameObject(a, b);
  if (a instanceof MessageValue && b instanceof MessageValue) return isSameMessage(a, b);
  if (a instanceof OptionalValue && b instanceof OptionalValue) {
    if (a.value === undefined || b.value === undefined) return a.value === b.value;
    return isEqual(a.value, b.value);
  }
  return isSameScalar(a, b);
}

function isSameScalar(a: CelValue, b: CelValue): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.from(a).equals(b);
  if (a instanceof Timestamp && b instanceof Timestamp) return a.nanos === b.nanos;
  if (a instanceof Duration && b instanceof Duration) return a.nanos === b.nanos;
  if (a instanceof TypeValue && b instanceof TypeValue) return a.type === b.type;
  if (a instanceof Opaque && b instanceof Opaque) return isSameOpaque(a, b);
  return false;
}

function isSameOpaque(a: OpaqueValue, b: OpaqueValue): boolean {
  if (a.kind === 'Quantity' && b.kind === 'Quantity') return a.parts.nanos === b.parts.nanos;
  if (a.kind === 'Semver' && b.kind === 'Semver') return a.parts.text === b.parts.text;
  if (a.kind === 'Format' || b.kind === 'Format') return a === b;
  if (a.kind === 'IP' && b.kind === 'IP') return a.parts.text === b.parts.text;
  if (a.kind === 'CIDR' && b.kind === 'CIDR') {
    return a.parts.ip.text === b.parts.ip.text && a.parts.bits === b.parts.bits;
  }
  if (a.kind !== 'URL' || b.kind !== 'URL') return false; // authorizers and checks: only themselves
  const { scheme, host, path, query } = a.parts;
  const other = b.parts;
  const isSamePlace = scheme === other.scheme && host === other.host;
  return isSamePlace && path === other.path && query === other.query;
}

function isSameList(a: ListValue, b: ListValue): boolean {
  if (a.items.length !== b.items.length) return false;
  const keyOf = a.keyOf;
  if (!keyOf) return a.items.every((item, index) => isEqual(item, b.items[index] ?? null));
  const others = new Map(b.items.map((item) => [keyOf(item), item]));
  return a.items.every((item) => {
    const other = others.get(keyOf(item));
    return other !== undefined && isEqual(item, other);
  });
}

function isSameMap(a: MapValue, b: MapValue): boolean {
  if (a.size !== b.size) return false;
  return a.entries().every(([key, value]) => {
    const other = b.get(key);
    return other !== undefined && isEqual(value, other);
  });
}

function isSameObject(a: ObjectValue, b: ObjectValue): boolean {
  if (a.json === b.json) return true;
  const names = a.names();
  if (names.length !== b.names().length) return false;
  return names.every((name) => {
    const [mine, other] = [a.get(name), b.get(name)];
    return mine !== undefined && other !== undefined && isEqual(mine, other);
  });
}

function isSameMessage(a: MessageValue, b: MessageValue): boolean {
  if (a.type !== b.type || a.fields.size !== b.fields.size) return false;
  return [...a.fields].every(([name, value]) => {
    const other = b.fields.get(name);
    return other !== undefined && isEqual(value, other);
  });
}

/** The kind of the value's type. */
export function kindOf(value: CelValue): CelType['kind'] {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'double';
  return typeof value === 'string' ? 'string' : kindOfObject(value);
}

function kindOfObject(
  value: Exclude<CelValue, null | boolean | bigint | number | string>,
): CelType['kind'] {
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Uint) return 'uint';
  if (value instanceof ListValue) return 'list';
  if (value instanceof MapValue) return 'map';
  if (value instanceof ObjectValue) return 'object';
  if (value instanceof MessageValue) return 'message';
  if (value instanceof OptionalValue) return 'optional';
  if (value instanceof Timestamp) return 'timestamp';
  if (value instanceof Duration) return 'duration';
  return value instanceof TypeValue ? 'type' : value.kind;
}
