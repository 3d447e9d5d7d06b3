/**
 * The keys of a strategic merge patch that are directives and not data.
 *
 *     $patch                        what to do with the object that contains it: delete or replace
 *     $retainKeys                   which fields of the object survive
 *     $setElementOrder/<field>      the order of a list's elements
 *     $deleteFromPrimitiveList/<field>   the values to remove from a list of scalars
 *
 * Objects therefore cannot have fields of these names; no Kubernetes type does.
 */
import { patchMalformed } from './strategic-errors.ts';

export const DIRECTIVE = '$patch';
export const RETAIN_KEYS = '$retainKeys';

const ELEMENT_ORDER = '$setElementOrder';
const DELETE_VALUES = '$deleteFromPrimitiveList';

export function isElementOrder(key: string): boolean {
  return key.startsWith(ELEMENT_ORDER);
}

export function isValueDeletion(key: string): boolean {
  return key.startsWith(DELETE_VALUES);
}

export function elementOrderKey(field: string): string {
  return `${ELEMENT_ORDER}/${field}`;
}

export function valueDeletionKey(field: string): string {
  return `${DELETE_VALUES}/${field}`;
}

/** The field of a `$setElementOrder/...`. */
export function orderedField(key: string): string {
  if (!key.startsWith(`${ELEMENT_ORDER}/`)) throw patchMalformed({ part: 'setElementOrder' });
  return key.slice(ELEMENT_ORDER.length + 1);
}

/** The field of a `$deleteFromPrimitiveList/...`. */
export function deletedFromField(key: string): string {
  if (!key.startsWith(`${DELETE_VALUES}/`)) throw patchMalformed({ part: 'primitiveList' });
  return key.slice(DELETE_VALUES.length + 1);
}
