/**
 * Writes a struct as one line of the schema table: its fields in the order of their Go declaration, which is
 * the order in which Go prints them as JSON. src/api/schema/field-text.ts, which reads the table, describes
 * the grammar.
 */
import { assert } from '../../src/lib/assert.ts';
import type { Expr, GoField } from './facts.ts';
import { hasMarker, markerValue, markerValues } from './markers.ts';
import { isPointer, typeText, type Scope } from './type-text.ts';
import { findType, textOf, type NamedType } from './universe.ts';

const SEPARATOR = '; ';

export function structText(scope: Scope, type: NamedType): string {
  const fields = fieldsOf(scope, type.is).flatMap((field) => fieldText(scope, field) ?? []);
  const parts = isAtomic(type.markers, 'structType') ? ['atomic', ...fields] : fields;
  const broken = parts.find((part) => part.includes(SEPARATOR));
  assert(broken === undefined, `${type.name}: "${broken}" contains the separator of fields`);
  return parts.join(SEPARATOR);
}

function fieldsOf(scope: Scope, expr: Expr): readonly GoField[] {
  if (expr.ref !== undefined) return fieldsOf(scope, findType(scope.universe, expr.ref).is);
  assert(expr.struct !== undefined, 'only structs have fields');
  return expr.struct.fields;
}

function fieldText(scope: Scope, field: GoField): string | undefined {
  const [jsonName = '', ...jsonOptions] = (field.tags.json ?? '').split(',');
  const number = /^\w+,(\d+)/.exec(field.tags.protobuf ?? '')?.[1];
  if (jsonName === '-') {
    assert(number === undefined, `${field.name} travels in protobuf but not in JSON`);
    return undefined;
  }
  const inlined = jsonOptions.includes('inline') || (field.embedded && jsonName === '');
  const type = typeText(scope, field.is);
  if (inlined) {
    assert(!isPointer(field.is), `${field.name} is inlined by pointer, which no type did so far`);
    return number === undefined ? `- ^ ${type}` : `${number} ^${messageName(field)} ${type}`;
  }
  const omitEmpty = jsonOptions.includes('omitempty') || jsonOptions.includes('omitzero');
  const name = jsonName === '' ? field.name : jsonName;
  const flags = `${omitEmpty ? '?' : ''}${isRequired(field) ? '!' : ''}`;
  const pointer = isPointer(field.is) ? '*' : '';
  return [`${number ?? '-'} ${name}${flags} ${pointer}${type}`, ...options(scope, field)].join(' ');
}

/** A protobuf tag without a name means the Go name with a lower-case first letter. */
function messageName({ name, tags }: GoField): string {
  const given = /\bname=(\w+)/.exec(tags.protobuf ?? '')?.[1];
  return given ?? name.charAt(0).toLowerCase() + name.slice(1);
}

/** As for OpenAPI: the marker decides; without a marker, the JSON tag. */
function isRequired({ markers, tags }: GoField): boolean {
  if (hasMarker(markers, 'required')) return true;
  return !hasMarker(markers, 'optional') && !(tags.json ?? '').includes('omitempty');
}

function options(scope: Scope, { tags, markers }: GoField): readonly string[] {
  const listType = markerValue(markers, 'listType');
  const listMapKeys = markerValues(markers, 'listMapKey');
  const fallback = defaultOf(scope, markerValue(markers, 'default'));
  return [
    tags.patchStrategy === undefined ? undefined : `patch=${tags.patchStrategy}`,
    tags.patchMergeKey === undefined ? undefined : `key=${tags.patchMergeKey}`,
    listType === undefined ? undefined : `list=${[listType, ...listMapKeys].join(',')}`,
    isAtomic(markers, 'mapType') || isAtomic(markers, 'structType') ? 'atomic' : undefined,
    // A default may contain spaces, and so comes last.
    fallback === undefined ? undefined : `default=${fallback}`,
  ].filter((option) => option !== undefined);
}

function isAtomic(markers: readonly string[], marker: 'mapType' | 'structType'): boolean {
  return markerValue(markers, marker) === 'atomic';
}

/** A default is JSON, or `ref(Constant)` of the same package. */
function defaultOf(scope: Scope, marker: string | undefined): string | undefined {
  if (marker === undefined) return undefined;
  const constant = /^ref\((\w+)\)$/.exec(marker)?.[1];
  const value: unknown =
    constant === undefined
      ? JSON.parse(marker)
      : textOf(scope.universe, { ref: `${scope.package}.${constant}` });
  return JSON.stringify(value);
}
