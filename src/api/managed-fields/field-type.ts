/**
 * The type of a field, as far as server-side apply needs it: which lists are of listType map or set, and which
 * lists, maps and structs are atomic. A field may allow several types, such as a string or a number.
 */
import type { Json } from '../../lib/json.ts';

export type ScalarType = 'numeric' | 'string' | 'boolean' | 'untyped';

export interface ListFieldType {
  readonly isAtomic: boolean;
  /** The keys of a list of type map. Empty: the list is a set, or atomic. */
  readonly keys: readonly string[];
  readonly element: FieldType;
}

export interface MapFieldType {
  readonly isAtomic: boolean;
  /** The type of a declared field. Undefined: the field is not declared. */
  field(name: string): FieldType | undefined;
  /** The default of a declared field, needed where the field is a list key. */
  defaultOf?(name: string): Json | undefined;
  /** The type of undeclared fields. Undefined: undeclared fields are not allowed. */
  readonly element: FieldType | undefined;
  /** True: no field is declared, and values may have any type. */
  readonly isDeduced?: boolean;
}

export interface FieldType {
  readonly scalar?: ScalarType;
  readonly list?: ListFieldType;
  readonly map?: MapFieldType;
}

/** Accepts any value; lists and maps are atomic. */
export const UNTYPED: FieldType = {
  scalar: 'untyped',
  get list(): ListFieldType {
    return UNTYPED_LIST;
  },
  map: {
    isAtomic: true,
    field: () => undefined,
    get element() {
      return UNTYPED;
    },
  },
};

const UNTYPED_LIST: ListFieldType = { isAtomic: true, keys: [], element: UNTYPED };

/** Accepts any value; lists are atomic, maps are merged. */
export const DEDUCED: FieldType = {
  scalar: 'untyped',
  list: UNTYPED_LIST,
  map: {
    isAtomic: false,
    isDeduced: true,
    field: () => undefined,
    get element() {
      return DEDUCED;
    },
  },
};

export type Form = 'map' | 'scalar' | 'list';

/**
 * Whether the type treats this value as a map, a list or a scalar. A null or absent value takes the first
 * form that the type allows.
 */
export function formOf(type: FieldType, value: Json | undefined): Form | null {
  if (value !== undefined && value !== null) {
    if (isScalar(value)) {
      if (type.scalar) return 'scalar';
    } else if (Array.isArray(value)) {
      if (type.list) return 'list';
    } else if (type.map) return 'map';
  }
  return type.map ? 'map' : type.scalar ? 'scalar' : type.list ? 'list' : null;
}

export function isScalar(value: Json): boolean {
  return typeof value !== 'object';
}

export function typeOfField(map: MapFieldType, name: string): FieldType | undefined {
  return map.field(name) ?? map.element;
}
