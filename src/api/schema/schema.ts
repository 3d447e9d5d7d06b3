/**
 * The schema of every built-in kind, read from the generated table (`npm run schema:update`).
 *
 *     kindOf('apps/v1', 'Deployment') ──type──> StructType        structOf('core/v1.PodStatus')
 *
 * The table has one line for each
 *
 *   packages     "core/v1": the prefix of its types in OpenAPI, "io.k8s.api.core.v1"
 *   kinds        "apps/v1" (an apiVersion): the package of its kinds, and their names
 *   enums        "core/v1.DNSPolicy": its values, sorted
 *   types        "core/v1.Pod": its fields, as a text that field-text.ts reads
 *
 * and the names of the kinds that exist `everywhere`, that is, in each apiVersion.
 *
 * A type is parsed once, when its fields are first read: so a type may contain itself, and using a Pod parses
 * only those of its types that are visited. Returned objects are shared and must not be changed.
 */
import { InvariantError } from '../../lib/assert.ts';
import type { StructType, TypeName } from './shape.ts';
import { TableStruct } from './table-struct.ts';
import table from './table.generated.json' with { type: 'json' };
import { SPECIAL_PACKAGES, typeReader } from './type-text.ts';

export interface KindType {
  readonly apiVersion: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Whether objects are namespaced. Lists and options, which are no objects, are not. */
  readonly namespaced: boolean;
  readonly type: StructType;
}

interface KindLine {
  /** The package of the kinds' types, unless a kind names its type: `Status=meta/v1.Status`. */
  readonly package: string;
  /** Kinds, separated by spaces. */
  readonly namespaced: string;
  readonly other: string;
}

// Typed as plain maps, so that the compiler need not know the names in them. They are read with
// Object.hasOwn only: a kind named constructor does not exist.
const structLines: Readonly<Record<string, string>> = table.types;
const enumLines: Readonly<Record<string, readonly string[]>> = table.enums;
const kindLines: Readonly<Record<string, KindLine>> = table.kinds;
const packages: Readonly<Record<string, string>> = table.packages;

const structs = new Map<TypeName, StructType>();
const kindsByApiVersion = new Map<string, ReadonlyMap<string, KindType>>();
const readType = typeReader({ structOf, enumOf });

export function structOf(name: TypeName): StructType {
  const known = structs.get(name);
  if (known !== undefined) return known;
  const line = lookUp(structLines, name);
  if (line === undefined) throw new InvariantError(`the schema table has no type ${name}`);
  const packageName = packageOf(name);
  const struct = new TableStruct(name, line, (text) => readType(text, packageName));
  structs.set(name, struct);
  return struct;
}

/**
 * Finds a built-in kind. Options and watch events are kinds of every built-in apiVersion: clients
 * send DeleteOptions of `apps/v1`.
 */
export function kindOf(apiVersion: string, kind: string): KindType | undefined {
  return kindsOf(apiVersion)?.get(kind);
}

/** Every built-in kind once for each of its apiVersions, without the kinds that all apiVersions share. */
export function kinds(): readonly KindType[] {
  const shared = new Set(table.everywhere.split(' '));
  return Object.keys(kindLines).flatMap((apiVersion) =>
    [...(kindsOf(apiVersion)?.values() ?? [])].filter(({ kind }) => !shared.has(kind)),
  );
}

/**
 * The name of a type's definition in OpenAPI, such as io.k8s.api.core.v1.Pod. A special type is
 * known by its plain name, such as Quantity.
 */
export function openApiName(name: TypeName): string {
  const packageName = lookUp(SPECIAL_PACKAGES, name) ?? packageOf(name);
  const prefix = lookUp(packages, packageName);
  if (prefix === undefined) throw new InvariantError(`the schema table has no package of ${name}`);
  return `${prefix}.${name.slice(name.lastIndexOf('.') + 1)}`;
}

function kindsOf(apiVersion: string): ReadonlyMap<string, KindType> | undefined {
  const known = kindsByApiVersion.get(apiVersion);
  if (known !== undefined) return known;
  const line = lookUp(kindLines, apiVersion);
  if (line === undefined) return undefined;
  const read = new Map([
    ...readKinds(apiVersion, 'meta/v1', table.everywhere, false),
    ...readKinds(apiVersion, line.package, line.other, false),
    ...readKinds(apiVersion, line.package, line.namespaced, true),
  ]);
  kindsByApiVersion.set(apiVersion, read);
  return read;
}

function readKinds(
  apiVersion: string,
  packageName: string,
  names: string,
  namespaced: boolean,
): readonly (readonly [string, KindType])[] {
  const slash = apiVersion.indexOf('/');
  const group = apiVersion.slice(0, Math.max(slash, 0));
  const version = apiVersion.slice(slash + 1);
  const words = names.split(' ').filter((word) => word !== '');
  return words.map((word) => {
    const [kind = '', name = `${packageName}.${kind}`] = word.split('=');
    return [kind, { apiVersion, group, version, kind, namespaced, type: structOf(name) }];
  });
}

function enumOf(name: TypeName): readonly string[] {
  const values = lookUp(enumLines, name);
  if (values === undefined) throw new InvariantError(`the schema table has no enum ${name}`);
  return values;
}

function packageOf(name: TypeName): string {
  return name.slice(0, Math.max(name.lastIndexOf('.'), 0));
}

function lookUp<Value>(map: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}
