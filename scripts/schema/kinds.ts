/**
 * Finds all kinds from the calls with which Go packages register their types: a scheme gets a group version
 * and the types that are kinds in it.
 */
import { assert } from '../../src/lib/assert.ts';
import type { GroupVersion, Package } from './facts.ts';
import { hasMarker } from './markers.ts';
import { findType, goNameOf, textOf, type NamedType, type Universe } from './universe.ts';

export interface RegisteredKind {
  readonly kind: string;
  /** The full Go name of its type. */
  readonly goName: string;
  readonly namespaced: boolean;
}

export interface Kinds {
  /** By apiVersion. */
  readonly byApiVersion: ReadonlyMap<string, ReadonlyMap<string, RegisteredKind>>;
  /** Registered into every group version: options and watch events. */
  readonly everywhere: ReadonlyMap<string, RegisteredKind>;
}

/** Cluster-scoped kinds that no marker shows as such, because no client is generated for them. */
const UNMARKED: ReadonlySet<string> = new Set(['APIGroupDiscovery', 'RangeAllocation']);

/** The parameter of the function that registers the shared kinds in every group. */
const ANY_GROUP_VERSION = 'groupVersion';

export function kindsOf(universe: Universe): Kinds {
  const byApiVersion = new Map<string, Map<string, RegisteredKind>>();
  const everywhere = new Map<string, RegisteredKind>();
  for (const source of universe.packages) {
    for (const { into, types } of source.registrations) {
      const target = targetOf(universe, source, into, byApiVersion, everywhere);
      if (target === undefined) continue;
      for (const goName of types) {
        const kind = readKind(universe, goName);
        target.set(kind.kind, kind);
      }
    }
  }
  return { byApiVersion, everywhere };
}

function targetOf(
  universe: Universe,
  source: Package,
  into: string,
  byApiVersion: Map<string, Map<string, RegisteredKind>>,
  everywhere: Map<string, RegisteredKind>,
): Map<string, RegisteredKind> | undefined {
  if (into === ANY_GROUP_VERSION) return everywhere;
  const groupVersion = source.groupVersions.find(({ name }) => name === into);
  // A literal group version is the internal one, which is never on the wire.
  if (groupVersion === undefined) return undefined;
  const apiVersion = apiVersionOf(universe, groupVersion);
  const known = byApiVersion.get(apiVersion) ?? new Map<string, RegisteredKind>();
  byApiVersion.set(apiVersion, known);
  return known;
}

function apiVersionOf(universe: Universe, { group, version }: GroupVersion): string {
  const groupName = textOf(universe, group);
  const versionName = textOf(universe, version);
  return groupName === '' ? versionName : `${groupName}/${versionName}`;
}

function readKind(universe: Universe, registered: string): RegisteredKind {
  const type = findType(universe, registered);
  return { kind: type.name, goName: goNameOf(type), namespaced: isNamespaced(type) };
}

/**
 * A kind is namespaced unless its type is marked otherwise. Types without object metadata (lists, options,
 * reviews) are not namespaced.
 */
function isNamespaced({ name, is, markers, distantMarkers }: NamedType): boolean {
  const given = [...markers, ...distantMarkers];
  assert(is.struct !== undefined || is.ref !== undefined, `${name} is registered but no struct`);
  const hasMetadata = is.struct?.fields.some((field) => field.is.ref?.endsWith('.ObjectMeta'));
  const ofCluster = hasMarker(given, 'genclient:nonNamespaced') || UNMARKED.has(name);
  return hasMetadata === true && !ofCluster;
}
