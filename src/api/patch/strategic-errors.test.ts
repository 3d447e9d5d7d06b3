import { describe, expect, test } from 'vitest';
import { PodkeepError } from '../../lib/errors.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { structOf } from '../schema/schema.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const POD = structOf('core/v1.Pod');

/** Neither argument may be changed, even on the way to an error. */
function frozen<Value extends Json>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) frozen(part);
    Object.freeze(value);
  }
  return value;
}

/** Patches one field of the spec. */
function applySpec(original: JsonObject, patch: JsonObject): Json | undefined {
  const [before, change] = [frozen({ spec: original }), frozen({ spec: patch })];
  return applyStrategicMergePatch(before, change, POD)['spec'];
}

function errorOf(work: () => unknown): PodkeepError {
  try {
    work();
  } catch (error) {
    if (error instanceof PodkeepError) return error;
    throw error;
  }
  throw new Error('no error');
}

const names = (...list: string[]): JsonObject[] => list.map((name) => ({ name }));

const wrong: readonly (readonly [string, JsonObject, string, string])[] = [
  [
    'an element without its merge key',
    { containers: [{ image: 'nokey' }] },
    'PATCH_MERGE_KEY_MISSING',
    'map: map[image:nokey] does not contain declared merge key: name',
  ],
  [
    'a deletion without its merge key',
    { containers: [{ $patch: 'delete' }] },
    'PATCH_MERGE_KEY_MISSING',
    'map: map[$patch:delete] does not contain declared merge key: name',
  ],
  [
    'an unknown $patch in a list',
    { containers: [{ $patch: 'frobnicate', name: 'c' }] },
    'PATCH_DIRECTIVE_UNKNOWN',
    'unknown patch type: frobnicate in map: map[$patch:frobnicate name:c]',
  ],
  [
    '$patch: merge in a list',
    { containers: [{ $patch: 'merge', name: 'c' }] },
    'PATCH_DIRECTIVE_UNKNOWN',
    'merging lists cannot yet be specified in the patch',
  ],
  [
    'a scalar among objects',
    { containers: ['c'] },
    'PATCH_TYPE_MISMATCH',
    'list element types are not identical: [[map[name:c]] [c]]',
  ],
  [
    'a list among objects',
    { containers: [[{ name: 'c' }]] },
    'PATCH_TYPE_MISMATCH',
    'list element types are not identical: [[map[name:c]] [[map[name:c]]]]',
  ],
  [
    'null among objects',
    { containers: [null] },
    'PATCH_TYPE_MISMATCH',
    'list element types are not identical: [[map[name:c]] [<nil>]]',
  ],
  [
    'a merge key that is an object',
    { containers: [{ name: {} }] },
    'PATCH_TYPE_MISMATCH',
    'expected a scalar, but received a map[string]interface {}',
  ],
  [
    'an order that disagrees with the list',
    { '$setElementOrder/containers': names('d', 'c'), containers: names('c', 'd') },
    'PATCH_ORDER_MISMATCH',
    "The order in patch list:\n[map[name:c] map[name:d]]\n doesn't match $setElementOrder list:\n" +
      '[map[name:d] map[name:c]]\n',
  ],
  [
    'an order that does not name what the patch sets',
    { '$setElementOrder/containers': names('c'), containers: names('d') },
    'PATCH_ORDER_MISMATCH',
    "The order in patch list:\n[map[name:d]]\n doesn't match $setElementOrder list:\n[map[name:c]]\n",
  ],
  [
    'an order that is no list',
    { '$setElementOrder/containers': { name: 'c' } },
    'PATCH_TYPE_MISMATCH',
    'expected a []interface {}, but received a map[string]interface {}',
  ],
  [
    'an order beside something that is no list',
    { '$setElementOrder/containers': names('c'), containers: null },
    'PATCH_TYPE_MISMATCH',
    'expected a []interface {}, but received a <nil>',
  ],
  [
    'an order by something else than the merge key',
    { '$setElementOrder/containers': [{ image: 'c' }] },
    'PATCH_MERGE_KEY_MISSING',
    'map: map[image:c] does not contain declared merge key: name',
  ],
  [
    'an order without a field',
    { $setElementOrder: names('c') },
    'PATCH_MALFORMED',
    'invalid patch format of setElementOrder list',
  ],
  [
    'an order of an empty list',
    { '$setElementOrder/volumes': names('c') },
    'PATCH_TYPE_MISMATCH',
    'no elements in any of the given slices',
  ],
  [
    'an order of objects that have no merge key',
    { '$setElementOrder/tolerations': [{ key: 'a' }] },
    'PATCH_TYPE_MISMATCH',
    'expected a scalar, but received a map[string]interface {}',
  ],
  [
    'a deletion of values without a field',
    { $deleteFromPrimitiveList: ['a'] },
    'PATCH_MALFORMED',
    'invalid patch format of primitive list',
  ],
  [
    'a deletion of values that is no list',
    { '$deleteFromPrimitiveList/nodeName': 'x' },
    'PATCH_MALFORMED',
    'invalid patch format of primitive list',
  ],
  [
    'a deletion of values that are no scalars',
    { '$deleteFromPrimitiveList/containers': names('c') },
    'PATCH_MALFORMED',
    'invalid patch format of primitive list',
  ],
  [
    'a deletion of values of another type',
    { '$deleteFromPrimitiveList/containers': ['c'] },
    'PATCH_TYPE_MISMATCH',
    'list element types are not identical: [[map[name:c]] [c]]',
  ],
];

test.each(wrong)('%s', (_name, patch, code, message) => {
  const original = {
    containers: names('c'),
    nodeName: 'n',
    volumes: [],
    tolerations: [{ key: 'a' }],
  };
  const error = errorOf(() => applySpec(original, patch));
  expect(error.code).toBe(code);
  expect(error.message).toBe(message);
  expect(error.hint).not.toBe('');
  expect(error.retry).toBe('never');
});

test('a kind without a type has no strategic merge patch', () => {
  const error = errorOf(() => applyStrategicMergePatch({}, {}, undefined));
  expect(error.code).toBe('PATCH_UNSUPPORTED');
  expect(error.message).toBe('strategic merge patch format is not supported');
});

test('neither the patch nor the original may be anything but an object', () => {
  for (const value of [null, 1, 'x', [], undefined]) {
    expect(errorOf(() => applyStrategicMergePatch({}, value, POD)).code).toBe('PATCH_MALFORMED');
    expect(errorOf(() => applyStrategicMergePatch(value, {}, POD)).code).toBe('PATCH_MALFORMED');
  }
});

test('originals that break the rules give an error, too', () => {
  const patch = { containers: names('c') };
  for (const containers of [[{}], [null], ['c'], [[]], [{ name: [] }], [{ name: 'a' }, 1]]) {
    expect(errorOf(() => applySpec({ containers }, patch)).code).toMatch(/^PATCH_/);
  }
});

describe('fields that the type does not have', () => {
  test('are taken where there is only one thing the patch can mean', () => {
    expect(applySpec({ old: 1 }, { new: { a: { b: 1 } }, old: 2 })).toEqual({
      new: { a: { b: 1 } },
      old: 2,
    });
    expect(applySpec({ old: { a: 1 } }, { old: null })).toEqual({});
  });

  test('are an error where merging and replacing differ', () => {
    const error = errorOf(() => applySpec({ old: { a: 1 } }, { old: { b: 1 } }));
    expect(error.code).toBe('PATCH_FIELD_UNKNOWN');
    expect(error.message).toBe(
      'unable to find api field in struct PodSpec for the json field "old"',
    );
    expect(errorOf(() => applySpec({ old: [1] }, { old: [2] })).code).toBe('PATCH_FIELD_UNKNOWN');
  });

  test('are an error below a map, whose values have no rules', () => {
    const error = errorOf(() =>
      applySpec({ nodeSelector: { a: {} } }, { nodeSelector: { a: {} } }),
    );
    expect(error.message).toBe(
      'merging an object in json but data type is not struct, instead is: map',
    );
  });
});
