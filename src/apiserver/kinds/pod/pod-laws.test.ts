import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../../../test/support/deep-freeze.ts';
import { formatQuantity, readQuantity } from '../../../api/values/quantity-text.ts';
import { compareQuantities } from '../../../api/values/quantity.ts';
import { structOf } from '../../../api/schema/schema.ts';
import type { Field, Shape, StructType } from '../../../api/schema/shape.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { fieldErrorMessage } from '../../../api/validation/field-error.ts';
import { POD } from './definition.ts';
import { defaultPod } from '../../../api/pod-validation/defaults/pod-defaults.ts';
import { prepareForCreate, prepareForStatusUpdate, prepareForUpdate } from './preparation.ts';
import { validatePodStatusUpdate } from './status/status-validation.ts';
import { POD_SUBRESOURCES } from './subresources.ts';
import { validatePod, validatePodUpdate } from '../../../api/pod-validation/pod-validation.ts';

const DEPTH_MAX = 9;
const TEXTS = [
  '',
  'a',
  'c',
  'A_',
  '../x',
  '/abs',
  'Always',
  'Never',
  'cpu',
  '10.0.0.1',
  'x'.repeat(300),
];
const KEYS = ['a', 'cpu', 'memory', 'example.com/gpu', 'bad key!', '__proto__', 'constructor'];

/** Without these there is little to test. */
const ALWAYS = new Set(['core/v1.Pod.spec', 'core/v1.PodSpec.containers']);

const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ maxLength: 8 }));
const amount = fc.oneof(fc.constantFrom('0', '1', '500m', '1Gi', '0.0001', '-1', '1e3'), fc.nat(9));

/** A pod that the decoder would accept. */
const typedPod: fc.Arbitrary<JsonObject> = structArbitrary(structOf('core/v1.Pod'), 0);

/** A pod with values of any type anywhere. */
const roughPod: fc.Arbitrary<JsonObject> = structArbitrary(structOf('core/v1.Pod'), 0, 0.15);

function structArbitrary(type: StructType, depth: number, rough = 0): fc.Arbitrary<JsonObject> {
  // Few fields at a time, others each time: a pod with all of them would be too large.
  const maxLength = Math.min(type.fields.length, depth < 3 ? 12 : 5);
  const wanted = fc.subarray([...type.fields], { maxLength });
  const always = type.fields.filter(({ name }) => ALWAYS.has(`${type.name}.${name}`));
  return wanted.chain((some) => {
    const entries = [...new Set([...always, ...some])]
      .filter(() => depth < DEPTH_MAX)
      .map((field) =>
        fieldArbitrary(field, depth, rough).map((value) => [field.name, value] as const),
      );
    return fc.tuple(...entries).map((all) => Object.fromEntries(all));
  });
}

function fieldArbitrary({ shape }: Field, depth: number, rough: number): fc.Arbitrary<Json> {
  const typed = shapeArbitrary(shape, depth + 1, rough);
  if (rough === 0) return typed;
  const anything: fc.Arbitrary<Json> = fc
    .jsonValue({ maxDepth: 1 })
    .map((value) => JSON.parse(JSON.stringify(value)));
  const weight = Math.round(rough * 100);
  return fc.oneof({ arbitrary: typed, weight: 100 - weight }, { arbitrary: anything, weight });
}

function shapeArbitrary(shape: Shape, depth: number, rough: number): fc.Arbitrary<Json> {
  switch (shape.kind) {
    case 'scalar':
      if (shape.scalar === 'bool') return fc.boolean();
      if (shape.scalar !== 'string') return fc.constantFrom(0, 1, -1, 80, 70_000, 2_147_483_647);
      return shape.enum ? fc.oneof(fc.constantFrom(...shape.enum), text) : text;
    case 'special':
      if (shape.special === 'Quantity') return amount;
      if (shape.special === 'IntOrString') return fc.oneof(fc.nat(90_000), text);
      return shape.special === 'Time' ? fc.constant('2026-01-02T03:04:05Z') : fc.constant({});
    case 'list':
      return fc.array(shapeArbitrary(shape.item, depth + 1, rough), { maxLength: 3 });
    case 'map':
      return mapArbitrary(shape.value, depth, rough);
    case 'struct':
      return structArbitrary(shape.type, depth + 1, rough);
  }
}

function mapArbitrary(value: Shape, depth: number, rough: number): fc.Arbitrary<Json> {
  const entry = fc.tuple(fc.constantFrom(...KEYS), shapeArbitrary(value, depth + 1, rough));
  return fc.array(entry, { maxLength: 3 }).map((entries) => Object.fromEntries(entries));
}

/** Fields that the defaults may correct, not only fill in. */
const CORRECTED = new Set(['podIPs', 'serviceAccount', 'terminationGracePeriodSeconds']);

/** What of `before` is missing in `after`. Zero and empty texts count as unset. */
function* lostFrom(before: Json, after: Json | undefined, path: string): Generator<string> {
  if (Array.isArray(before)) {
    const items: readonly Json[] = before;
    const kept: readonly Json[] = Array.isArray(after) ? after : [];
    for (const [index, item] of items.entries())
      yield* lostFrom(item, kept[index], `${path}[${index}]`);
  } else if (isJsonObject(before)) {
    const kept = isJsonObject(after) ? after : {};
    for (const [name, value] of Object.entries(before)) {
      if (CORRECTED.has(name)) continue;
      const own = Object.hasOwn(kept, name) ? kept[name] : undefined;
      yield* lostFrom(value, own, `${path}.${name}`);
    }
  } else if (before !== null && before !== '' && before !== 0 && before !== after) {
    if (!isRounded(before, after)) yield path;
  }
}

/** An amount in its canonical form, or rounded up to thousandths. */
function isRounded(before: Json, after: Json | undefined): boolean {
  if (typeof after !== 'string' || typeof before === 'object') return false;
  try {
    const text = formatQuantity(readQuantity(after));
    return (
      text === after && compareQuantities(readQuantity(String(before)), readQuantity(text)) <= 0
    );
  } catch {
    return false;
  }
}

describe('defaults', () => {
  test('are idempotent', () => {
    fc.assert(
      fc.property(typedPod, (pod) => {
        const once = deepFreeze(defaultPod(deepFreeze(pod)));
        expect(defaultPod(once)).toBe(once);
      }),
    );
  });

  test('keep everything that the user wrote', () => {
    fc.assert(
      fc.property(typedPod, (pod) => {
        expect([...lostFrom(pod, defaultPod(deepFreeze(pod)), '')]).toEqual([]);
      }),
    );
  });

  test('never fail on a pod of roughly the right shape', () => {
    fc.assert(
      fc.property(roughPod, (pod) => {
        const once = defaultPod(deepFreeze(pod));
        expect(defaultPod(once)).toEqual(once);
      }),
    );
  });
});

describe('whatever is sent, the rules answer and never throw', () => {
  test('about a new pod', () => {
    fc.assert(
      fc.property(roughPod, (raw) => {
        for (const pod of [deepFreeze(raw), prepareForCreate(defaultPod(raw))]) {
          for (const error of validatePod(deepFreeze(pod))) {
            expect(error.field).not.toBe('');
            expect(fieldErrorMessage(error)).not.toBe('');
          }
          POD.rules.warnings?.(pod);
          POD.rules.selectableFields?.(pod);
          POD.rules.gracePeriodSeconds?.(pod);
          for (const { cell } of POD.columns) expect(typeof cell(pod, 0)).toBe('string');
        }
      }),
    );
  });

  test('about a pod that replaces another', () => {
    fc.assert(
      fc.property(roughPod, roughPod, (pod, old) => {
        deepFreeze([pod, old]);
        const errors = [
          ...validatePodUpdate(prepareForUpdate(pod, old), old),
          ...validatePodStatusUpdate(prepareForStatusUpdate(pod, old), old),
          ...[...POD_SUBRESOURCES.values()].flatMap(({ prepare, validate }) =>
            validate(prepare(pod, old), old),
          ),
        ];
        expect(errors.filter(({ field }) => field === '')).toEqual([]);
      }),
    );
  });
});

describe('updates', () => {
  test('an update without a change keeps the generation, and its spec is accepted', () => {
    fc.assert(
      fc.property(typedPod, (raw) => {
        const pod = deepFreeze(prepareForCreate(defaultPod(raw)));
        expect(prepareForUpdate(pod, pod)).toBe(pod);
        const ofSpec = validatePodUpdate(pod, pod).filter(({ field }) => field === 'spec');
        expect(ofSpec.filter(({ type }) => type === 'Forbidden')).toEqual([]);
      }),
    );
  });
});
