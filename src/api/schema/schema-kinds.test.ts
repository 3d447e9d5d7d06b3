import { describe, expect, test } from 'vitest';

import { kindOf, kinds, openApiName } from './schema.ts';
import type { Field, Shape, StructType } from './shape.ts';

function structIn(shape: Shape | undefined): StructType | undefined {
  if (shape?.kind === 'list') return structIn(shape.item);
  if (shape?.kind === 'map') return structIn(shape.value);
  return shape?.kind === 'struct' ? shape.type : undefined;
}

describe('kinds', () => {
  test('a kind knows its group, version and type', () => {
    expect(kindOf('v1', 'Pod')).toMatchObject({
      apiVersion: 'v1',
      group: '',
      version: 'v1',
      kind: 'Pod',
      namespaced: true,
    });
    expect(kindOf('apps/v1', 'Deployment')).toMatchObject({ group: 'apps', version: 'v1' });
    expect(kindOf('apps/v1', 'Deployment')?.type.name).toBe('apps/v1.Deployment');
    expect(kindOf('apps/v1', 'Pod')).toBeUndefined();
    expect(kindOf('example.com/v1', 'Pod')).toBeUndefined();
  });

  test.each([
    ['v1', 'ConfigMap', true],
    ['v1', 'Binding', true],
    ['v1', 'Node', false],
    ['v1', 'Namespace', false],
    ['v1', 'PersistentVolume', false],
    ['v1', 'PersistentVolumeClaim', true],
    ['coordination.k8s.io/v1', 'Lease', true],
    ['policy/v1', 'Eviction', true],
    ['autoscaling/v1', 'Scale', true],
    ['authentication.k8s.io/v1', 'TokenReview', false],
    ['authentication.k8s.io/v1', 'TokenRequest', true],
    ['rbac.authorization.k8s.io/v1', 'Role', true],
    ['rbac.authorization.k8s.io/v1', 'ClusterRole', false],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', false],
    ['apiregistration.k8s.io/v1', 'APIService', false],
    ['apidiscovery.k8s.io/v2', 'APIGroupDiscovery', false],
    ['v1', 'PodList', false],
  ])('%s %s lives in a namespace: %s', (apiVersion, kind, namespaced) => {
    expect(kindOf(apiVersion, kind)?.namespaced).toBe(namespaced);
  });

  test("the API's own kinds are there", () => {
    expect(kindOf('v1', 'Status')?.type.name).toBe('meta/v1.Status');
    expect(kindOf('v1', 'List')?.type.name).toBe('core/v1.List');
    expect(kindOf('v1', 'APIResourceList')?.type.name).toBe('meta/v1.APIResourceList');
    expect(kindOf('meta.k8s.io/v1', 'Table')?.type.name).toBe('meta/v1.Table');
    expect(kindOf('meta.k8s.io/v1', 'PartialObjectMetadata')).toBeDefined();
    expect(kindOf('meta.k8s.io/v1beta1', 'PartialObjectMetadata')).toBeDefined();
  });

  test('options and watch events are kinds of every group version, and listed for none', () => {
    for (const apiVersion of ['v1', 'apps/v1', 'meta.k8s.io/v1', 'apiextensions.k8s.io/v1']) {
      for (const kind of ['DeleteOptions', 'WatchEvent']) {
        expect(kindOf(apiVersion, kind)).toMatchObject({ apiVersion, kind, namespaced: false });
      }
    }
    expect(kinds().some(({ kind }) => kind === 'WatchEvent')).toBe(false);
  });

  test('every kind that is listed can be found', () => {
    expect(kinds().length).toBeGreaterThan(300);
    for (const kind of kinds()) expect(kindOf(kind.apiVersion, kind.kind)).toBe(kind);
  });

  test('a list kind holds objects of its kind', () => {
    const lists = kinds().filter(({ type }) => type.field('items') !== undefined);
    expect(lists.length).toBeGreaterThan(100);
    for (const { apiVersion, kind, type } of lists.filter(({ kind }) => kind !== 'List')) {
      const item = structIn(type.field('items')?.shape);
      expect(kindOf(apiVersion, kind.replace(/List$/, ''))?.type).toBe(item);
    }
  });
});

/** Every type that can be reached, each once. */
function allTypes(): ReadonlySet<StructType> {
  const found = new Set<StructType>();
  const waiting = kinds().map(({ type }) => type);
  for (let type = waiting.pop(); type !== undefined; type = waiting.pop()) {
    if (found.has(type)) continue;
    found.add(type);
    const fields = [...type.fields, ...type.messageFields];
    waiting.push(...fields.flatMap(({ shape }) => structIn(shape) ?? []));
  }
  return found;
}

/** Every field of every type, with its place for the report. */
function allFields(): readonly (readonly [string, Field])[] {
  return [...allTypes()].flatMap(({ name, fields }) =>
    fields.map((field) => [`${name}.${field.name}`, field] as const),
  );
}

describe('the whole table', () => {
  test('every type can be read, and numbers its fields without repeating itself', () => {
    expect(allTypes().size).toBeGreaterThan(1100);
    const repeating = [...allTypes()].filter(({ messageFields }) => {
      const numbers = new Set(messageFields.map(({ number }) => number));
      return numbers.size !== messageFields.length;
    });
    expect(repeating).toEqual([]);
  });

  test('every merge key and list map key is a field of the items of a list', () => {
    const missing = allFields().flatMap(([place, { shape, mergeKey, listMapKeys = [] }]) => {
      const keys = mergeKey === undefined ? listMapKeys : [...listMapKeys, mergeKey];
      const items = shape.kind === 'list' ? structIn(shape) : undefined;
      return keys
        .filter((key) => items?.field(key) === undefined)
        .map((key) => `${place} by ${key}`);
    });
    expect(missing).toEqual([]);
  });

  test('a list of type map has keys, and no other list does', () => {
    const wrong = allFields().filter(
      ([, { listType, listMapKeys }]) => (listType === 'map') !== (listMapKeys !== undefined),
    );
    expect(wrong).toEqual([]);
  });

  test('every type has a name in OpenAPI, and no two the same', () => {
    const names = [...allTypes()].map(({ name }) => openApiName(name));
    expect(new Set(names).size).toBe(names.length);
    expect(names.every((name) => name.startsWith('io.k8s.'))).toBe(true);
  });
});
