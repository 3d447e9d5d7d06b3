import { describe, expect, test } from 'vitest';

import { InvariantError } from '../../src/lib/assert.ts';
import type { Constant, Expr, GoField, GoType, Package } from './facts.ts';
import { makeTable } from './table.ts';

const PATH = 'k8s.io/api/toys/v1';
const META_PATH = 'k8s.io/apimachinery/pkg/apis/meta/v1';
const STRING: Expr = { basic: 'string' };

function type(name: string, is: Expr, ...markers: readonly string[]): GoType {
  return { name, alias: false, markers, distantMarkers: [], is };
}

function struct(name: string, ...fields: readonly GoField[]): GoType {
  return type(name, { struct: { fields } });
}

function field(
  name: string,
  is: Expr,
  tags: GoField['tags'] = {},
  ...markers: readonly string[]
): GoField {
  return { name, embedded: false, tags, markers, is };
}

function local(name: string): Expr {
  return { ref: `${PATH}.${name}` };
}

function constant(name: string, text: string, is?: Expr): Constant {
  return { name, value: { text }, ...(is && { is }) };
}

/** A package with one kind, Toy, and whatever else it is given. */
function toys(toy: GoType, types: readonly GoType[] = [], constants: readonly Constant[] = []) {
  const toyPackage: Package = {
    path: PATH,
    markers: ['+k8s:openapi-model-package=io.k8s.api.toys.v1'],
    types: [toy, ...types],
    constants: [constant('GroupName', 'toys.k8s.io'), ...constants],
    groupVersions: [{ name: 'GV', group: { ref: `${PATH}.GroupName` }, version: { text: 'v1' } }],
    registrations: [{ call: 'AddKnownTypes', into: 'GV', types: [`${PATH}.Toy`] }],
  };
  const metaPackage: Package = {
    path: META_PATH,
    markers: [],
    types: [struct('ObjectMeta', field('Name', STRING, { json: 'name,omitempty' }))],
    constants: [],
    groupVersions: [],
    registrations: [],
  };
  return [toyPackage, metaPackage];
}

interface Table {
  readonly packages: Readonly<Record<string, string>>;
  readonly kinds: Readonly<Record<string, unknown>>;
  readonly enums: Readonly<Record<string, readonly string[]>>;
  readonly types: Readonly<Record<string, string>>;
}

function tableOf(...facts: Parameters<typeof toys>): Table {
  const table: Table = JSON.parse(makeTable('v0', toys(...facts)));
  return table;
}

function toyLine(fields: readonly GoField[], ...rest: readonly GoType[]): string | undefined {
  return tableOf(struct('Toy', ...fields), rest).types['toys/v1.Toy'];
}

describe('fields', () => {
  test('the JSON tag names the field and says whether empty is left out', () => {
    const fields = [
      field('A', STRING, { json: 'a,omitempty', protobuf: 'bytes,1,opt,name=a' }),
      field('B', STRING, { json: 'b', protobuf: 'bytes,2,opt,name=b' }),
      field('C', STRING, { json: 'c,omitzero' }, '+optional'),
      field('D', STRING, { json: '-' }),
      field('E', STRING),
    ];
    expect(toyLine(fields)).toBe('1 a? string; 2 b! string; - c? string; - E! string');
  });

  test('a marker decides what is required, before the JSON tag does', () => {
    const fields = [
      field('A', STRING, { json: 'a,omitempty' }, '+required'),
      field('B', STRING, { json: 'b' }, '+optional'),
      field('C', STRING, { json: 'c' }, '+k8s:optional'),
    ];
    expect(toyLine(fields)).toBe('- a?! string; - b string; - c! string');
  });

  test('options are written in one order', () => {
    const ports = field(
      'Ports',
      { list: STRING },
      { json: 'ports,omitempty', patchStrategy: 'merge', patchMergeKey: 'port' },
      '+listMapKey=port',
      '+default=["a b"]',
      '+listMapKey=protocol',
      '+listType=map',
    );
    expect(toyLine([ports])).toBe(
      '- ports? []string patch=merge key=port list=map,port,protocol default=["a b"]',
    );
  });

  test('a default may be a constant of the same package', () => {
    const size = field('Size', STRING, { json: 'size,omitempty' }, '+default=ref(Small)');
    const table = tableOf(struct('Toy', size), [], [constant('Small', 'S')]);
    expect(table.types['toys/v1.Toy']).toBe('- size? string default="S"');
  });

  test('an inlined struct keeps its message', () => {
    const inlined = field('Parts', local('Parts'), {
      json: ',inline',
      protobuf: 'bytes,2,opt,name=parts',
    });
    const unnamed = field('More', local('Parts'), { json: ',inline', protobuf: 'bytes,3,req' });
    const bare = { ...field('Parts', local('Parts')), embedded: true };
    expect(toyLine([inlined, unnamed, bare], struct('Parts'))).toBe(
      '2 ^parts .Parts; 3 ^more .Parts; - ^ .Parts',
    );
  });
});

describe('types', () => {
  test('names that JSON does not see disappear, others stay', () => {
    const fields = [
      field('A', { pointer: local('Word') }, { json: 'a,omitempty' }),
      field('B', local('Words'), { json: 'b,omitempty' }),
      field('C', local('Wrapped'), { json: 'c,omitempty' }),
      field('D', { list: { basic: 'byte' } }, { json: 'd,omitempty' }),
      field('E', local('Copy'), { json: 'e,omitempty' }),
      field('F', local('Other'), { json: 'f,omitempty' }),
      field('G', { map: { key: local('Word'), value: { pointer: local('Part') } } }, { json: 'g' }),
    ];
    const types = [
      type('Word', STRING),
      type('Words', { list: local('Word') }),
      type('Wrapped', { list: STRING }, '+protobuf.nullable=true'),
      struct('Part'),
      type('Copy', local('Part')),
      { ...type('Other', local('Part')), alias: true },
    ];
    expect(toyLine(fields, ...types)).toBe(
      '- a? *string; - b? []string; - c? <>string; - d? bytes; ' +
        '- e? .Copy; - f? .Part; - g! {}.Part',
    );
  });

  test('only what can be reached is in the table, and what contains itself once', () => {
    const toy = struct('Toy', field('Parts', { list: local('Toy') }, { json: 'parts' }));
    expect(tableOf(toy, [struct('Unused')]).types).toEqual({
      'toys/v1.Toy': '- parts! [].Toy',
    });
  });

  test('an atomic struct says so before its fields', () => {
    const toy = { ...struct('Toy', field('A', STRING)), markers: ['+structType=atomic'] };
    expect(tableOf(toy).types['toys/v1.Toy']).toBe('atomic; - A! string');
  });

  test('an enum has the values of its constants, each once, sorted', () => {
    const size = type('Size', STRING, '+enum');
    const toy = struct('Toy', field('Size', local('Size'), { json: 'size' }));
    const constants = [
      constant('Small', 'S', local('Size')),
      constant('Large', 'L', local('Size')),
      { name: 'Default', value: { ref: `${PATH}.Small` } },
      constant('Untyped', 'X'),
    ];
    const table = tableOf(toy, [size], constants);
    expect(table.types['toys/v1.Toy']).toBe('- size! #.Size');
    expect(table.enums).toEqual({ 'toys/v1.Size': ['L', 'S'] });
  });

  test('a type that JSON cannot say is refused', () => {
    expect(() => toyLine([field('A', { basic: 'complex128' })])).toThrow(InvariantError);
    expect(() => toyLine([field('A', { ref: 'net.IP' })])).toThrow(InvariantError);
    const byNumber = { map: { key: { basic: 'int32' }, value: STRING } };
    expect(() => toyLine([field('A', byNumber)])).toThrow(InvariantError);
  });
});

describe('kinds', () => {
  const metadata = field('ObjectMeta', { ref: `${META_PATH}.ObjectMeta` }, { json: 'metadata' });

  test('an object lives in a namespace unless its type says otherwise', () => {
    const namespaced = { package: 'toys/v1', namespaced: 'Toy', other: '' };
    const other = { package: 'toys/v1', namespaced: '', other: 'Toy' };
    const toy = struct('Toy', metadata);
    const marked = { ...toy, distantMarkers: ['+genclient', '+genclient:nonNamespaced'] };
    expect(tableOf(toy).kinds).toEqual({ 'toys.k8s.io/v1': namespaced });
    expect(tableOf(marked).kinds).toEqual({ 'toys.k8s.io/v1': other });
    expect(tableOf(struct('Toy')).kinds).toEqual({ 'toys.k8s.io/v1': other });
  });

  test('packages are listed with their names in OpenAPI', () => {
    expect(tableOf(struct('Toy')).packages).toEqual({ 'toys/v1': 'io.k8s.api.toys.v1' });
  });

  test('every type has a line of its own, so that differences can be read', () => {
    const lines = makeTable('v0', toys(struct('Toy', metadata))).split('\n');
    expect(lines).toContain('"meta/v1.ObjectMeta":"- name? string",');
    expect(lines).toContain('"toys/v1.Toy":"- metadata! meta/v1.ObjectMeta"');
  });
});
