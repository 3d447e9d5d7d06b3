/**
 * A struct of the schema table. Its line is parsed when its fields are first read, so that a struct can refer
 * to itself.
 */
import { assert } from '../../lib/assert.ts';
import { isAtomicLine, readStructLine } from './field-text.ts';
import type { Field, Shape, StructType, TypeName } from './shape.ts';

interface Decoded {
  readonly fields: readonly Field[];
  readonly byName: ReadonlyMap<string, Field>;
  readonly messageFields: readonly Field[];
}

export class TableStruct implements StructType {
  readonly name: TypeName;
  readonly #line: string;
  readonly #readType: (text: string) => Shape;
  #decoded: Decoded | undefined;

  constructor(name: TypeName, line: string, readType: (text: string) => Shape) {
    this.name = name;
    this.#line = line;
    this.#readType = readType;
  }

  get atomic(): boolean {
    return isAtomicLine(this.#line);
  }

  get fields(): readonly Field[] {
    return this.#decode().fields;
  }

  field(name: string): Field | undefined {
    return this.#decode().byName.get(name);
  }

  get messageFields(): readonly Field[] {
    return this.#decode().messageFields;
  }

  #decode(): Decoded {
    if (this.#decoded !== undefined) return this.#decoded;
    const own = readStructLine(this.#line, this.#readType);
    const fields = own.flatMap((field) => (field.inlined === true ? fieldsOf(field) : [field]));
    const byName = new Map(fields.map((field) => [field.name, field]));
    assert(byName.size === fields.length, `${this.name} has two fields of the same name`);
    const messageFields = own.filter(isNumbered).toSorted((a, b) => a.number - b.number);
    this.#decoded = { fields, byName, messageFields };
    return this.#decoded;
  }
}

function isNumbered(field: Field): field is Field & { readonly number: number } {
  return field.number !== undefined;
}

function fieldsOf({ name, number, shape }: Field): readonly Field[] {
  assert(shape.kind === 'struct', `${name} is inlined but no struct`);
  // The fields of a struct that is not in protobuf are not in protobuf either.
  return number === undefined ? shape.type.fields.map(withoutNumber) : shape.type.fields;
}

function withoutNumber(field: Field): Field {
  const copy: { -readonly [Key in keyof Field]: Field[Key] } = { ...field };
  delete copy.number;
  return copy;
}
