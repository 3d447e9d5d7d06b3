/**
 * Narrows arguments to the types that the selected overload declares. A value of another type fails with "no
 * such overload".
 */
import type { Quantity } from '../../api/values/quantity.ts';
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
  type CelValue,
} from '../value.ts';

export function text(value: CelValue | undefined): string {
  if (typeof value !== 'string') throw noSuchOverload();
  return value;
}

export function int(value: CelValue | undefined): bigint {
  if (typeof value !== 'bigint') throw noSuchOverload();
  return value;
}

export function double(value: CelValue | undefined): number {
  if (typeof value !== 'number') throw noSuchOverload();
  return value;
}

export function bool(value: CelValue | undefined): boolean {
  if (typeof value !== 'boolean') throw noSuchOverload();
  return value;
}

export function bytes(value: CelValue | undefined): Uint8Array {
  if (!(value instanceof Uint8Array)) throw noSuchOverload();
  return value;
}

export function items(value: CelValue | undefined): readonly CelValue[] {
  return list(value).items;
}

export function list(value: CelValue | undefined): ListValue {
  if (!(value instanceof ListValue)) throw noSuchOverload();
  return value;
}

export function optional(value: CelValue | undefined): OptionalValue {
  if (!(value instanceof OptionalValue)) throw noSuchOverload();
  return value;
}

export function timestamp(value: CelValue | undefined): Timestamp {
  if (!(value instanceof Timestamp)) throw noSuchOverload();
  return value;
}

export function duration(value: CelValue | undefined): Duration {
  if (!(value instanceof Duration)) throw noSuchOverload();
  return value;
}

export function urlParts(value: CelValue | undefined): UrlParts {
  if (value instanceof Opaque && value.kind === 'URL') return value.parts;
  throw noSuchOverload();
}

export function quantityParts(value: CelValue | undefined): Quantity {
  if (value instanceof Opaque && value.kind === 'Quantity') return value.parts;
  throw noSuchOverload();
}

export function ipParts(value: CelValue | undefined): IpParts {
  if (value instanceof Opaque && value.kind === 'IP') return value.parts;
  throw noSuchOverload();
}

export function cidrParts(value: CelValue | undefined): CidrParts {
  if (value instanceof Opaque && value.kind === 'CIDR') return value.parts;
  throw noSuchOverload();
}

export function formatParts(value: CelValue | undefined): FormatParts {
  if (value instanceof Opaque && value.kind === 'Format') return value.parts;
  throw noSuchOverload();
}

export function semverParts(value: CelValue | undefined): SemverParts {
  if (value instanceof Opaque && value.kind === 'Semver') return value.parts;
  throw noSuchOverload();
}
