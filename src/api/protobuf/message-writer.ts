/**
 * Encodes messages: writes the fields that the schema knows. Unknown fields have no number and are not
 * written; Go would drop them, too.
 *
 * A struct that JSON inlines into its parent is a separate message on the wire; its fields are read from the
 * parent object.
 */
import { assert } from '../../lib/assert.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Field, StructType } from '../schema/shape.ts';
import { fieldWriter, type WriteField } from './field-writer.ts';
import type { WireWriter } from './wire-writer.ts';

/** The writers of a type's fields, the largest number first, because the writer works backward. */
type Plan = readonly WriteField[];

const plans = new WeakMap<StructType, Plan>();

/** Writes the body of the message: its fields, without a length. */
export function writeMessage(type: StructType, writer: WireWriter, object: JsonObject): void {
  writer.enter();
  for (const write of planOf(type)) write(writer, object);
  writer.leave();
}

function planOf(type: StructType): Plan {
  const known = plans.get(type);
  if (known !== undefined) return known;
  const plan = type.messageFields.toReversed().map((field) => writerOf(type, field));
  plans.set(type, plan);
  return plan;
}

function writerOf(type: StructType, field: Field): WriteField {
  const { name, number = 0, shape, inlined } = field;
  if (inlined !== true) return fieldWriter(field, type.name, writeMessage);
  assert(shape.kind === 'struct', `${type.name}.${name} is inlined but no struct`);
  return (writer, object) => {
    writer.writeMessage(number, () => writeMessage(shape.type, writer, object));
  };
}
