/**
 * Writes a Go type in the notation of the schema table: `[]string`, `{}Quantity`, `*.PodSpec`, `#.DNSPolicy`.
 * src/api/schema/type-text.ts, which reads the table, describes the grammar.
 *
 * Named types without a meaning in JSON are resolved: a named string becomes a string, a named map or list
 * its underlying type. Structs and enums stay names, and are reported as used.
 */
import { assert } from '../../src/lib/assert.ts';
import type { Scalar, Special, TypeName } from '../../src/api/schema/shape.ts';
import type { Expr } from './facts.ts';
import { hasMarker } from './markers.ts';
import { findType, goNameOf, shortName, shortPackage, type Universe } from './universe.ts';

export interface Scope {
  readonly universe: Universe;
  readonly enums: ReadonlyMap<string, readonly string[]>;
  /** The package of the current line: its names are written without the package. */
  readonly package: string;
  /** Called with the Go name of every struct and enum that the text mentions. */
  readonly uses: (kind: 'struct' | 'enum', goName: string) => void;
}

const SCALARS: Readonly<Record<string, Scalar>> = {
  string: 'string',
  bool: 'bool',
  int: 'int64',
  int32: 'int32',
  int64: 'int64',
  uint32: 'uint32',
  uint64: 'uint64',
  float32: 'float',
  float64: 'double',
};

const META = 'k8s.io/apimachinery/pkg/apis/meta/v1';
const APIEXTENSIONS = 'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1';

/** Types whose wire form is not that of their Go fields. */
export const SPECIALS: Readonly<Record<string, Special>> = {
  'k8s.io/apimachinery/pkg/api/resource.Quantity': 'Quantity',
  'k8s.io/apimachinery/pkg/runtime.RawExtension': 'RawExtension',
  'k8s.io/apimachinery/pkg/util/intstr.IntOrString': 'IntOrString',
  [`${META}.Time`]: 'Time',
  [`${META}.MicroTime`]: 'MicroTime',
  [`${META}.Duration`]: 'Duration',
  [`${META}.FieldsV1`]: 'FieldsV1',
  [`${APIEXTENSIONS}.JSON`]: 'JSON',
  [`${APIEXTENSIONS}.JSONSchemaPropsOrBool`]: 'JSONSchemaPropsOrBool',
  [`${APIEXTENSIONS}.JSONSchemaPropsOrArray`]: 'JSONSchemaPropsOrArray',
  [`${APIEXTENSIONS}.JSONSchemaPropsOrStringArray`]: 'JSONSchemaPropsOrStringArray',
};

export function typeText(scope: Scope, expr: Expr): string {
  const { basic, ref, pointer, list, map, other } = expr;
  if (pointer !== undefined) return typeText(scope, pointer);
  if (list !== undefined) return listText(scope, list, '[]');
  if (map !== undefined) return mapText(scope, map.key, map.value);
  if (ref !== undefined) return namedText(scope, ref);
  // An interface may hold any JSON value.
  if (other === 'interface' || basic === 'any') return 'JSON';
  const scalar = SCALARS[basic ?? ''];
  assert(scalar !== undefined, `a field of type ${basic ?? other} has no form in the table`);
  return scalar;
}

/** Whether the value may be absent in Go, as a pointer. */
export function isPointer({ pointer }: Expr): boolean {
  return pointer !== undefined;
}

function listText(scope: Scope, item: Expr, brackets: '[]' | '<>'): string {
  if (item.basic === 'byte' || item.basic === 'uint8') return 'bytes';
  return brackets + typeText(scope, item);
}

function mapText(scope: Scope, key: Expr, value: Expr): string {
  const keyText = typeText(scope, key);
  assert(/^(string$|#)/.test(keyText), `a map with keys of type ${keyText} is no JSON object`);
  return `{}${typeText(scope, value)}`;
}

function namedText(scope: Scope, goName: string): string {
  const type = findType(scope.universe, goName);
  const name = goNameOf(type);
  const special = SPECIALS[name];
  if (special !== undefined) return special;
  if (scope.enums.has(name)) {
    scope.uses('enum', name);
    return `#${relativeName(scope, name)}`;
  }
  // With this marker the list is a separate protobuf message, so that null and empty differ.
  const wrapped = hasMarker(type.markers, 'protobuf.nullable');
  if (wrapped && type.is.list !== undefined) return listText(scope, type.is.list, '<>');
  if (!isStruct(scope, type.is)) return typeText(scope, type.is);
  scope.uses('struct', name);
  return relativeName(scope, name);
}

/** `type List metav1.List` declares a new type with the same fields, so references are followed. */
function isStruct(scope: Scope, expr: Expr): boolean {
  if (expr.ref !== undefined) return isStruct(scope, findType(scope.universe, expr.ref).is);
  return expr.struct !== undefined;
}

function relativeName(scope: Scope, goName: string): TypeName {
  const name = shortName(goName);
  const own = `${shortPackage(scope.package)}.`;
  return name.startsWith(own) ? name.slice(own.length - 1) : name;
}
