/**
 * Applies a JSON patch (RFC 6902): a list of operations, either all or none.
 *
 * Clients depend on three liberties that kube-apiserver takes with the standard, so podkeep takes them too:
 * `replace` may name a field that does not exist yet, `test` for null holds where there is no such field, and
 * a negative index counts from the end of a list. Where kube-apiserver is stricter than the standard or
 * careless, podkeep follows the standard: the empty path is the whole document, an operation without its
 * value is refused, and nothing can be moved into itself.
 *
 * A copy shares its value in memory, so it costs nothing until the result is serialized. The sum of all
 * copies is limited; otherwise thirty short operations could make a terabyte.
 */
import { unreachable } from '../../lib/assert.ts';
import type { Json } from '../../lib/json.ts';
import { jsonEqual } from '../values/json-equal.ts';
import {
  jsonPatchCopiesTooMuch,
  jsonPatchMalformed,
  jsonPatchPathMissing,
  jsonPatchTestFailed,
} from './json-patch-errors.ts';
import { readOperations, type Operation, type PointerPath } from './json-patch-operation.ts';
import { measureJson } from './json-size.ts';
import { PatchedDocument } from './patched-document.ts';

type Copy = Extract<Operation, { readonly op: 'copy' }>;
type Move = Extract<Operation, { readonly op: 'move' }>;

/** kube-apiserver's limit for what copies may add. */
const COPIED_BYTES_MAX = 3 * 1024 * 1024;

/** The patched document; the same object if the patch changes nothing. */
export function applyJsonPatch(document: Json, patch: unknown): Json {
  const patched = new PatchedDocument(document);
  let copiedBytes = 0;
  for (const operation of readOperations(patch)) {
    if (operation.op === 'copy') {
      copiedBytes += copy(patched, operation, COPIED_BYTES_MAX - copiedBytes);
    } else {
      perform(patched, operation);
    }
  }
  return patched.root;
}

function perform(document: PatchedDocument, operation: Exclude<Operation, Copy>): void {
  const { op, path } = operation;
  switch (op) {
    case 'add':
      return demand(document.add(path.tokens, operation.value), op, path);
    case 'replace':
      return demand(document.set(path.tokens, operation.value), op, path);
    case 'remove':
      return demand(document.remove(path.tokens), op, path);
    case 'test':
      return test(document, path, operation.value);
    case 'move':
      return move(document, operation);
    default:
      return unreachable(op);
  }
}

function test(document: PatchedDocument, path: PointerPath, expected: Json): void {
  const actual = document.get(path.tokens);
  if (actual !== undefined) {
    if (jsonEqual(actual, expected)) return;
    throw jsonPatchTestFailed({ path: path.text });
  }
  const parent = document.parentOf(path.tokens);
  demand(parent !== undefined && !Array.isArray(parent), 'test', path);
  if (expected !== null) throw jsonPatchTestFailed({ path: path.text });
}

function move(document: PatchedDocument, { op, from, path }: Move): void {
  const value = read(document, op, from);
  if (from.text === path.text) return;
  if (path.text.startsWith(`${from.text}/`)) {
    throw jsonPatchMalformed({ reason: `cannot move ${from.text} into itself: ${path.text}` });
  }
  document.remove(from.tokens);
  demand(document.add(path.tokens, value), op, path);
}

/** Copies a value, and returns how many bytes that adds to the document. */
function copy(document: PatchedDocument, { op, from, path }: Copy, bytesLeft: number): number {
  const value = read(document, op, from);
  const bytes = measureJson(value, bytesLeft);
  if (bytes > bytesLeft) throw jsonPatchCopiesTooMuch({ bytesMax: COPIED_BYTES_MAX });
  document.share();
  demand(document.add(path.tokens, value), op, path);
  return bytes;
}

function read(document: PatchedDocument, op: string, fieldPath: PointerPath): Json {
  const value = document.get(fieldPath.tokens);
  if (value === undefined) throw jsonPatchPathMissing({ op, path: fieldPath.text });
  return value;
}

function demand(isThere: boolean, op: string, path: PointerPath): void {
  if (!isThere) throw jsonPatchPathMissing({ op, path: path.text });
}
