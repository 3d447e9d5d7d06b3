import { describe, expect, test } from 'vitest';
import { PodkeepError } from '../../lib/errors.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { structOf } from '../schema/schema.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const POD = structOf('core/v1.Pod');

function frozen<Value extends Json>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) frozen(part);
    Object.freeze(value);
  }
  return value;
}

function apply(original: JsonObject, patch: Json): JsonObject {
  return applyStrategicMergePatch(frozen(original), frozen(patch), POD);
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

describe('sharing', () => {
  const pod = frozen({
    metadata: { name: 'p', labels: { a: '1' }, finalizers: ['f', 'g'] },
    spec: {
      containers: [{ name: 'a', args: ['x'] }, { name: 'b' }],
      volumes: [{ name: 'v', emptyDir: {} }],
    },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  });

  test('a patch that changes nothing returns the same object', () => {
    const idle: JsonObject[] = [
      {},
      { status: { phase: 'Running' } },
      { metadata: { finalizers: ['g'], labels: { a: '1', b: null } } },
      { spec: { containers: [{ name: 'b' }] } },
      { spec: { containers: [{ name: 'a', args: ['x'] }] } },
      { spec: { '$setElementOrder/containers': names('a', 'b') } },
      { spec: { containers: [{ $patch: 'delete', name: 'z' }] } },
      { spec: { volumes: [{ name: 'v', $retainKeys: ['name', 'emptyDir'] }] } },
      { metadata: { labels: { $patch: 'replace', a: '1' } } },
      { metadata: { '$deleteFromPrimitiveList/finalizers': ['z'] } },
    ];
    for (const patch of idle) expect(apply(pod, patch)).toBe(pod);
  });

  test('what the patch leaves alone is shared with the original', () => {
    const result = apply(pod, { spec: { containers: [{ name: 'b', image: 'i' }] } });
    expect(result['metadata']).toBe(pod.metadata);
    expect(result['status']).toBe(pod.status);
    const spec = result['spec'] as typeof pod.spec;
    expect(spec.volumes).toBe(pod.spec.volumes);
    expect(spec.containers[0]).toBe(pod.spec.containers[0]);
    expect(spec.containers[1]).toEqual({ name: 'b', image: 'i' });
  });
});

describe('hostile documents', () => {
  test('__proto__ and constructor are keys like any other', () => {
    const text = '{"metadata":{"labels":{"__proto__":"x","constructor":"y"}},"__proto__":{"p":1}}';
    for (const original of ['{}', '{"metadata":{}}', '{"metadata":{"labels":{}}}']) {
      const result = apply(parse(original), parse(text));
      expect(parse(JSON.stringify(result))).toEqual(parse(text));
      expect(JSON.stringify(result)).toContain('"__proto__":{"p":1}');
      expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    }
    expect(apply(parse(text), parse('{"__proto__":null,"metadata":null}'))).toEqual({});
    expect({}).not.toHaveProperty('p');
  });

  test('a field named like a method of objects is unknown, not inherited', () => {
    const error = errorOf(() => apply(parse('{"constructor":{}}'), parse('{"constructor":{}}')));
    expect(error.code).toBe('PATCH_FIELD_UNKNOWN');
    expect(apply({}, { toString: 1, valueOf: null })).toEqual({ toString: 1 });
  });

  test('a patch nested beyond reason is refused, not a stack overflow', () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    const patch = parse(`{"spec":${deep}}`);
    expect(errorOf(() => applyStrategicMergePatch({}, patch, POD)).code).toBe('PATCH_TOO_DEEP');
    const not = `${'{"not":'.repeat(100_000)}{}${'}'.repeat(100_000)}`;
    const schema = structOf('apiextensions/v1.JSONSchemaProps');
    expect(errorOf(() => applyStrategicMergePatch(parse(not), parse(not), schema)).code).toBe(
      'PATCH_TOO_DEEP',
    );
  });

  test('lists of tens of thousands merge without comparing each with each', () => {
    const result = apply({ spec: { containers: many(0) } }, { spec: { containers: many(15_000) } });
    expect(result).toHaveProperty('spec.containers.length', 45_000);
    const values = many(0).map(({ name }) => name ?? null);
    const patch = { metadata: { '$deleteFromPrimitiveList/finalizers': values.slice(1) } };
    expect(apply({ metadata: { finalizers: values } }, patch)).toEqual({
      metadata: { finalizers: ['c0'] },
    });
  });
});

function parse(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}

function many(start: number): JsonObject[] {
  return Array.from({ length: 30_000 }, (_, index) => ({ name: `c${start + index}`, image: 'i' }));
}
