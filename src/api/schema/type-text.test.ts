import { describe, expect, test } from 'vitest';

import { InvariantError } from '../../lib/assert.ts';
import type { Shape, StructType } from './shape.ts';
import { typeReader } from './type-text.ts';

function struct(name: string): StructType {
  return { name, fields: [], messageFields: [], field: () => undefined };
}

const read = typeReader({ structOf: struct, enumOf: (name) => [`a value of ${name}`] });

function structShape(name: string): Shape {
  return { kind: 'struct', name, type: { ...struct(name), field: expect.any(Function) } };
}

describe('typeReader', () => {
  test('scalars and special types are known by their names', () => {
    expect(read('int64', 'core/v1')).toEqual({ kind: 'scalar', scalar: 'int64' });
    expect(read('Quantity', 'core/v1')).toEqual({ kind: 'special', special: 'Quantity' });
  });

  test('lists and maps hold any type, to any depth', () => {
    const text: Shape = { kind: 'scalar', scalar: 'string' };
    expect(read('{}[]string', 'core/v1')).toEqual({
      kind: 'map',
      value: { kind: 'list', item: text },
    });
    expect(read('{}<>string', 'core/v1')).toEqual({
      kind: 'map',
      value: { kind: 'list', item: text, wrapped: true },
    });
  });

  test('a struct is of the package it is read in, unless it names another', () => {
    expect(read('.Pod', 'core/v1')).toEqual(structShape('core/v1.Pod'));
    expect(read('[].Pod', 'core/v1')).toEqual({ kind: 'list', item: structShape('core/v1.Pod') });
    expect(read('core/v1.Pod', 'apps/v1')).toEqual(structShape('core/v1.Pod'));
  });

  test('an enum is a string with its values', () => {
    const policy = { kind: 'scalar', scalar: 'string', enum: ['a value of core/v1.Policy'] };
    expect(read('#.Policy', 'core/v1')).toEqual(policy);
    expect(read('#core/v1.Policy', 'apps/v1')).toEqual(policy);
    expect(read('[]#.Policy', 'core/v1')).toEqual({ kind: 'list', item: policy });
  });

  test('the same type is the same shape, however it is written', () => {
    expect(read('core/v1.Pod', 'apps/v1')).toBe(read('.Pod', 'core/v1'));
    expect(read('[]string', 'apps/v1')).toBe(read('[]string', 'core/v1'));
    expect(read('.Pod', 'apps/v1')).not.toBe(read('.Pod', 'core/v1'));
  });

  test.each(['Widget', 'constructor', '', 'int8'])('there is no type "%s"', (text) => {
    expect(() => read(text, 'core/v1')).toThrow(InvariantError);
  });
});
