/**
 * Applies `$retainKeys`: only the named fields of the object survive.
 *
 * This is how one volume source replaces another although objects merge. The directive must name every field
 * that the patch sets; otherwise the patch is refused. Fields set to null and list directives need not be
 * named.
 */
import type { Json, JsonObject } from '../../lib/json.ts';
import { isElementOrder, isValueDeletion, RETAIN_KEYS } from './directive.ts';
import { isJsonList, own } from './json-access.ts';
import type { ObjectDraft } from './object-draft.ts';
import { patchMalformed } from './strategic-errors.ts';

/** Removes the fields that are not retained. Without the directive, removes none. */
export function retainKeys(draft: ObjectDraft, patch: JsonObject): void {
  const directive = own(patch, RETAIN_KEYS);
  if (directive === undefined) return;
  const retained = readNames(directive);
  for (const key of Object.keys(patch)) {
    if (needsRetaining(key, patch) && !retained.has(key)) {
      throw patchMalformed({ part: 'retainKeys' });
    }
  }
  for (const key of draft.keys()) if (!retained.has(key)) draft.set(key, undefined);
}

function needsRetaining(key: string, patch: JsonObject): boolean {
  if (key === RETAIN_KEYS || isElementOrder(key) || isValueDeletion(key)) return false;
  return own(patch, key) !== null;
}

function readNames(directive: Json): ReadonlySet<Json> {
  if (!isJsonList(directive)) throw patchMalformed({ part: 'retainKeys' });
  for (const name of directive) {
    if (typeof name === 'object' && name !== null) throw patchMalformed({ part: 'retainKeys' });
  }
  return new Set(directive);
}
