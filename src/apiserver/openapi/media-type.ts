/**
 * Negotiates the form of a document: JSON or protobuf. The old name of the protobuf type has an `@` in it,
 * which no media type may have, and clients still ask for that one.
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
  /** How specific the type is: a full name comes before a wildcard. */
  readonly precision: number;
}

function readWish(text: string): Wish {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((one) => one.startsWith('q='))?.slice(2) ?? '1';
  const precision = type.split('/').filter((word) => word !== '*').length;
  return { type, quality: Number(quality) || 0, precision };
}
