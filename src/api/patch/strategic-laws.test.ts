/**
 * The laws of strategic merge patches, on objects made up from the types themselves: every field
 * of every kind below can turn up, lists that merge with keys from a small set so that versions
 * have elements in common.
 */
import * as fc from 'fast-check';
import type { GeneratorValue } from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { structOf } from '../schema/schema.ts';
import type { Field, Shape, StructType } from '../schema/shape.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';
import { createTwoWayMergePatch } from './two-way-merge-patch.ts';

const KINDS = [
  'core/v1.Pod',
  'core/v1.Service',
  'core/v1.ConfigMap',
  'core/v1.Node',
  'core/v1.Event',
  'apps/v1.Deployment',
  'apps/v1.StatefulSet',
  'batch/v1.CronJob',
  'policy/v1.PodDisruptionBudget',
];
const KEYS = ['a', 'b', 'c', 'd', 'e'];
const DEPTH_MAX = 7;
const PATCH_KEYS = [
  '$deleteFromPrimitiveList/finalizers',
  '$patch',
  '$retainKeys',
  '$setElementOrder',
  '$setElementOrder/containers',
  '$setElementOrder/finalizers',
  '__proto__',
  'conditions',
  'containers',
  'finalizers',
  'labels',
  'metadata',
  'name',
  'spec',
  'status',
  'type',
  'volumes',
];

/** A kind with two versions of an object of it, the second made from the first. */
const versions = fc.gen().map((g) => {
  const type = structOf(g(fc.constantFrom, ...KINDS));
  const original = makeStruct(g, type, 0);
  return { type, original, modified: changeStruct(g, original, type, 0) };
});

const strangers = fc.gen().map((g) => {
  const type = structOf(g(fc.constantFrom, ...KINDS));
  return { type, original: makeStruct(g, type, 0), modified: makeStruct(g, type, 0) };
});

for (const [name, pair] of [
  ['an object and its next version', versions],
  ['two objects that have nothing to do with each other', strangers],
] as const) {
  test(`between ${name} the patch makes one of the other, and changes neither`, () => {
    fc.assert(
      fc.property(pair, ({ type, original, modified }) => {
        freeze(original);
        freeze(modified);
        const patch = createTwoWayMergePatch(original, modified, type);
        freeze(patch);
        const result = applyStrategicMergePatch(original, patch, type);
        expect(result).toEqual(modified);
      }),
      { numRuns: 300 },
    );
  });
}

test('between an object and its copy the patch is empty, and an empty patch changes nothing', () => {
  fc.assert(
    fc.property(versions, ({ type, original }) => {
      freeze(original);
      const copy = JSON.parse(JSON.stringify(original)) as JsonObject;
      expect(createTwoWayMergePatch(original, original, type)).toEqual({});
      expect(createTwoWayMergePatch(original, copy, type)).toEqual({});
      expect(applyStrategicMergePatch(original, {}, type)).toBe(original);
    }),
  );
});

test('a patch applied a second time changes nothing, and returns the same object', () => {
  fc.assert(
    fc.property(versions, ({ type, original, modified }) => {
      const patch = createTwoWayMergePatch(original, modified, type);
      const once = applyStrategicMergePatch(original, patch, type);
      freeze(once);
      expect(applyStrategicMergePatch(once, patch, type)).toBe(once);
    }),
  );
});

test('every part of the original that the patch does not mention is shared with the result', () => {
  fc.assert(
    fc.property(versions, ({ type, original, modified }) => {
      const patch = createTwoWayMergePatch(original, modified, type);
      const result = applyStrategicMergePatch(original, patch, type);
      const untouched = Object.keys(original).filter((key) => !mentions(patch, key));
      expect(untouched.every((key) => result[key] === original[key])).toBe(true);
    }),
  );
});

test('any patch is applied or refused with one of our errors', () => {
  const key = fc.constantFrom(...PATCH_KEYS);
  const leaf = fc.constantFrom<Json>(null, 1, 1.5, true, 'name', 'a', 'delete', 'replace', '');
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map(fromEntries),
    ),
  }));
  const type = structOf('core/v1.Pod');
  fc.assert(
    fc.property(value, value, (original, patch) => {
      freeze(original);
      freeze(patch);
      for (const work of [applyStrategicMergePatch, createTwoWayMergePatch]) {
        expect(outcomeOf(() => work(original, patch, type))).toMatch(/^(done|PATCH_[A-Z_]+)$/);
      }
    }),
    { numRuns: 2000 },
  );
});

function makeStruct(g: GeneratorValue, type: StructType, depth: number): JsonObject {
  const made: Record<string, Json> = {};
  const count = g(fc.nat, depth > 4 ? 2 : 5);
  for (let index = 0; index < count; index += 1) {
    const field = pickField(g, type);
    if (depth < DEPTH_MAX || field.shape.kind === 'scalar') {
      made[field.name] = makeField(g, field, depth + 1);
    }
  }
  return made;
}

/** Fields that merge in a way of their own are what this is about, so they come up more often. */
function pickField(g: GeneratorValue, type: StructType): Field {
  const special = type.fields.filter(
    ({ name, patchStrategies }) => patchStrategies.length > 0 || isPart(name),
  );
  const pool = special.length > 0 && g(fc.boolean) ? special : type.fields;
  return g(fc.constantFrom, ...pool);
}

function isPart(name: string): boolean {
  return ['metadata', 'spec', 'status', 'template'].includes(name);
}

function makeField(g: GeneratorValue, field: Field, depth: number): Json {
  const { shape, mergeKey, patchStrategies } = field;
  if (shape.kind !== 'list' || !patchStrategies.includes('merge')) return make(g, shape, depth);
  const keys = makeKeys(g);
  const { item } = shape;
  if (mergeKey === undefined || item.kind !== 'struct') return keys;
  return keys.map((key) => ({
    ...makeStruct(g, item.type, depth + 1),
    [mergeKey]: keyOf(item.type, mergeKey, key),
  }));
}

function makeKeys(g: GeneratorValue): readonly string[] {
  return g(fc.shuffledSubarray, KEYS);
}

function keyOf(type: StructType, mergeKey: string, key: string): Json {
  const shape = type.field(mergeKey)?.shape;
  const isText = shape?.kind !== 'scalar' || shape.scalar === 'string';
  return isText ? key : KEYS.indexOf(key) + 8080;
}

function make(g: GeneratorValue, shape: Shape, depth: number): Json {
  if (shape.kind === 'struct') return makeStruct(g, shape.type, depth);
  if (shape.kind === 'map') {
    return fromEntries(makeKeys(g).map((key) => [key, make(g, shape.value, depth + 1)]));
  }
  if (shape.kind === 'list') {
    return Array.from({ length: g(fc.nat, 3) }, () => make(g, shape.item, depth + 1));
  }
  if (shape.kind === 'special') return g(fc.constantFrom, ...KEYS);
  if (shape.scalar === 'bool') return g(fc.boolean);
  return shape.scalar === 'string' || shape.scalar === 'bytes'
    ? g(fc.constantFrom, ...KEYS)
    : g(fc.nat, 9);
}

/** Some fields go, some come, some change, and the rest is shared. */
function changeStruct(
  g: GeneratorValue,
  object: JsonObject,
  type: StructType,
  depth: number,
): JsonObject {
  const changed: Record<string, Json> = {};
  for (const [name, value] of Object.entries(object)) {
    const field = type.field(name);
    const choice = g(fc.nat, 9);
    if (choice === 0) continue;
    changed[name] = choice < 4 || field === undefined ? value : changeField(g, value, field, depth);
  }
  const added = pickField(g, type);
  if (g(fc.boolean)) changed[added.name] ??= makeField(g, added, depth + 1);
  return changed;
}

function changeField(g: GeneratorValue, value: Json, field: Field, depth: number): Json {
  const { shape, mergeKey } = field;
  if (shape.kind === 'struct' && isJsonObject(value)) {
    return changeStruct(g, value, shape.type, depth + 1);
  }
  const fresh = makeField(g, field, depth + 1);
  if (shape.kind !== 'list' || shape.item.kind !== 'struct' || mergeKey === undefined) return fresh;
  const { type } = shape.item;
  const known = new Map(elements(value).map((item) => [item[mergeKey], item]));
  return elements(fresh).map((item) => {
    const found = known.get(item[mergeKey]);
    if (found === undefined || g(fc.boolean)) return found ?? item;
    return { ...changeStruct(g, found, type, depth + 1), [mergeKey]: item[mergeKey] ?? null };
  });
}

function elements(value: Json): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function mentions(patch: JsonObject, key: string): boolean {
  return Object.keys(patch).some((name) => name === key || name.endsWith(`/${key}`));
}

function fromEntries(entries: readonly (readonly [string, Json])[]): JsonObject {
  return Object.fromEntries(entries);
}

function freeze(value: Json): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}

function outcomeOf(work: () => unknown): string {
  try {
    work();
    return 'done';
  } catch (error) {
    if (error instanceof Error && 'code' in error) return String(error.code);
    throw error;
  }
}
