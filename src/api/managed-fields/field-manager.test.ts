import { expect, test } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import { structOf } from '../schema/schema.ts';
import { builtInFieldType } from './built-in-type.ts';
import { ConflictError } from './conflicts.ts';
import { customFieldType } from './custom-type.ts';
import { applyFields, trackUpdate, type FieldScope } from './field-manager.ts';
import { readFieldsV1, writeFieldsV1 } from './field-set.ts';
import type { FieldType } from './field-type.ts';
import { limitManagers } from './manager-limit.ts';
import { NO_MANAGERS, readManagers, writeManagers, type Managers } from './managers.ts';
import { TypedValueError } from './typed-value-error.ts';
import { checkTyped } from './validate-value.ts';

const POD = builtInFieldType(structOf('core/v1.Pod'));
const EMPTY = { metadata: {}, spec: { containers: null }, status: {} };

function scope(type: FieldType = POD, now = '2026-01-01T00:00:00Z'): FieldScope {
  const convert: FieldScope['convert'] = (object, to) =>
    to === 'v1' ? { object, type } : undefined;
  return { apiVersion: 'v1', type, subresource: '', resetFields: () => undefined, convert, now };
}

function pod(env: readonly JsonObject[], labels: JsonObject = {}): JsonObject {
  return { metadata: { labels }, spec: { containers: [{ name: 'c', env }] } };
}

function fieldsOf(managers: Managers, name: string): unknown {
  return writeManagers(managers)?.find((entry) => entry['manager'] === name)?.['fieldsV1'];
}

test('a create gives its manager every field that it sets', () => {
  const managers = trackUpdate(scope(), EMPTY, pod([{ name: 'A', value: '1' }]), NO_MANAGERS, 'm');
  expect(fieldsOf(managers, 'm')).toEqual({
    'f:metadata': { 'f:labels': {} },
    'f:spec': {
      'f:containers': {
        'k:{"name":"c"}': {
          '.': {},
          'f:env': {
            '.': {},
            'k:{"name":"A"}': { '.': {}, 'f:name': {}, 'f:value': {} },
          },
          'f:name': {},
        },
      },
    },
  });
});

test('an update takes the fields that it changes from their manager', () => {
  const before = pod([{ name: 'A', value: '1' }], { a: '1', b: '1' });
  const created = trackUpdate(scope(), EMPTY, before, NO_MANAGERS, 'one');
  const after = pod([{ name: 'A', value: '1' }], { a: '2' });
  const updated = trackUpdate(scope(), before, after, created, 'two');
  expect(fieldsOf(updated, 'one')).toMatchObject({ 'f:metadata': { 'f:labels': {} } });
  expect(JSON.stringify(fieldsOf(updated, 'one'))).not.toContain('f:a');
  expect(JSON.stringify(fieldsOf(updated, 'one'))).not.toContain('f:b');
  expect(fieldsOf(updated, 'two')).toEqual({ 'f:metadata': { 'f:labels': { 'f:a': {} } } });
});

test('an update that changes nothing keeps the very entries', () => {
  const object = pod([{ name: 'A', value: '1' }]);
  const created = trackUpdate(scope(), EMPTY, object, NO_MANAGERS, 'one');
  const again = trackUpdate(scope(POD, '2026-02-02T00:00:00Z'), object, object, created, 'one');
  expect(writeManagers(again)?.[0]).toBe(writeManagers(created)?.[0]);
});

test('changing the field of another manager is a conflict, unless it is forced', () => {
  const live = pod([{ name: 'A', value: '1' }]);
  const managers = trackUpdate(scope(), EMPTY, live, NO_MANAGERS, 'one');
  const config = pod([{ name: 'A', value: '2' }]);
  const apply = (force: boolean) => applyFields(scope(), live, config, managers, 'two', force);
  expect(() => apply(false)).toThrow(ConflictError);
  expect(() => apply(false)).toThrow(
    'Apply failed with 1 conflict: conflict with "one" using v1: .spec.containers[name="c"].env[name="A"].value',
  );
  const { object, managers: after } = apply(true);
  expect(object).toMatchObject({ spec: { containers: [{ env: [{ name: 'A', value: '2' }] }] } });
  expect(JSON.stringify(fieldsOf(after, 'one'))).not.toContain('f:value');
});

test('what a manager applies no more is removed, and what others added stays', () => {
  const config = pod([{ name: 'A', value: '1' }], { own: '1' });
  const first = applyFields(scope(), EMPTY, config, NO_MANAGERS, 'one', false);
  const live = first.object as JsonObject;
  const more = pod(
    [
      { name: 'A', value: '1' },
      { name: 'B', value: '1' },
    ],
    { own: '1', other: '1' },
  );
  const managers = trackUpdate(scope(), live, more, first.managers, 'two');
  const second = applyFields(scope(), more, pod([]), managers, 'one', false);
  expect(second.object).toMatchObject({
    metadata: { labels: { other: '1' } },
    spec: { containers: [{ name: 'c', env: [{ name: 'B', value: '1' }] }] },
  });
});

test('an apply that changes nothing returns no object and keeps the time', () => {
  const config = pod([{ name: 'A', value: '1' }]);
  const { object, managers } = applyFields(scope(), EMPTY, config, NO_MANAGERS, 'one', false);
  const later = scope(POD, '2026-02-02T00:00:00Z');
  const again = applyFields(later, object as JsonObject, config, managers, 'one', false);
  expect(again.object).toBeNull();
  expect(writeManagers(again.managers)).toEqual(writeManagers(managers));
});

test('lists of custom kinds are sets, maps or one value, as their schema says', () => {
  const items = { type: 'object', properties: { k: { type: 'string' }, v: { type: 'integer' } } };
  const type = customFieldType({
    properties: {
      spec: {
        type: 'object',
        properties: {
          set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
          map: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['k'],
            items,
          },
          whole: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  });
  const object = { spec: { set: ['a'], map: [{ k: 'x', v: 1 }], whole: ['a', 'b'] } };
  const managers = trackUpdate(scope(type), {}, object, NO_MANAGERS, 'm');
  expect(fieldsOf(managers, 'm')).toEqual({
    'f:spec': {
      '.': {},
      'f:set': { '.': {}, 'v:"a"': {} },
      'f:map': { '.': {}, 'k:{"k":"x"}': { '.': {}, 'f:k': {}, 'f:v': {} } },
      'f:whole': {},
    },
  });
});

test('an applied configuration has no item twice, and no field that the kind does not have', () => {
  const twice = pod([{ name: 'A' }, { name: 'A' }]);
  expect(() => checkTyped(twice, POD, false)).toThrow(TypedValueError);
  expect(() => checkTyped(twice, POD, false)).toThrow(
    '.spec.containers[name="c"].env: duplicate entries for key [name="A"]',
  );
  expect(() => checkTyped(twice, POD, true)).not.toThrow();
  expect(() => checkTyped({ spec: { nope: 1 } }, POD, false)).toThrow(
    '.spec.nope: field not declared in schema',
  );
});

test('FieldsV1 is read and written, and anything else is not', () => {
  const fields = { 'f:a': { '.': {}, 'k:{"x":1}': {}, 'v:"s"': {}, 'i:0': {} } };
  const set = readFieldsV1(fields);
  expect(set && writeFieldsV1(set)).toEqual(fields);
  expect(readFieldsV1({ a: {} })).toBeUndefined();
  expect(readFieldsV1({ 'k:nonsense': {} })).toBeUndefined();
});

test('more than ten managers of updates are united, the oldest first', () => {
  let object: JsonObject = { metadata: { labels: {} } };
  let managers: Managers = trackUpdate(scope(), EMPTY, object, NO_MANAGERS, 'm0');
  for (let index = 1; index <= 12; index++) {
    const now = `2026-01-01T00:00:${String(index).padStart(2, '0')}Z`;
    const next = { metadata: { labels: { [`l${index}`]: '1', ...labelsOf(object) } } };
    const updated = trackUpdate(scope(POD, now), object, next, managers, `m${index}`);
    managers = limitManagers(updated);
    object = next;
  }
  const names = writeManagers(managers)?.map((entry) => entry['manager']);
  expect(names).toHaveLength(10);
  expect(names?.[0]).toBe('ancient-changes');
});

test('entries that cannot be read are reported', () => {
  const entry = { manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' };
  expect(readManagers([{ ...entry, operation: 'Nope' }])).toEqual({
    problem: 'operation must be `Apply` or `Update`',
  });
  expect(readManagers([{ ...entry, fieldsType: '' }])).toEqual({
    problem: 'missing fieldsType in managed fields entry 0',
  });
  expect(readManagers([entry])).toHaveProperty('managers');
});

function labelsOf({ metadata }: JsonObject): JsonObject {
  return (metadata as JsonObject)['labels'] as JsonObject;
}
