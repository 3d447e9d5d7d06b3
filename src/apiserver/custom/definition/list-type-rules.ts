/**
 * Validates x-kubernetes-list-type and x-kubernetes-map-type, which determine how lists and maps are merged.
 */
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import {
  forbiddenField,
  invalidField,
  required,
  unsupported,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { isGiven, readStruct, readText, readTexts } from '../../../api/validation/json-reading.ts';

const LIST_TYPE = 'x-kubernetes-list-type';
const MAP_TYPE = 'x-kubernetes-map-type';
const KEYS = 'x-kubernetes-list-map-keys';
const LIST_TYPES = ['atomic', 'set', 'map'];
const MAP_TYPES = ['atomic', 'granular'];

export function* validateListAndMapTypes(source: JsonObject, fieldPath: string): FieldErrors {
  yield* validateMapType(source, fieldPath);
  yield* validateListType(source, fieldPath);
  const listType = readText(source[LIST_TYPE]);
  const keys = readTexts(source[KEYS]);
  if (keys.length > 0 && listType !== 'map') {
    const detail = `must be map if ${KEYS} is non-empty`;
    const field = `${fieldPath}.${LIST_TYPE}`;
    yield isGiven(source[LIST_TYPE])
      ? invalidField(field, listType, detail)
      : required(field, detail);
  }
  if (listType === 'map') yield* validateMapList(source, keys, fieldPath);
  if (listType === 'map' || listType === 'set')
    yield* validateItems(source, listType, keys, fieldPath);
}

function* validateMapType(source: JsonObject, fieldPath: string): FieldErrors {
  const mapType = source[MAP_TYPE];
  if (!isGiven(mapType)) return;
  yield* validateTypeIs(source, 'object', `must be object if ${MAP_TYPE} is specified`, fieldPath);
  const text = readText(mapType);
  if (!MAP_TYPES.includes(text)) yield unsupported(`${fieldPath}.${MAP_TYPE}`, text, MAP_TYPES);
}

function* validateListType(source: JsonObject, fieldPath: string): FieldErrors {
  const listType = source[LIST_TYPE];
  if (!isGiven(listType)) return;
  const text = readText(listType);
  const isList = readText(source['type']) === 'array';
  yield* validateTypeIs(source, 'array', `must be array if ${LIST_TYPE} is specified`, fieldPath);
  if (isList && text === 'set') yield* validateAtomicItems(source, fieldPath);
  if (!LIST_TYPES.includes(text)) yield unsupported(`${fieldPath}.${LIST_TYPE}`, text, LIST_TYPES);
}

function* validateTypeIs(
  source: JsonObject,
  wanted: string,
  detail: string,
  fieldPath: string,
): FieldErrors {
  const type = readText(source['type']);
  if (type === wanted) return;
  const field = `${fieldPath}.type`;
  yield type === '' ? required(field, detail) : invalidField(field, type, detail);
}

/** The items of a set are compared as a whole, so they must be atomic. */
function* validateAtomicItems(source: JsonObject, fieldPath: string): FieldErrors {
  const items = readStruct(source['items']);
  const detail = `must be atomic as item of a list with ${LIST_TYPE}=set`;
  const listType = items[LIST_TYPE];
  if (items['type'] === 'array' && isGiven(listType) && listType !== 'atomic') {
    yield invalidField(`${fieldPath}.items.${LIST_TYPE}`, listType, detail);
  }
  if (items['type'] === 'object' && items[MAP_TYPE] !== 'atomic') {
    yield invalidField(`${fieldPath}.items.${MAP_TYPE}`, listType ?? null, detail);
  }
}

function* validateMapList(
  source: JsonObject,
  keys: readonly string[],
  fieldPath: string,
): FieldErrors {
  const { items } = source;
  if (keys.length === 0) {
    yield required(`${fieldPath}.${KEYS}`, `must not be empty if ${LIST_TYPE} is map`);
  }
  if (!isGiven(items)) {
    yield required(`${fieldPath}.items`, `must have a schema if ${LIST_TYPE} is map`);
    return;
  }
  if (!isJsonObject(items)) {
    const detail = `must only have a single schema if ${LIST_TYPE} is map`;
    yield invalidField(`${fieldPath}.items`, items, detail);
    return;
  }
  if (items['type'] !== 'object') {
    const detail = `must be object if parent array's ${LIST_TYPE} is map`;
    yield invalidField(`${fieldPath}.items.type`, readText(items['type']), detail);
    return;
  }
  yield* validateKeys(readStruct(items['properties']), keys, fieldPath);
}

function* validateKeys(
  properties: JsonObject,
  keys: readonly string[],
  fieldPath: string,
): FieldErrors {
  const field = `${fieldPath}.${KEYS}`;
  const seen = new Set<string>();
  for (const key of keys) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const type = readText(readStruct(property)['type']);
    if (property === undefined) {
      yield invalidField(field, keys, 'entries must all be names of item properties');
    } else if (type === 'array' || type === 'object') {
      const detail = `must be a scalar type if parent array's ${LIST_TYPE} is map`;
      yield invalidField(`${fieldPath}.items.properties[${key}].type`, 'object', detail);
    }
    if (seen.has(key)) yield invalidField(field, keys, 'must not contain duplicate entries');
    seen.add(key);
  }
}

/** Items are not nullable, and their keys always have a value. */
function* validateItems(
  source: JsonObject,
  listType: string,
  keys: readonly string[],
  fieldPath: string,
): FieldErrors {
  const { items } = source;
  if (!isJsonObject(items)) return;
  if (items['nullable'] === true) {
    const detail = `cannot be nullable when ${LIST_TYPE} is ${listType}`;
    yield forbiddenField(`${fieldPath}.items.nullable`, detail);
  }
  if (listType !== 'map') return;
  const properties = readStruct(items['properties']);
  const always = readTexts(items['required']);
  for (const key of keys) {
    if (!Object.hasOwn(properties, key)) continue;
    const property = readStruct(properties[key]);
    const at = `${fieldPath}.items.properties[${key}]`;
    const because = `this property is in ${KEYS}, so it`;
    if (!always.includes(key) && !isGiven(property['default'])) {
      yield required(`${at}.default`, `${because} must have a default or be a required property`);
    }
    if (property['nullable'] === true)
      yield forbiddenField(`${at}.nullable`, `${because} cannot be nullable`);
  }
}
