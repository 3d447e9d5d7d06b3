/**
 * Types for the paths and operations of the server, independent of the OpenAPI version.
 *
 *     kinds ──paths-of-kind.ts──> Path ──> document-v3.ts   one for each group and version
 *                                     └──> document-v2.ts   one for everything
 */
import type { TypeName } from '../../api/schema/shape.ts';

export interface GroupVersion {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
}

export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}

export interface Path {
  readonly path: string;
  readonly operations: readonly Operation[];
}

export interface Operation {
  readonly method: Method;
  /** Unique in the whole server; generated clients name their functions after it. */
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  /** The media types of the body, even if there is none. */
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  readonly body?: Body;
  readonly answers: readonly OperationAnswer[];
  /** By which clients find an operation. Operations of discovery have none. */
  readonly action?: OperationAction;
  readonly kind?: GroupVersionKind;
}

export type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch';

export type OperationAction =
  | 'connect'
  | 'delete'
  | 'deletecollection'
  | 'get'
  | 'list'
  | 'patch'
  | 'post'
  | 'put';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'boolean' | 'integer' | 'string';
  readonly description: string;
}

export interface Body {
  readonly content: Content;
  readonly isRequired: boolean;
}

export interface OperationAnswer {
  readonly code: number;
  readonly description: string;
  /** Absent: the response has no body. */
  readonly content?: Content;
}

/** A type of the schema table, a custom definition, or text. */
export type Content =
  | { readonly of: 'type'; readonly name: TypeName }
  | { readonly of: 'definition'; readonly name: string }
  | { readonly of: 'text' };

export const TEXT: Content = { of: 'text' };

export function typeContent(name: TypeName): Content {
  return { of: 'type', name };
}

/** `/api/v1`, `/apis/apps/v1` */
export function rootOf({ group, version }: GroupVersion): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

export function apiVersionOf({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`;
}
