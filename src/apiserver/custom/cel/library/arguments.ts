/** Arguments as the overload that was chosen has them; anything else has no such overload. */
import type { Quantity } from '../../../../api/quantity.ts';
import { noSuchOverload } from '../fault.ts';
import {
  Duration,
  ListValue,
  Opaque,
  OptionalValue,
  Timestamp,
  type CidrParts,
  type FormatParts,
  type IpParts,
  type SemverParts,
  type UrlParts,
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

export function urlParts(value: Value | undefined): UrlParts {
  if (value instanceof Opaque && value.kind === 'URL') return value.parts;
  throw noSuchOverload();
}

export function quantityParts(value: Value | undefined): Quantity {
  if (value instanceof Opaque && value.kind === 'Quantity') return value.parts;
  throw noSuchOverload();
}

export function ipParts(value: Value | undefined): IpParts {
  if (value instanceof Opaque && value.kind === 'IP') return value.parts;
  throw noSuchOverload();
}

export function cidrParts(value: Value | undefined): CidrParts {
  if (value instanceof Opaque && value.kind === 'CIDR') return value.parts;
  throw noSuchOverload();
}

export function formatParts(value: Value | undefined): FormatParts {
  if (value instanceof Opaque && value.kind === 'Format') return value.parts;
  throw noSuchOverload();
}

export function semverParts(value: Value | undefined): SemverParts {
  if (value instanceof Opaque && value.kind === 'Semver') return value.parts;
  throw noSuchOverload();
}
