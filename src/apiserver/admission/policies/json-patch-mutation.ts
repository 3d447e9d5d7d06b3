/**
 * Applies the JSONPatch of a mutating admission policy to an object. A `test` operation that fails leaves the
 * object unchanged.
 */
import { applyJsonPatch } from '../../../api/patch/json-patch.ts';
import { MessageValue, type ListValue } from '../../../cel/cel.ts';
import { PodkeepError } from '../../../lib/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import { internalError, StatusError } from '../../objects/status.ts';
import { hold } from '../../requests/body.ts';
import { MutationError } from './policy-errors.ts';
import { checkTypeNames, jsonOf } from './result-json.ts';

/** Throws a MutationError, or a StatusError if the patched object has fields that its kind does not have. */
export function applyOperations(
  object: JsonObject,
  { items }: ListValue,
  definition: KindDefinition,
): JsonObject {
  const patched = patch(
    object,
    items.map((item) => {
      if (item instanceof MessageValue) return operationOf(item);
      throw new MutationError(
        'type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch',
      );
    }),
  );
  if (patched === object) return object;
  if (!isJsonObject(patched)) throw new MutationError('JSON Patch: it left no object');
  try {
    return hold({ value: patched }, definition, 'Strict', object).object;
  } catch (error) {
    if (error instanceof StatusError) throw internalError(error.message);
    throw error;
  }
}

function operationOf({ fields }: MessageValue): JsonObject {
  const value = fields.get('value');
  if (value instanceof MessageValue) checkTypeNames(value);
  const from = fields.get('from');
  return {
    op: jsonOf(fields.get('op') ?? ''),
    path: jsonOf(fields.get('path') ?? ''),
    ...(from !== undefined && from !== '' && { from: jsonOf(from) }),
    ...(value !== undefined && { value: jsonOf(value) }),
  };
}

function patch(object: JsonObject, operations: readonly JsonObject[]): Json {
  try {
    return applyJsonPatch(object, operations);
  } catch (error) {
    if (!(error instanceof PodkeepError)) throw error;
    if (error.code === 'JSON_PATCH_TEST_FAILED') return object;
    throw new MutationError(`JSON Patch: ${error.message}`);
  }
}
