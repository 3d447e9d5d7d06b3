/**
 * The errors of strategic merge patches (P-4).
 *
 * One code for each mistake that the author would fix differently. Messages are Kubernetes' own where it has
 * one, since people search for them. A comment names the HTTP status with which kube-apiserver answers; it
 * answers the errors without such a comment with 500, although the patch is at fault.
 */
import { defineError } from '../../lib/errors.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { goTypeOf, printGo } from './go-text.ts';

const SENTENCES = {
  document: 'invalid JSON document',
  primitiveList: 'invalid patch format of primitive list',
  retainKeys: 'invalid patch format of retainKeys',
  setElementOrder: 'invalid patch format of setElementOrder list',
} as const;

const REMEDIES = {
  document: 'The patch and the object that it is applied to must both be JSON objects.',
  primitiveList:
    'Write "$deleteFromPrimitiveList/<field>": [values], each a string, number or boolean.',
  retainKeys: 'Write "$retainKeys": [names], and name every field that the patch sets.',
  setElementOrder: 'Write "$setElementOrder/<field>": [...] beside the field that it orders.',
} as const;

/** The value is not a valid strategic merge patch: 400. */
export const patchMalformed = defineError<{ part: keyof typeof SENTENCES }>({
  code: 'PATCH_MALFORMED',
  retry: 'never',
  message: ({ part }) => SENTENCES[part],
  hint: ({ part }) => REMEDIES[part],
});

/** The kind has no merge rules, as is the case for custom resources: 400, or 415 from content types. */
export const patchUnsupported = defineError<undefined>({
  code: 'PATCH_UNSUPPORTED',
  retry: 'never',
  message: () => 'strategic merge patch format is not supported',
  hint: () => 'Send application/merge-patch+json or application/json-patch+json instead.',
});

/** 422. */
export const patchListOfLists = defineError<undefined>({
  code: 'PATCH_LIST_OF_LISTS',
  retry: 'never',
  message: () => 'lists of lists are not supported',
  hint: () => 'Replace the whole list with a JSON merge patch instead.',
});

export const mergeKeyMissing = defineError<{ item: JsonObject; mergeKey: string }>({
  code: 'PATCH_MERGE_KEY_MISSING',
  retry: 'never',
  message: ({ item, mergeKey }) =>
    `map: ${printGo(item)} does not contain declared merge key: ${mergeKey}`,
  hint: ({ mergeKey }) =>
    `Give every element of the list its ${mergeKey}: that is how it is found.`,
});

export const mergeKeyUndeclared = defineError<{ kind: string }>({
  code: 'PATCH_MERGE_KEY_UNDECLARED',
  retry: 'never',
  message: ({ kind }) => `cannot merge lists without merge key for ${kind}`,
  hint: () => 'Replace the whole list with a JSON merge patch instead.',
});

export const directiveUnknown = defineError<{ directive: Json; where: JsonObject }>({
  code: 'PATCH_DIRECTIVE_UNKNOWN',
  retry: 'never',
  message: ({ directive, where }) =>
    `unknown patch type: ${printGo(directive)} in map: ${printGo(where)}`,
  hint: () => '"$patch" may be "replace" or "delete"; merging is what happens without it.',
});

export const listMergeDirective = defineError<undefined>({
  code: 'PATCH_DIRECTIVE_UNKNOWN',
  retry: 'never',
  message: () => 'merging lists cannot yet be specified in the patch',
  hint: () => 'Leave "$patch": "merge" out: lists with a merge key are merged anyway.',
});

export const typeMismatch = defineError<{ expected: string; actual: Json }>({
  code: 'PATCH_TYPE_MISMATCH',
  retry: 'never',
  message: ({ expected, actual }) => `expected a ${expected}, but received a ${goTypeOf(actual)}`,
  hint: ({ actual }) => `Compare the patch with the field's type; the value is ${printGo(actual)}.`,
});

export const elementsMixed = defineError<{ lists: readonly (readonly Json[])[] }>({
  code: 'PATCH_TYPE_MISMATCH',
  retry: 'never',
  message: ({ lists }) => `list element types are not identical: ${printGo(lists)}`,
  hint: () => 'All elements of a list that merges, old and new, must be of one type.',
});

export const elementsAbsent = defineError<undefined>({
  code: 'PATCH_TYPE_MISMATCH',
  retry: 'never',
  message: () => 'no elements in any of the given slices',
  hint: () => 'Leave "$setElementOrder" out for a list that has no elements to order.',
});

export const orderMismatch = defineError<{ items: readonly Json[]; order: readonly Json[] }>({
  code: 'PATCH_ORDER_MISMATCH',
  retry: 'never',
  message: ({ items, order }) =>
    `The order in patch list:\n${printGo(items)}\n doesn't match $setElementOrder list:\n${printGo(order)}\n`,
  hint: () => '"$setElementOrder" must list every element of the patch, in the same order.',
});

export const fieldUnknown = defineError<{ struct: string; field: string }>({
  code: 'PATCH_FIELD_UNKNOWN',
  retry: 'never',
  message: ({ struct, field }) =>
    `unable to find api field in struct ${struct} for the json field ${JSON.stringify(field)}`,
  hint: () =>
    'The patch strategy of this field is unknown. Check its spelling, or send a JSON merge patch.',
});

export const notAStruct = defineError<{ kind: string; field: string }>({
  code: 'PATCH_FIELD_UNKNOWN',
  retry: 'never',
  message: ({ kind }) =>
    `merging an object in json but data type is not struct, instead is: ${kind}`,
  hint: ({ field }) =>
    `Send a JSON merge patch: how ${JSON.stringify(field)} merges is not declared.`,
});

export const notAList = defineError<{ kind: string; field: string }>({
  code: 'PATCH_FIELD_UNKNOWN',
  retry: 'never',
  message: ({ kind }) => `expected slice or array type, but got: ${kind}`,
  hint: ({ field }) => `The field ${JSON.stringify(field)} does not hold a list.`,
});
