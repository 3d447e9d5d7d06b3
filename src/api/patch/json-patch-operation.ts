/**
 * Parses the operations of a JSON patch. All are parsed before the first is applied, so a mistake in the last
 * one is found before anything has changed.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { parsePointer, type Pointer } from '../values/json-pointer.ts';
import { isJsonList, own } from './json-access.ts';
import { jsonPatchMalformed, jsonPatchTooLong } from './json-patch-errors.ts';

/** A path in the document, with its original text for error messages. */
export interface PointerPath {
  readonly text: string;
  readonly tokens: Pointer;
}

export type Operation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: PointerPath; readonly value: Json }
  | { readonly op: 'remove'; readonly path: PointerPath }
  | { readonly op: 'move'; readonly path: PointerPath; readonly from: PointerPath }
  | { readonly op: 'copy'; readonly path: PointerPath; readonly from: PointerPath };

/** kube-apiserver's limit. */
const OPERATIONS_MAX = 10_000;

export function readOperations(patch: unknown): readonly Operation[] {
  if (!isJsonList(patch)) throw jsonPatchMalformed({ reason: 'the patch is not a list' });
  if (patch.length > OPERATIONS_MAX) {
    throw jsonPatchTooLong({ count: patch.length, countMax: OPERATIONS_MAX });
  }
  return patch.map(readOperation);
}

function readOperation(item: Json, index: number): Operation {
  if (!isJsonObject(item)) throw malformed(index, 'is not an object');
  const kind = own(item, 'op');
  const op = typeof kind === 'string' ? kind : 'unknown';
  switch (op) {
    case 'add':
    case 'replace':
    case 'test':
      return { op, path: readPointer(item, 'path', index), value: readValue(item, index) };
    case 'remove':
      return { op, path: readPointer(item, 'path', index) };
    case 'move':
    case 'copy':
      return {
        op,
        path: readPointer(item, 'path', index),
        from: readPointer(item, 'from', index),
      };
    default:
      throw malformed(index, `has an unexpected kind: ${op}`);
  }
}

function readPointer(item: JsonObject, name: 'path' | 'from', index: number): PointerPath {
  const text = own(item, name);
  if (typeof text !== 'string') throw malformed(index, `is missing its ${name} field`);
  const tokens = parsePointer(text);
  if (tokens === undefined) {
    throw malformed(index, `has a ${name} that is no JSON pointer: ${JSON.stringify(text)}`);
  }
  return { text, tokens };
}

function readValue(item: JsonObject, index: number): Json {
  const value = own(item, 'value');
  if (value === undefined) throw malformed(index, 'is missing its value field');
  return value;
}

function malformed(index: number, what: string): Error {
  return jsonPatchMalformed({ reason: `operation ${index} ${what}` });
}
