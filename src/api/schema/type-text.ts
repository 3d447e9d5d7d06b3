/**
 * Parses the text of a type in the schema table:
 *
 *     string bool int32 int64 uint32 uint64 float double bytes    a scalar
 *     Quantity Time IntOrString ...                               a wire form of its own
 *     .PodSpec    core/v1.PodSpec                                 a struct: here, elsewhere
 *     #.DNSPolicy #core/v1.DNSPolicy                              an enum: a string from a list of values
 *     []T                                                         a list
 *     <>T                                                         a list, wrapped in a message in protobuf
 *     {}T                                                         a map from strings
 *
 * Results are cached: the same text in the same package gives the same shape object.
 */
import { InvariantError } from '../../lib/assert.ts';
import type { Scalar, Shape, Special, StructType, TypeName } from './shape.ts';

/** Finds the structs and enums to which a type refers. */
export interface References {
  readonly structOf: (name: TypeName) => StructType;
  readonly enumOf: (name: TypeName) => readonly string[];
}

const SCALARS: ReadonlySet<string> = new Set<Scalar>([
  'string',
  'bool',
  'int32',
  'int64',
  'uint32',
  'uint64',
  'float',
  'double',
  'bytes',
]);

/** The package of each special type, for its name in OpenAPI. */
export const SPECIAL_PACKAGES: Readonly<Record<Special, string>> = {
  Quantity: 'api/resource',
  Time: 'meta/v1',
  MicroTime: 'meta/v1',
  Duration: 'meta/v1',
  FieldsV1: 'meta/v1',
  IntOrString: 'util/intstr',
  RawExtension: 'runtime',
  JSON: 'apiextensions/v1',
  JSONSchemaPropsOrBool: 'apiextensions/v1',
  JSONSchemaPropsOrArray: 'apiextensions/v1',
  JSONSchemaPropsOrStringArray: 'apiextensions/v1',
};

/** Creates the parser of type texts, which caches its results. */
export function typeReader(references: References): (text: string, packageName: string) => Shape {
  const known = new Map<string, Shape>();
  const read = (text: string, packageName: string): Shape => {
    const key = text.includes('.') ? absolute(text, packageName) : text;
    const found = known.get(key);
    if (found !== undefined) return found;
    const shape = readShape(key);
    known.set(key, shape);
    return shape;
  };
  const readShape = (text: string): Shape => {
    if (text.startsWith('[]')) return { kind: 'list', item: read(text.slice(2), '') };
    if (text.startsWith('<>'))
      return { kind: 'list', item: read(text.slice(2), ''), wrapped: true };
    if (text.startsWith('{}')) return { kind: 'map', value: read(text.slice(2), '') };
    if (text.startsWith('#')) {
      return { kind: 'scalar', scalar: 'string', enum: references.enumOf(text.slice(1)) };
    }
    if (isScalar(text)) return { kind: 'scalar', scalar: text };
    if (isSpecial(text)) return { kind: 'special', special: text };
    if (!text.includes('.')) throw new InvariantError(`the schema table has no type "${text}"`);
    return { kind: 'struct', name: text, type: references.structOf(text) };
  };
  return read;
}

/** Adds the package to a name that was written without one. */
function absolute(text: string, packageName: string): string {
  return text.replace(/^([^\w.]*)\./, (_, prefix: string) => `${prefix}${packageName}.`);
}

function isScalar(text: string): text is Scalar {
  return SCALARS.has(text);
}

function isSpecial(text: string): text is Special {
  return Object.hasOwn(SPECIAL_PACKAGES, text);
}
