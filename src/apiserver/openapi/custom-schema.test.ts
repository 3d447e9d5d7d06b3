import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { addCustomKind } from './custom-schema.ts';
import { Definitions } from './definitions.ts';
import { V2, V3, type Dialect } from './dialect.ts';

const NAME = 'com.example.stable.v1.CronTab';
const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

const CRON_TAB: KindDefinition = {
  group: 'stable.example.com',
  version: 'v1',
  kind: 'CronTab',
  resource: 'crontabs',
  singular: 'crontab',
  namespaced: true,
  rules: {},
  columns: [],
};

function define(dialect: Dialect, schema?: JsonObject): JsonObject {
  const definitions = new Definitions(dialect, []);
  addCustomKind({ ...CRON_TAB, ...(schema && { openApiSchema: schema }) }, definitions);
  return definitions.all();
}

describe('a custom kind', () => {
  const schema = { type: 'object', properties: { spec: { type: 'object' } } };

  test('has its own fields and those that every object has', () => {
    expect(define(V3, schema)[NAME]).toMatchObject({
      type: 'object',
      properties: {
        spec: { type: 'object' },
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: { allOf: [{ $ref: `#/components/schemas/${OBJECT_META}` }] },
      },
      'x-kubernetes-group-version-kind': [
        { group: 'stable.example.com', kind: 'CronTab', version: 'v1' },
      ],
    });
  });

  test('includes the definitions that it refers to', () => {
    expect(define(V3, schema)).toHaveProperty([OBJECT_META]);
  });

  test('has a list, by whose kind it is found', () => {
    expect(define(V3, schema)[`${NAME}List`]).toMatchObject({
      required: ['items'],
      properties: {
        items: { type: 'array', items: { $ref: `#/components/schemas/${NAME}` } },
        metadata: expect.anything(),
      },
      'x-kubernetes-group-version-kind': [
        { group: 'stable.example.com', kind: 'CronTabList', version: 'v1' },
      ],
    });
  });

  test('without a schema may hold anything', () => {
    expect(define(V3)[NAME]).toEqual({
      type: 'object',
      'x-kubernetes-group-version-kind': expect.anything(),
    });
  });

  test('that preserves unknown fields has none in version 2, where that would forbid all others', () => {
    const open = { ...schema, 'x-kubernetes-preserve-unknown-fields': true };
    expect(define(V2, open)[NAME]).not.toHaveProperty('properties');
    expect(define(V3, open)[NAME]).toHaveProperty('properties.spec');
  });

  test('may embed another object, which must have apiVersion and kind', () => {
    const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true, required: ['kind'] };
    const { [NAME]: defined } = define(V3, { type: 'object', properties: { template: embedded } });
    expect(defined).toMatchObject({
      properties: {
        template: {
          required: ['kind', 'apiVersion'],
          properties: { apiVersion: { type: 'string' }, metadata: expect.anything() },
        },
      },
    });
  });

  test('with a property named __proto__ keeps it', () => {
    const strange = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') as JsonObject;
    expect(JSON.stringify(define(V3, strange)[NAME])).toContain('"__proto__":{"type":"string"}');
  });

  test('does not replace a built-in type, whatever its group is', () => {
    const definitions = new Definitions(V2, []);
    definitions.refer('core/v1.Pod');
    const before = definitions.all()['io.k8s.api.core.v1.Pod'];
    addCustomKind({ ...CRON_TAB, group: 'core.api.k8s.io', kind: 'Pod' }, definitions);
    expect(definitions.all()['io.k8s.api.core.v1.Pod']).toBe(before);
  });
});
