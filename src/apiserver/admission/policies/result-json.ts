/**
 * Converts the result of a mutation expression to JSON. The type name of a message must match the field that
 * holds it: only this check finds a mistake such as `Object{spec: Object.wrong{}}`.
 */
import {
  Duration,
  ListValue,
  MapValue,
  MessageValue,
  ObjectValue,
  OptionalValue,
  printDuration,
  printTimestamp,
  Timestamp,
  Uint,
  type CelValue,
} from '../../../cel/cel.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { isInt64, jsonInteger } from '../../../lib/json-text/exact-json.ts';
import { MutationError } from './policy-errors.ts';

/** Throws a MutationError. */
export function checkTypeNames(message: MessageValue): void {
  const problems = mismatches(message, message.type);
  if (problems.length > 0) throw new MutationError(`type mismatch: ${problems.join('\n')}`);
}

function mismatches(value: CelValue, path: string): readonly string[] {
  if (value instanceof ListValue) return value.items.flatMap((item) => mismatches(item, path));
  if (value instanceof MapValue) {
    return value.entries().flatMap(([, inner]) => mismatches(inner, path));
  }
  if (!(value instanceof MessageValue)) return [];
  const [found, wanted] = [JSON.stringify(value.type), JSON.stringify(path)];
  const which = 'which matches field name path from root Object type';
  return [
    ...(value.type === path ? [] : [`unexpected type name ${found}, expected ${wanted}, ${which}`]),
    ...[...value.fields].flatMap(([name, inner]) => mismatches(inner, `${path}.${name}`)),
  ];
}

/** Throws a MutationError. */
export function jsonOf(value: CelValue): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return jsonInteger(value);
  if (typeof value === 'number') return finite(value);
  if (value instanceof Uint) return int64(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof ListValue) return value.items.map(jsonOf);
  if (value instanceof MapValue) return jsonOfMap(value);
  if (value instanceof MessageValue) return jsonOfMessage(value);
  if (value instanceof ObjectValue) return value.json;
  if (value instanceof Timestamp) return printTimestamp(value);
  if (value instanceof Duration) return printDuration(value);
  const what = value instanceof OptionalValue ? 'optional' : 'opaque';
  throw new MutationError(`${what} values have no JSON`);
}

export function jsonOfMessage({ fields }: MessageValue): JsonObject {
  return Object.fromEntries([...fields].map(([name, inner]) => [name, jsonOf(inner)]));
}

function jsonOfMap(map: MapValue): JsonObject {
  return Object.fromEntries(
    map.entries().map(([key, inner]) => {
      if (typeof key !== 'string') throw new MutationError('keys of maps must be strings');
      return [key, jsonOf(inner)];
    }),
  );
}

function int64(value: bigint): number | bigint {
  if (isInt64(value)) return jsonInteger(value);
  throw new MutationError(`${value} is no integer of 64 bits with a sign`);
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new MutationError(`${value} has no JSON`);
}
