import { assert, jsonValue, property } from 'fast-check';
import { describe, expect, test } from 'vitest';

import { InvariantError } from '../../lib/assert.ts';
import { isAtomicLine, readStructLine } from './field-text.ts';
import type { Field, Shape, StructType } from './shape.ts';

const TEXT: Shape = { kind: 'scalar', scalar: 'string' };
const PLAIN = { pointer: false, omitEmpty: false, required: false, patchStrategies: [] };

function read(line: string): readonly Field[] {
  return readStructLine(line, () => TEXT);
}

describe('readStructLine', () => {
  test('a name may be left out when empty, be required, be both or neither', () => {
    expect(read('1 a string; 2 b? string; 3 c! string; 4 d?! string')).toEqual([
      { ...PLAIN, name: 'a', number: 1, shape: TEXT },
      { ...PLAIN, name: 'b', number: 2, shape: TEXT, omitEmpty: true },
      { ...PLAIN, name: 'c', number: 3, shape: TEXT, required: true },
      { ...PLAIN, name: 'd', number: 4, shape: TEXT, omitEmpty: true, required: true },
    ]);
  });

  test('names may be any that JSON schemas use', () => {
    expect(read('3 $ref? *string; 44 x-kubernetes-validations? string')).toMatchObject([
      { name: '$ref', pointer: true },
      { name: 'x-kubernetes-validations' },
    ]);
  });

  test('a field without a number is not in protobuf', () => {
    expect(read('- kind? string')[0]).not.toHaveProperty('number');
  });

  test('an inlined struct is named for its message, if it is one', () => {
    expect(read('- ^ meta/v1.TypeMeta; 2 ^volumeSource .VolumeSource')).toMatchObject([
      { name: '', inlined: true },
      { name: 'volumeSource', inlined: true, number: 2 },
    ]);
  });

  test('options define how a list merges', () => {
    const line = '6 ports? [].Port patch=merge,retainKeys key=port list=map,port,protocol';
    expect(read(line)[0]).toMatchObject({
      patchStrategies: ['merge', 'retainKeys'],
      mergeKey: 'port',
      listType: 'map',
      listMapKeys: ['port', 'protocol'],
    });
    expect(read('1 names? []string list=set')[0]).not.toHaveProperty('listMapKeys');
  });

  test('a struct without fields is an empty text', () => {
    expect(read('')).toEqual([]);
    expect(isAtomicLine('')).toBe(false);
  });

  test('a struct may be atomic, with or without fields', () => {
    expect(isAtomicLine('atomic')).toBe(true);
    expect(isAtomicLine('atomic; 1 name! string')).toBe(true);
    expect(isAtomicLine('1 atomic! string')).toBe(false);
    expect(read('atomic; 1 name! string')).toHaveLength(1);
    expect(read('1 atomic! string')).toMatchObject([{ name: 'atomic' }]);
  });

  test('a field is atomic when it says so, or when its type does', () => {
    const atomicType: StructType = {
      name: 'core/v1.X',
      atomic: true,
      fields: [],
      messageFields: [],
      field: () => undefined,
    };
    const atomicShape: Shape = { kind: 'struct', name: 'core/v1.X', type: atomicType };
    expect(read('1 selector? {}string atomic')[0]?.atomic).toBe(true);
    expect(readStructLine('1 ref? .X', () => atomicShape)[0]?.atomic).toBe(true);
    expect(readStructLine('1 refs? [].X', () => TEXT)[0]).not.toHaveProperty('atomic');
  });

  test('an unknown option is a bug', () => {
    expect(() => read('1 a string colour=red')).toThrow(InvariantError);
    expect(() => read('1 a string list=bag')).toThrow(InvariantError);
    expect(() => read('1 a string patch=mix')).toThrow(InvariantError);
  });

  test('any default comes back as it was written, spaces and equal signs included', () => {
    const values = jsonValue().filter((value) => !JSON.stringify(value).includes('; '));
    assert(
      property(values, (value) => {
        const [field] = read(`1 a? string list=set default=${JSON.stringify(value)}`);
        expect(field).toMatchObject({ name: 'a', listType: 'set' });
        expect(field?.default).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
