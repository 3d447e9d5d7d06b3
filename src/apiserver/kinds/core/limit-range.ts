/** Defines the kind LimitRange: its defaults, validation and columns. */
import {
  compareQuantities,
  quantityFromInteger,
  type Quantity,
} from '../../../api/values/quantity.ts';
import { formatQuantity } from '../../../api/values/quantity-text.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { CREATED_AT } from '../../objects/columns.ts';
import { changeStructAt, objectsAt } from '../../objects/field-path.ts';
import { NAME, plainKind } from '../../objects/plain-kind.ts';
import {
  duplicate,
  forbiddenField,
  invalidField,
  required,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { changeObjects, fillAbsent, withField } from '../../../api/validation/json-changes.ts';
import { readStruct, readText } from '../../../api/validation/json-reading.ts';
import { validateQualifiedName } from '../../../api/validation/names.ts';
import { readAmounts } from '../../../api/validation/quantities.ts';

const ONE = quantityFromInteger(1);

export const limitRanges = plainKind('v1', {
  kind: 'LimitRange',
  resource: 'limitranges',
  shortNames: ['limits'],
  rules: {
    createsOnUpdate: true,
    applyDefaults: (object) =>
      changeStructAt(object, 'spec', (spec) => changeObjects(spec, 'limits', defaultItem)),
    validate: (object) => [...checkItems(object)],
    validateUpdate: (object) => [...checkItems(object)],
  },
  columns: [NAME, CREATED_AT],
});

/** Unset values default to others: a default limit to the maximum, a default request to the default limit. */
function defaultItem(item: JsonObject): JsonObject {
  if (item['type'] !== 'Container') return item;
  const limits = fillAbsent(readStruct(item['default']), readStruct(item['max']));
  const requests = fillAbsent(
    fillAbsent(readStruct(item['defaultRequest']), limits),
    readStruct(item['min']),
  );
  return withField(withField(item, 'default', limits), 'defaultRequest', requests);
}

function* checkItems(object: JsonObject): FieldErrors {
  const types = new Set<string>();
  for (const [index, item] of objectsAt(object, 'spec.limits').entries()) {
    const path = `spec.limits[${index}]`;
    const type = readText(item['type']);
    yield* validateQualifiedName(type, `${path}.type`);
    if (types.has(type)) yield duplicate(`${path}.type`, type);
    types.add(type);
    if (type === 'Pod') {
      for (const name of ['default', 'defaultRequest'] as const) {
        if (Object.keys(readStruct(item[name])).length === 0) continue;
        yield forbiddenField(`${path}.${name}`, "may not be specified when `type` is 'Pod'");
      }
    }
    yield* checkStorage(item, type, path);
    yield* checkAmounts(item, path);
  }
}

function* checkStorage(item: JsonObject, type: string, path: string): FieldErrors {
  const hasStorage = ['min', 'max'].some((name) => readAmounts(item[name]).has('storage'));
  if (type !== 'PersistentVolumeClaim' || hasStorage) return;
  const detail = 'either minimum or maximum storage value is required, but neither was provided';
  yield required(`${path}.limits`, detail);
}

function* checkAmounts(item: JsonObject, path: string): FieldErrors {
  const lists = ['min', 'max', 'default', 'defaultRequest'] as const;
  const [min, max, limit, request] = lists.map((name) => readAmounts(item[name]));
  const ratios = readAmounts(item['maxLimitRequestRatio']);
  const names = new Set([min, max, limit, request].flatMap((list) => [...(list?.keys() ?? [])]));
  for (const name of names) {
    const amounts = { min: min?.get(name), max: max?.get(name), limit: limit?.get(name) };
    yield* checkOrder(amounts, request?.get(name), path, name);
  }
  for (const [name, ratio] of ratios) {
    if (compareQuantities(ratio, ONE) >= 0) continue;
    const text = formatQuantity(ratio);
    yield invalidField(
      `${path}.maxLimitRequestRatio[${name}]`,
      text,
      `ratio ${text} is less than 1`,
    );
  }
}

interface Amounts {
  readonly min: Quantity | undefined;
  readonly max: Quantity | undefined;
  readonly limit: Quantity | undefined;
}

/** Minimum, default request, default limit and maximum: each must be at most the next. */
function* checkOrder(
  { min, max, limit }: Amounts,
  request: Quantity | undefined,
  path: string,
  name: string,
): FieldErrors {
  const order = (
    [field, shown]: readonly [string, Quantity | undefined],
    [lowName, low]: readonly [string, Quantity | undefined],
    [highName, high]: readonly [string, Quantity | undefined],
  ) => {
    if (!low || !high || !shown || compareQuantities(low, high) <= 0) return [];
    const [less, more] = [formatQuantity(low), formatQuantity(high)];
    const detail = `${lowName} value ${less} is greater than ${highName} value ${more}`;
    return [invalidField(`${path}.${field}[${name}]`, formatQuantity(shown), detail)];
  };
  yield* order(['min', min], ['min', min], ['max', max]);
  yield* order(['defaultRequest', request], ['min', min], ['default request', request]);
  yield* order(['defaultRequest', request], ['default request', request], ['max', max]);
  yield* order(['defaultRequest', request], ['default request', request], ['default limit', limit]);
  yield* order(['default', min], ['min', min], ['default', limit]);
  yield* order(['default', max], ['default', limit], ['max', max]);
}
