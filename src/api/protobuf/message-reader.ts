/**
 * Decodes messages to JSON, with the fields in the order in which Go prints them.
 *
 * The readers of a type's fields are created once, when the type first occurs. A struct that JSON inlines
 * into its parent is a separate message on the wire; its fields are added to the parent's.
 */
import { assert } from '../../lib/assert.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { MutableJsonObject } from '../patch/json-access.ts';
import type { Field, StructType } from '../schema/shape.ts';
import { fieldReader, type FieldReader, type OpenField } from './field-reader.ts';
import type { Pieces, WireReader } from './wire-reader.ts';

/** The field or inlined message at each field number. */
type Numbers = readonly (Numbered | undefined)[];

/** A field, or an inlined message whose fields belong to the parent. */
interface Numbered {
  readonly field: number;
  readonly inlined: Numbers | undefined;
}

interface Plan {
  readonly numbers: Numbers;
  /** In JSON's order, without fields that protobuf does not have. */
  readonly fields: readonly FieldReader[];
}

const plans = new WeakMap<StructType, Plan>();

/** Decodes a message of that type at the current position. `head` comes before its fields. */
export function readMessage(
  type: StructType,
  reader: WireReader,
  pieces: Pieces,
  head: JsonObject = {},
): JsonObject {
  const { fields, numbers } = planOf(type);
  const open: (OpenField | undefined)[] = [];
  const object: MutableJsonObject = { ...head };
  reader.enter();
  scan(reader, pieces, numbers, fields, open);
  let index = 0;
  for (const field of fields) {
    const opened = open[index];
    const value = opened === undefined ? field.absent?.(reader) : opened.finish(reader);
    if (value !== undefined) object[field.name] = value;
    index += 1;
  }
  reader.leave();
  return object;
}

function scan(
  reader: WireReader,
  pieces: Pieces,
  numbers: Numbers,
  fields: readonly FieldReader[],
  open: (OpenField | undefined)[],
): void {
  reader.eachField(pieces, (number, wireType) => {
    const found = numbers[number];
    if (found === undefined) return false;
    const { field, inlined } = found;
    if (inlined === undefined) {
      open[field] ??= fields[field]?.open();
      open[field]?.take(reader, wireType);
    } else {
      scan(reader, reader.readPieces(wireType), inlined, fields, open);
    }
    return true;
  });
}

function planOf(type: StructType): Plan {
  const known = plans.get(type);
  if (known !== undefined) return known;
  const travelling = type.fields.filter(({ number }) => number !== undefined);
  const indexes = new Map(travelling.map(({ name }, index) => [name, index]));
  const plan = {
    numbers: numbersOf(type, indexes),
    fields: travelling.map((field) =>
      fieldReader(field, { omitZero: isLeftOutWhenZero(type, field), readStruct: readMessage }),
    ),
  };
  plans.set(type, plan);
  return plan;
}

function numbersOf(type: StructType, indexes: ReadonlyMap<string, number>): Numbers {
  const numbers: (Numbered | undefined)[] = [];
  for (const { name, number = 0, shape, inlined } of type.messageFields) {
    if (inlined === true) {
      assert(shape.kind === 'struct', `${type.name}.${name} is inlined but no struct`);
      numbers[number] = { field: -1, inlined: numbersOf(shape.type, indexes) };
    } else {
      const field = indexes.get(name);
      assert(field !== undefined, `${type.name}.${name} is in protobuf but not in JSON`);
      numbers[number] = { field, inlined: undefined };
    }
  }
  return numbers;
}

/**
 * The one field in all of Kubernetes that is `omitzero` in Go: a struct, for which `omitempty`
 * does nothing. Every other Time without a value is null in JSON.
 */
function isLeftOutWhenZero(type: StructType, { name }: Field): boolean {
  return type.name === 'meta/v1.ObjectMeta' && name === 'creationTimestamp';
}
