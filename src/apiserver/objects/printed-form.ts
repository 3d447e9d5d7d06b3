/**
 * Converts an object of a built-in kind to the form in which kube-apiserver prints it, whatever the client
 * sent.
 *
 * Go decodes JSON to structs and prints these. Clients rely on the effects:
 *
 *   a struct is always printed, an empty one as {}        status: {}
 *   an empty string, number, list or map is omitted, unless the field is always printed
 *   an empty list that is printed is null                 rules: null
 *   a quantity has its canonical text, a time is in UTC   "0.5" becomes "500m"
 *
 * The schema table determines the rule for each field. The function is idempotent, and if an object already
 * has this form, returns the very same object. So parts that a new version shares with the old one are
 * skipped. Most structs have many fields and few set ones, so only set fields, and fields that are always
 * printed, are visited.
 */
import { formatQuantity, readQuantity } from '../../api/values/quantity-text.ts';
import { structOf } from '../../api/schema/schema.ts';
import type { Field, Scalar, Shape, StructType } from '../../api/schema/shape.ts';
import { formatMicroTime, parseMicroTime, truncateToSeconds } from '../../api/values/time.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { mapShared } from '../../lib/share.ts';

const NOTHING: JsonObject = {};

/** `known`: already in this form; `object` may share parts with it. */
export function printedForm(object: JsonObject, type: StructType, known?: Json): JsonObject {
  if (object === known) return object;
  const before = isJsonObject(known) ? known : NOTHING;
  const changes: Change[] = [];
  for (const name of Object.keys(object)) {
    const value = object[name];
    const printed = Object.hasOwn(before, name) ? before[name] : undefined;
    if (value === undefined || value === printed) continue;
    const field = type.field(name);
    const after = field ? printField(value, field, printed) : value;
    if (after !== value) changes.push([name, after]);
  }
  for (const given of unsetOf(type)) {
    if (!Object.hasOwn(object, given[0])) changes.push(given);
  }
  return changes.length === 0 ? object : withChanges(object, changes);
}

type Change = readonly [name: string, value: Json | undefined];

/** By field name. Undefined removes a field. */
function withChanges(object: JsonObject, changes: readonly Change[]): JsonObject {
  const gone = changes.filter(([, value]) => value === undefined).map(([name]) => name);
  const changed: Record<string, Json> =
    gone.length === 0
      ? { ...object }
      : Object.fromEntries(Object.entries(object).filter(([name]) => !gone.includes(name)));
  for (const [name, value] of changes) if (value !== undefined) changed[name] = value;
  return changed;
}

const unset = new WeakMap<StructType, readonly (readonly [name: string, value: Json])[]>();

/** The fields that an unset struct still prints. */
function unsetOf(type: StructType): readonly (readonly [name: string, value: Json])[] {
  let found = unset.get(type);
  if (!found) {
    found = type.fields.flatMap((field) => {
      const value = printNothing(field);
      return value === undefined ? [] : [[field.name, value] as const];
    });
    unset.set(type, found);
  }
  return found;
}

function printField(value: Json, field: Field, known: Json | undefined): Json | undefined {
  const { shape, pointer, omitEmpty } = field;
  if (value === null) return printNothing(field);
  if (pointer) return printValue(value, shape, known);
  const isNothing =
    shape.kind === 'scalar' ? value === zeroOf(shape.scalar) : hasItems(shape) && isEmpty(value);
  if (!isNothing) return printValue(value, shape, known);
  return omitEmpty ? undefined : shape.kind === 'scalar' ? value : null;
}

function printNothing(field: Field): Json | undefined {
  const { shape, pointer, omitEmpty } = field;
  if (!pointer && shape.kind === 'struct') return printedForm({}, shape.type);
  if (!pointer && shape.kind === 'special') return emptySpecial(field);
  if (omitEmpty) return undefined;
  return pointer || hasItems(shape) || shape.kind !== 'scalar' ? null : zeroOf(shape.scalar);
}

function hasItems({ kind }: Shape): boolean {
  return kind === 'list' || kind === 'map';
}

function printValue(value: Json, shape: Shape, known?: Json): Json {
  switch (shape.kind) {
    case 'struct':
      return isJsonObject(value) ? printedForm(value, shape.type, known) : value;
    case 'list': {
      if (!Array.isArray(value)) return value;
      const items: readonly Json[] = value;
      const before: readonly Json[] = Array.isArray(known) ? known : [];
      return mapShared(items, (item, index) => printValue(item, shape.item, before[index]));
    }
    case 'map':
      return isJsonObject(value) ? printMap(value, shape.value) : value;
    case 'special':
      if (shape.special === 'Quantity') return printQuantity(value);
      if (shape.special.startsWith('JSONSchemaProps')) return printSchemas(value);
      return printTime(value, shape.special);
    case 'scalar':
      return value;
  }
}

function printMap(map: JsonObject, shape: Shape): JsonObject {
  if (shape.kind === 'scalar') return map;
  const entries = Object.entries(map);
  const printed = mapShared(
    entries.map(([, value]) => value),
    (value) => printValue(value, shape),
  );
  if (entries.every(([, value], index) => value === printed[index])) return map;
  return Object.fromEntries(entries.map(([key], index) => [key, printed[index] ?? null]));
}

/** A schema or a list of schemas; any other value is printed unchanged. */
function printSchemas(value: Json): Json {
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    return mapShared(items, printSchemas);
  }
  if (!isJsonObject(value)) return value;
  return printedForm(value, structOf('apiextensions/v1.JSONSchemaProps'));
}

function printQuantity(value: Json): Json {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  return formatQuantity(readQuantity(value));
}

function printTime(value: Json, special: string): Json {
  if (typeof value !== 'string' || value === '') return value;
  if (special === 'Time') return truncateToSeconds(value);
  if (special !== 'MicroTime') return value;
  const { ms, nanos } = parseMicroTime(value);
  return formatMicroTime(ms, nanos);
}

const EMPTY_SPECIALS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['Quantity', '0'],
  ['IntOrString', 0],
  ['Duration', '0s'],
]);

/** What an unset value prints. Only creationTimestamp is omitted; other times are printed as null. */
function emptySpecial({ name, shape }: Field): Json | undefined {
  if (shape.kind !== 'special' || name === 'creationTimestamp') return undefined;
  return EMPTY_SPECIALS.get(shape.special) ?? null;
}

function zeroOf(scalar: Scalar): Json {
  if (scalar === 'string') return '';
  if (scalar === 'bool') return false;
  return scalar === 'bytes' ? null : 0;
}

function isEmpty(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (!isJsonObject(value)) return false;
  for (const name in value) if (Object.hasOwn(value, name)) return false;
  return true;
}
