/**
 * An index of all packages: finds a type or a constant by its full Go name, and gives packages the short
 * names of the schema table (`k8s.io/api/core/v1` is `core/v1`).
 */
import { assert } from '../../src/lib/assert.ts';
import type { TypeName } from '../../src/api/schema/shape.ts';
import type { Constant, GoType, Package, Value } from './facts.ts';
import { hasMarker, markerValue } from './markers.ts';

export interface NamedType extends GoType {
  readonly package: string;
}

interface NamedConstant extends Constant {
  readonly package: string;
}

export interface Universe {
  readonly packages: readonly Package[];
  readonly types: ReadonlyMap<string, NamedType>;
  readonly constants: ReadonlyMap<string, NamedConstant>;
}

export function makeUniverse(packages: readonly Package[]): Universe {
  const types = new Map<string, NamedType>();
  const constants = new Map<string, NamedConstant>();
  for (const { path, types: declared, constants: values } of packages) {
    for (const type of declared) types.set(`${path}.${type.name}`, { ...type, package: path });
    for (const value of values) constants.set(`${path}.${value.name}`, { ...value, package: path });
  }
  return { packages, types, constants };
}

/** Finds a type by its Go name, and resolves aliases (`type A = B`). */
export function findType(universe: Universe, goName: string): NamedType {
  const found = universe.types.get(goName);
  assert(found !== undefined, `no package was read that declares ${goName}`);
  return found.alias && found.is.ref !== undefined ? findType(universe, found.is.ref) : found;
}

export function goNameOf(type: NamedType): string {
  return `${type.package}.${type.name}`;
}

/** The short name of a package: its path without the module and without `pkg/apis` or `pkg`. */
export function shortPackage(path: string): string {
  return path.replace(/^k8s\.io\/[^/]+\/(pkg\/(apis\/)?)?/, '');
}

export function shortName(goName: string): TypeName {
  const dot = goName.lastIndexOf('.');
  return `${shortPackage(goName.slice(0, dot))}.${goName.slice(dot + 1)}`;
}

/** The prefix of a package's definitions in OpenAPI, from a marker of the package or of a type. */
export function openApiPackage({ path, markers, types }: Package): string | undefined {
  const given = [...markers, ...types.flatMap((type) => [...type.markers, ...type.distantMarkers])];
  return path.startsWith('k8s.io/') ? markerValue(given, 'k8s:openapi-model-package') : undefined;
}

export function textOf(universe: Universe, { text, ref }: Value): string {
  if (text !== undefined) return text;
  const constant = universe.constants.get(ref ?? '');
  assert(constant !== undefined, `no package was read that declares the constant ${ref}`);
  return textOf(universe, constant.value);
}

/** The values of every type marked `+enum`, as OpenAPI lists them: each once, sorted. */
export function enumsOf(universe: Universe): ReadonlyMap<string, readonly string[]> {
  const enums = new Map<string, Set<string>>();
  for (const [goName, { alias, is, markers }] of universe.types) {
    const counts = !alias && is.basic === 'string' && hasMarker(markers, 'enum');
    if (counts) enums.set(goName, new Set());
  }
  for (const constant of universe.constants.values()) {
    const type = typeOfConstant(universe, constant);
    if (type !== undefined) enums.get(type)?.add(textOf(universe, constant.value));
  }
  return new Map([...enums].map(([goName, values]) => [goName, [...values].toSorted()]));
}

/** A constant without an explicit type has the type of the constant that it refers to. */
function typeOfConstant(universe: Universe, constant: Constant): string | undefined {
  const { is, value } = constant;
  if (is !== undefined) {
    return is.ref !== undefined && universe.types.has(is.ref)
      ? goNameOf(findType(universe, is.ref))
      : undefined;
  }
  const repeated = value.ref === undefined ? undefined : universe.constants.get(value.ref);
  return repeated === undefined ? undefined : typeOfConstant(universe, repeated);
}
