/**
 * JSON merge patch (RFC 7386): objects merge key by key, null deletes, anything else replaces.
 *
 * Of the merge patches, only this one needs no types, so custom resources use it. Lists are replaced whole,
 * with the nulls inside them kept. The format cannot express that an object's field *is* null, since null
 * means to delete it.
 *
 * Applying and creating a patch both skip parts that are the same object on both sides, and results share what
 * did not change.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { jsonEqual } from '../values/json-equal.ts';
import { descend } from './depth.ts';
import { own, put, type MutableJsonObject } from './json-access.ts';
import { ObjectDraft } from './object-draft.ts';

/** `target` with the patch applied; the same value if the patch changes nothing. */
export function applyJsonMergePatch(target: Json, patch: Json): Json {
  return mergeValue(target, patch, 0);
}

/** The patch that turns `original` into `modified`; `{}` when they are equal objects. */
export function createJsonMergePatch(original: Json, modified: Json): Json {
  if (!isJsonObject(original) || !isJsonObject(modified)) return modified;
  return diffObjects(original, modified, 0) ?? {};
}

function mergeValue(target: Json | undefined, patch: Json, depth: number): Json {
  if (!isJsonObject(patch)) {
    return target !== undefined && jsonEqual(target, patch) ? target : patch;
  }
  const deeper = descend(depth);
  // An object in the patch makes the result an object, whatever the old value was.
  const draft = new ObjectDraft(isJsonObject(target) ? target : {});
  for (const key of Object.keys(patch)) {
    const value = own(patch, key) ?? null;
    draft.set(key, value === null ? undefined : mergeValue(draft.get(key), value, deeper));
  }
  return draft.finish();
}

function diffObjects(
  original: JsonObject,
  modified: JsonObject,
  depth: number,
): JsonObject | undefined {
  if (original === modified) return undefined;
  const deeper = descend(depth);
  const patch: MutableJsonObject = {};
  for (const key of Object.keys(modified)) {
    const change = diffValue(own(original, key), own(modified, key) ?? null, deeper);
    if (change !== undefined) put(patch, key, change);
  }
  for (const key of Object.keys(original)) {
    if (!Object.hasOwn(modified, key)) put(patch, key, null);
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}

function diffValue(original: Json | undefined, modified: Json, depth: number): Json | undefined {
  if (isJsonObject(original) && isJsonObject(modified)) {
    return diffObjects(original, modified, depth);
  }
  return original !== undefined && jsonEqual(original, modified) ? undefined : modified;
}
