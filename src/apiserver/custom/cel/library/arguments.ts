/** Arguments as the overload that was chosen has them; anything else has no such overload. */
import { noSuchOverload } from '../fault.ts';
import {
  Duration,
  ListValue,
  Opaque,
  OptionalValue,
  Timestamp,
  type OpaqueValue,
  type Value,
} from '../value.ts';

export function text(value: Value | undefined): string {
  if (typeof value !== 'string') throw noSuchOverload();
  return value;
}

export function int(value: Value | undefined): bigint {
  if (typeof value !== 'bigint') throw noSuchOverload();
  return value;
}

export function double(value: Value | undefined): number {
  if (typeof value !== 'number') throw noSuchOverload();
  return value;
}

export function bool(value: Value | undefined): boolean {
  if (typeof value !== 'boolean') throw noSuchOverload();
  return value;
}

export function bytes(value: Value | undefined): Uint8Array {
  if (!(value instanceof Uint8Array)) throw noSuchOverload();
  return value;
}

export function items(value: Value | undefined): readonly Value[] {
  return list(value).items;
}

export function list(value: Value | undefined): ListValue {
  if (!(value instanceof ListValue)) throw noSuchOverload();
  return value;
}

export function optional(value: Value | undefined): OptionalValue {
  if (!(value instanceof OptionalValue)) throw noSuchOverload();
  return value;
}

export function timestamp(value: Value | undefined): Timestamp {
  if (!(value instanceof Timestamp)) throw noSuchOverload();
  return value;
}

export function duration(value: Value | undefined): Duration {
  if (!(value instanceof Duration)) throw noSuchOverload();
  return value;
}

type PartsOf<Kind> = Extract<OpaqueValue, { readonly kind: Kind }>['parts'];

/** What one of Kubernetes' own values is made of. */
export function parts<Kind extends OpaqueValue['kind']>(
  value: Value | undefined,
  kind: Kind,
): PartsOf<Kind> {
  if (value instanceof Opaque && value.kind === kind) return value.parts as PartsOf<Kind>;
  throw noSuchOverload();
}
