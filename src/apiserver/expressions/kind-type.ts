/**
 * Derives the CEL type of a kind's objects, for type-checking expressions.
 *
 * The types of a built-in kind come from the schema table; those of a custom kind from its schema and the
 * common metadata. Fields that may have several types (quantities, ports, embedded objects) are checked only
 * at run time.
 */
import { DYN, escapeName, STRING, type CelType } from '../../cel/cel.ts';
import { structOf } from '../../api/schema/schema.ts';
import type { Scalar, Shape, Special, StructType } from '../../api/schema/shape.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { declaredType } from '../schema/rules/declared-type.ts';
import { readSchema } from '../schema/schema.ts';

const SCALARS: Readonly<Record<Scalar, CelType>> = {
  string: STRING,
  bool: { kind: 'bool' },
  int32: { kind: 'int' },
  int64: { kind: 'int' },
  uint32: { kind: 'int' },
  uint64: { kind: 'int' },
  float: { kind: 'double' },
  double: { kind: 'double' },
  bytes: { kind: 'bytes' },
};

const SPECIALS: Partial<Readonly<Record<Special, CelType>>> = {
  Time: { kind: 'timestamp' },
  MicroTime: { kind: 'timestamp' },
  Duration: STRING,
};

const META = 'meta/v1.ObjectMeta';

/** Undefined: the type is unknown. */
export function typeOfKind({ type, openApiSchema }: KindDefinition): CelType | undefined {
  if (type) return typeOfStruct(type);
  const declared = openApiSchema && declaredType(readSchema(openApiSchema), true);
  if (declared?.kind !== 'object') return undefined;
  const metadata = typeOfStruct(structOf(META));
  return { kind: 'object', fields: new Map([...declared.fields, ['metadata', metadata]]) };
}

/** One type for each struct. Fields are resolved late, because structs may contain themselves. */
const structs = new WeakMap<StructType, CelType>();

function typeOfStruct(struct: StructType): CelType {
  const known = structs.get(struct);
  if (known) return known;
  let fields: ReadonlyMap<string, CelType> | null = null;
  const type: CelType = {
    kind: 'object',
    get fields() {
      fields ??= new Map(
        struct.fields.flatMap(({ name, shape }) => {
          const escaped = escapeName(name);
          return escaped === undefined ? [] : [[escaped, typeOfShape(shape)] as const];
        }),
      );
      return fields;
    },
  };
  structs.set(struct, type);
  return type;
}

function typeOfShape(shape: Shape): CelType {
  switch (shape.kind) {
    case 'scalar':
      return SCALARS[shape.scalar];
    case 'special':
      return SPECIALS[shape.special] ?? DYN;
    case 'list':
      return { kind: 'list', item: typeOfShape(shape.item) };
    case 'map':
      return { kind: 'map', key: STRING, value: typeOfShape(shape.value) };
    case 'struct':
      return typeOfStruct(shape.type);
  }
}
