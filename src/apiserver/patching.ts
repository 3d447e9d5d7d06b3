/**
 * Patches of the three kinds, applied to an object and told in the API's words when they fail.
 *
 * The patched object is held against its shape again: a patch may bring in fields that the kind does
 * not have, or values of the wrong type.
 */
import { applyJsonMergePatch } from '../api/patch/json-merge-patch.ts';
import { applyJsonPatch } from '../api/patch/json-patch.ts';
import { applyStrategicMergePatch } from '../api/patch/strategic-merge-patch.ts';
import { PodkeepError } from '../lib/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../lib/json.ts';
import { hold, type FieldValidation } from './decode/body.ts';
import { printGoValue } from './decode/go-value.ts';
import { describeJsonFault } from './decode/json-fault.ts';
import { parseJson } from './decode/json-text.ts';
import { NestingError } from './decode/nesting.ts';
import { readTyped, WrongType } from './decode/typed-object.ts';
import type { KindDefinition } from './kind.ts';
import { checkTextParts, PATCH_PARTS_MAX } from './object-limits.ts';
import {
  badRequest,
  invalid,
  patchRejected,
  patchTypeUnknown,
  StatusError,
  unsupportedMediaType,
} from './status.ts';

export type PatchType = 'json' | 'merge' | 'strategic';

const TYPES: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
};

/** Of custom kinds, as kube-apiserver tells them. */
const CUSTOM_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/apply-patch+yaml',
];

export function patchTypeOf(contentType: string, definition: KindDefinition): PatchType {
  if (contentType === 'application/apply-patch+yaml') {
    throw patchTypeUnknown('server-side apply is not offered by this server yet');
  }
  const type = TYPES[contentType];
  // Custom kinds have no merge keys, so there is nothing strategic about them.
  if (!definition.type && (!type || type === 'strategic')) throw unsupportedMediaType(CUSTOM_TYPES);
  if (!type) throw patchTypeUnknown();
  return type;
}

export function readPatch(text: string, type: PatchType): Json {
  checkTextParts(text, PATCH_PARTS_MAX);
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof NestingError)) throw error;
    const why = error instanceof NestingError ? error.message : describeJsonFault(text);
    throw badRequest(type === 'strategic' ? why : `error decoding patch: ${why}`);
  }
}

export interface Patch {
  readonly type: PatchType;
  readonly body: Json;
  readonly validation: FieldValidation;
}

/** `warn` hears of fields that the patch brought in and the kind does not have. */
export function applyPatch(
  definition: KindDefinition,
  old: JsonObject,
  { type, body, validation }: Patch,
  warn: (warnings: readonly string[]) => void,
): JsonObject {
  const patched = patch(definition, old, type, body);
  if (!isJsonObject(patched)) throw badRequest('a patch must leave an object behind');
  try {
    const { object, warnings } = hold({ value: patched }, definition, validation, old);
    warn(warnings);
    return object;
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 400 || validation === 'Strict')
      throw error;
    const conversion = type === 'strategic' ? conversionFault(patched, definition) : undefined;
    const value = conversion === undefined ? JSON.stringify(patched) : printGoValue(body);
    const detail = conversion ?? error.message;
    const field = { type: 'Invalid' as const, field: 'patch', value, detail };
    // What does not decode is no object yet, so it has no kind and no name.
    throw invalid({ group: '', kind: '' }, '', [field]);
  }
}

/** A strategic patch makes an object and no text, so its outcome is converted, and not decoded. */
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
