/** The types of CEL: of variables, of the parts of an expression, and of its result. */

export type CelType =
  | { readonly kind: SimpleKind }
  | { readonly kind: 'list'; readonly item: CelType }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType }
  | { readonly kind: 'optional'; readonly value: CelType }
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, CelType> }
  | MessageType
  /** A type parameter: any type, but the same one throughout a signature. */
  | { readonly kind: 'param'; readonly name: string };

/**
 * The type of a message literal such as `Object.spec{replicas: 3}`. Two types are the same if their names
 * are.
 */
export interface MessageType {
  readonly kind: 'message';
  readonly name: string;
  /** Absent: the message may have any fields, of any type. */
  readonly fields?: ReadonlyMap<string, CelType>;
}

export type SimpleKind =
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'null'
  | 'dyn'
  | 'type'
  | 'timestamp'
  | 'duration'
  | 'URL'
  | 'Quantity'
  | 'IP'
  | 'CIDR'
  | 'Format'
  | 'Semver'
  | 'Authorizer'
  | 'PathCheck'
  | 'GroupCheck'
  | 'ResourceCheck'
  | 'Decision';

export const BOOL: CelType = { kind: 'bool' };
export const DYN: CelType = { kind: 'dyn' };
export const INT: CelType = { kind: 'int' };
export const STRING: CelType = { kind: 'string' };

const NAMES: Readonly<Record<SimpleKind, string>> = {
  bool: 'bool',
  int: 'int',
  uint: 'uint',
  double: 'double',
  string: 'string',
  bytes: 'bytes',
  null: 'null',
  dyn: 'dyn',
  type: 'type',
  timestamp: 'timestamp',
  duration: 'duration',
  URL: 'kubernetes.URL',
  Quantity: 'kubernetes.Quantity',
  IP: 'net.IP',
  CIDR: 'net.CIDR',
  Format: 'kubernetes.NamedFormat',
  Semver: 'kubernetes.Semver',
  Authorizer: 'kubernetes.authorization.Authorizer',
  PathCheck: 'kubernetes.authorization.PathCheck',
  GroupCheck: 'kubernetes.authorization.GroupCheck',
  ResourceCheck: 'kubernetes.authorization.ResourceCheck',
  Decision: 'kubernetes.authorization.Decision',
};

export function isSimpleKind(text: string): text is SimpleKind {
  return Object.hasOwn(NAMES, text);
}

/** The type as error messages name it. */
export function printType(type: CelType): string {
  if (type.kind === 'list') return `list(${printType(type.item)})`;
  if (type.kind === 'map') return `map(${printType(type.key)}, ${printType(type.value)})`;
  if (type.kind === 'optional') return `optional_type(${printType(type.value)})`;
  if (type.kind === 'object') return 'object';
  if (type.kind === 'message') return type.name;
  return type.kind === 'param' ? type.name : NAMES[type.kind];
}

export type Bindings = Map<string, CelType>;

/** Null is allowed for types that Go holds by a pointer. */
const NULLABLE: ReadonlySet<CelType['kind']> = new Set([
  'object',
  'message',
  'optional',
  'timestamp',
  'duration',
  'URL',
  'Quantity',
  'IP',
  'CIDR',
  'Format',
  'Semver',
  'Authorizer',
  'PathCheck',
  'GroupCheck',
  'ResourceCheck',
  'Decision',
]);

/**
 * Whether a value of the actual type is assignable to the declared one. Binds type parameters in `bindings`.
 */
export function isAssignable(declared: CelType, actual: CelType, bindings: Bindings): boolean {
  if (declared.kind === 'param') return bind(declared.name, actual, bindings);
  if (declared.kind === 'dyn' || actual.kind === 'dyn') return true;
  if (actual.kind === 'null') return declared.kind === 'null' || NULLABLE.has(declared.kind);
  if (declared.kind === 'list' && actual.kind === 'list') {
    return isAssignable(declared.item, actual.item, bindings);
  }
  if (declared.kind === 'map' && actual.kind === 'map') {
    return (
      isAssignable(declared.key, actual.key, bindings) &&
      isAssignable(declared.value, actual.value, bindings)
    );
  }
  if (declared.kind === 'optional' && actual.kind === 'optional') {
    return isAssignable(declared.value, actual.value, bindings);
  }
  if (declared.kind === 'object') return declared === actual;
  if (declared.kind === 'message' && actual.kind === 'message') {
    return declared.name === actual.name;
  }
  return declared.kind === actual.kind;
}

function bind(name: string, actual: CelType, bindings: Bindings): boolean {
  const bound = bindings.get(name);
  if (!bound) {
    bindings.set(name, actual);
    return true;
  }
  if (isAssignable(bound, actual, bindings)) return true;
  if (!isAssignable(actual, bound, bindings)) return false;
  bindings.set(name, actual);
  return true;
}

/** The type with its type parameters replaced by their bindings. Unbound ones become dyn. */
export function substitute(type: CelType, bindings: Bindings): CelType {
  if (type.kind === 'param') return bindings.get(type.name) ?? DYN;
  if (type.kind === 'list') return { kind: 'list', item: substitute(type.item, bindings) };
  if (type.kind === 'optional') {
    return { kind: 'optional', value: substitute(type.value, bindings) };
  }
  if (type.kind !== 'map') return type;
  const key = substitute(type.key, bindings);
  return { kind: 'map', key, value: substitute(type.value, bindings) };
}

/** The type that accepts values of both. Undefined: there is none. */
export function joinTypes(a: CelType, b: CelType): CelType | undefined {
  if (isAssignable(a, b, new Map())) return a.kind === 'dyn' ? a : hasDyn(a) ? b : a;
  return isAssignable(b, a, new Map()) ? b : undefined;
}

/** Whether any part of the type is known only at run time. */
export function hasDyn(type: CelType): boolean {
  if (type.kind === 'list') return hasDyn(type.item);
  if (type.kind === 'map') return hasDyn(type.key) || hasDyn(type.value);
  if (type.kind === 'optional') return hasDyn(type.value);
  return type.kind === 'dyn' || type.kind === 'param';
}
