/**
 * Negotiates the form of an OpenAPI document: JSON or protobuf. Clients still request the old protobuf media
 * type, which contains an `@` and is therefore not a valid media type.
 */
import type { OpenApiVersion } from './protobuf/encode.ts';

export type DocumentForm = 'json' | 'protobuf';

export const JSON_TYPE = 'application/json';

export function protobufType(version: OpenApiVersion): string {
  return `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`;
}

/** Undefined: the client accepts neither. */
export function formOf(accept: string | null, version: OpenApiVersion): DocumentForm | undefined {
  const wanted = accept === null || accept.trim() === '' ? '*/*' : accept;
  const wishes = wanted
    .split(',')
    .map(readWish)
    .toSorted((a, b) => b.quality - a.quality || b.precision - a.precision);
  for (const { type } of wishes) {
    if (type === '*/*' || type === 'application/*' || type === JSON_TYPE) return 'json';
    if (type === protobufType(version)) return 'protobuf';
    if (type === protobufType(version).replace('.v1.0', '@v1.0')) return 'protobuf';
  }
  return undefined;
}

interface Wish {
  readonly type: string;
  readonly quality: number;
  /** How specific the type is: a full name takes precedence over a wildcard. */
  readonly precision: number;
}

function readWish(text: string): Wish {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((one) => one.startsWith('q='))?.slice(2) ?? '1';
  const precision = type.split('/').filter((word) => word !== '*').length;
  return { type, quality: Number(quality) || 0, precision };
}
