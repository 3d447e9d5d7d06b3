/**
 * Converts JSON to CEL values: by a declared type, or by the JSON type where the declared type is known only
 * at run time.
 */
import {
  ListValue,
  MapValue,
  ObjectValue,
  readTimestamp,
  type CelType,
  type CelValue,
} from '../../cel/cel.ts';
import { isJsonObject, type Json } from '../../lib/json.ts';

export function typedValue(value: Json, type: CelType): CelValue {
  if (type.kind === 'object' && isJsonObject(value)) {
    const { fields } = type;
    return new ObjectValue(value, {
      has: (name) => fields.has(name),
      read: (name, inner) => {
        const field = fields.get(name);
        return field && typedValue(inner, field);
      },
    });
  }
  if (type.kind === 'list' && Array.isArray(value)) {
    return new ListValue((value as readonly Json[]).map((item) => typedValue(item, type.item)));
  }
  if (type.kind === 'timestamp' && typeof value === 'string') return readTimestamp(value) ?? null;
  return untypedValue(value);
}

/** Integers become int, objects become maps, and times stay strings. */
export function untypedValue(value: Json): CelValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (isJsonObject(value)) {
    return new MapValue(
      Object.entries(value).map(([name, inner]) => [name, untypedValue(inner)] as const),
    );
  }
  return new ListValue(value.map(untypedValue));
}
