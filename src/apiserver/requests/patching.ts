/**
 * Applies patches of the three types to an object, with kube-apiserver's error messages.
 *
 * The patched object is decoded again, because a patch may add unknown fields or values of the wrong type.
 */
import { applyJsonMergePatch } from '../../api/patch/json-merge-patch.ts';
import { applyJsonPatch } from '../../api/patch/json-patch.ts';
import { applyStrategicMergePatch } from '../../api/patch/strategic-merge-patch.ts';
import { PodkeepError } from '../../lib/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { hold, type FieldValidation } from './body.ts';
import { printGoValue } from '../decode/go-value.ts';
import { describeJsonFault } from '../decode/json-fault.ts';
import { readJson, type ReadJson } from '../decode/json-text.ts';
import { NestingError } from '../decode/nesting.ts';
import { readTyped, WrongType } from '../decode/typed-object.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { checkTextParts, PATCH_PARTS_MAX } from '../decode/object-limits.ts';
import {
  badRequest,
  invalid,
  patchRejected,
  patchTypeUnknown,
  StatusError,
  unsupportedMediaType,
} from '../objects/status.ts';
import { printExactJson } from '../../lib/json-text/exact-json.ts';

export type PatchType = 'json' | 'merge' | 'strategic';

/** Server-side apply. JSON is valid YAML. */
export const APPLY_TYPE = 'application/apply-patch+yaml';

const TYPES: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
};

/** The patch types of custom kinds, in kube-apiserver's order. */
const CUSTOM_TYPES = ['application/json-patch+json', 'application/merge-patch+json', APPLY_TYPE];

export function patchTypeOf(contentType: string, definition: KindDefinition): PatchType {
  const type = TYPES[contentType];
  // Custom kinds have no merge keys, so a strategic patch is not supported.
  if (!definition.type && (!type || type === 'strategic')) throw unsupportedMediaType(CUSTOM_TYPES);
  if (!type) throw patchTypeUnknown();
  return type;
}

export function readPatch(text: string, type: PatchType): ReadJson {
  checkTextParts(text, PATCH_PARTS_MAX);
  try {
    return readJson(text);
  } catch (error) {
    const isFault = error instanceof SyntaxError || error instanceof RangeError;
    if (!isFault && !(error instanceof NestingError)) throw error;
    const why = !(error instanceof SyntaxError) ? error.message : describeJsonFault(text);
    throw badRequest(type === 'strategic' ? why : `error decoding patch: ${why}`);
  }
}

export interface Patch {
  readonly type: PatchType;
  readonly body: Json;
  readonly validation: FieldValidation;
  /** Fields that occur twice in the text of the patch. Absent: the patch had no text. */
  readonly duplicates?: readonly string[];
}

/** `warn` is called for fields that the patch added and the kind does not have. */
export function applyPatch(
  definition: KindDefinition,
  old: JsonObject,
  asked: Patch,
  warn: (warnings: readonly string[]) => void,
): JsonObject {
  const { type, body, validation } = asked;
  const patched = patch(definition, old, type, body);
  if (!isJsonObject(patched)) throw badRequest('a patch must leave an object behind');
  try {
    const isStrict = validation === 'Strict';
    const checked = hold({ value: patched }, definition, isStrict ? 'Warn' : validation, old);
    const problems = validation === 'Ignore' ? [] : [...faultsOf(asked), ...checked.warnings];
    if (isStrict && problems.length > 0) {
      throw badRequest(`strict decoding error: ${problems.join(', ')}`);
    }
    warn(problems);
    return checked.object;
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 400) throw error;
    const conversion = type === 'strategic' ? conversionFault(patched, definition) : undefined;
    const value = type === 'strategic' ? printGoValue(body) : printExactJson(patched);
    const detail = conversion ?? error.message;
    const field = { type: 'Invalid' as const, field: 'patch', value, detail };
    // The object cannot be decoded, so it has no kind and no name yet.
    throw invalid({ group: '', kind: '' }, '', [field]);
  }
}

const OPERATION_FIELDS: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

/** Problems of the patch itself that do not prevent applying it. */
function faultsOf({ type, body, duplicates = [] }: Patch): readonly string[] {
  const prefix = type === 'json' ? 'json patch ' : '';
  const unknown =
    type !== 'json' || !Array.isArray(body)
      ? []
      : body.flatMap((operation, index) =>
          Object.keys(isJsonObject(operation) ? operation : {})
            .filter((field) => !OPERATION_FIELDS.has(field))
            .map((field) => `[${index}].${field}`),
        );
  return [
    ...duplicates.map((path) => `${prefix}duplicate field ${JSON.stringify(path)}`),
    ...unknown.map((path) => `${prefix}unknown field ${JSON.stringify(path)}`),
  ];
}

/** The result of a strategic merge patch is converted, not decoded, so its errors differ. */
function conversionFault(patched: JsonObject, { type }: KindDefinition): string | undefined {
  try {
    if (type) readTyped(patched, type);
  } catch (error) {
    if (error instanceof WrongType) return error.conversion;
    throw error;
  }
  return undefined;
}

function patch(definition: KindDefinition, old: JsonObject, type: PatchType, body: Json): Json {
  try {
    switch (type) {
      case 'json':
        return applyJsonPatch(old, body);
      case 'merge':
        return applyJsonMergePatch(old, body);
      case 'strategic':
        return applyStrategicMergePatch(old, body, definition.type);
    }
  } catch (error) {
    if (!(error instanceof PodkeepError)) throw error;
    if (type === 'json' && error.code !== 'JSON_PATCH_TOO_LARGE') throw patchRejected();
    throw badRequest(error.message);
  }
}
