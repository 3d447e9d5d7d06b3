/**
 * The type of a field, as far as server-side apply needs it: which lists are of listType map or set, and which
 * lists, maps and structs are atomic. A field may allow several types, such as a string or a number.
 */
import type { Json } from '../../lib/json.ts';

export type ScalarType = 'numeric' | 'string' | 'boolean' | 'untyped';

export interface ListFieldType {
  readonly isAtomic: boolean;
  /** Of a list that is a map; empty: it is a set, or atomic. */
  readonly keys: readonly string[];
  readonly element: FieldType;
}

export interface MapFieldType {
  readonly isAtomic: boolean;
  /** The declared field; undefined: there is none. */
  field(name: string): FieldType | undefined;
  /** The default of a declared field, for keys of lists. */
  defaultOf?(name: string): Json | undefined;
  /** The type of everything else; undefined: nothing else is allowed. */
  readonly element: FieldType | undefined;
  /** It has no declared fields, and its values have any type. */
  readonly isDeduced?: boolean;
}

export interface FieldType {
  readonly scalar?: ScalarType;
  readonly list?: ListFieldType;
  readonly map?: MapFieldType;
}

/** Any value; lists and maps are one value. */
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

/** Any value; lists are one value, maps are merged. */
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

/** The form in which a type takes a value; null and absent values take the first that the type has. */
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
