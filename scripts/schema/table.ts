/**
 * Builds the schema table: all kinds, every type and enum that can be reached from them, and the OpenAPI
 * names of their packages. Everything is sorted, with one type per line, so that a change of one field
 * changes one line.
 */
import { structText } from './field-text.ts';
import type { Package } from './facts.ts';
import { kindsOf, type Kinds, type RegisteredKind } from './kinds.ts';
import { SPECIALS, type Scope } from './type-text.ts';
import {
  enumsOf,
  findType,
  makeUniverse,
  openApiPackage,
  shortName,
  shortPackage,
  type Universe,
} from './universe.ts';

export function makeTable(version: string, packages: readonly Package[]): string {
  const universe = makeUniverse(packages);
  const kinds = kindsOf(universe);
  const { types, enums } = reach(universe, rootsOf(kinds));
  const used = [...types.keys(), ...Object.keys(SPECIALS).map(shortName)].map(packageOf);
  return [
    '{',
    `"version":${JSON.stringify(version)},`,
    `"packages":${section(openApiPackages(packages, new Set(used)))},`,
    `"kinds":${section(kindLines(kinds))},`,
    `"everywhere":${JSON.stringify(kindNames('meta/v1', [...kinds.everywhere.values()]))},`,
    `"enums":${section(enums)},`,
    `"types":${section(types)}`,
    '}\n',
  ].join('\n');
}

function rootsOf({ byApiVersion, everywhere }: Kinds): readonly string[] {
  const registered = [everywhere, ...byApiVersion.values()];
  return registered.flatMap((kinds) => [...kinds.values()].map(({ goName }) => goName));
}

interface Reached {
  readonly types: ReadonlyMap<string, string>;
  readonly enums: ReadonlyMap<string, readonly string[]>;
}

/** Follows every field of every type, each type once. */
function reach(universe: Universe, roots: readonly string[]): Reached {
  const values = enumsOf(universe);
  const types = new Map<string, string>();
  const enums = new Map<string, readonly string[]>();
  const waiting = [...roots];
  const uses: Scope['uses'] = (kind, goName) => {
    if (kind === 'struct') waiting.push(goName);
    else enums.set(shortName(goName), values.get(goName) ?? []);
  };
  for (let goName = waiting.pop(); goName !== undefined; goName = waiting.pop()) {
    const name = shortName(goName);
    if (types.has(name)) continue;
    const type = findType(universe, goName);
    types.set(name, structText({ universe, enums: values, package: type.package, uses }, type));
  }
  return { types, enums };
}

function packageOf(name: string): string {
  return name.slice(0, name.lastIndexOf('.'));
}

function openApiPackages(
  packages: readonly Package[],
  used: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const named = packages.map((source) => [shortPackage(source.path), openApiPackage(source)]);
  return new Map(
    named.filter((entry): entry is [string, string] => {
      const [name, prefix] = entry;
      return prefix !== undefined && name !== undefined && used.has(name);
    }),
  );
}

function kindLines({ byApiVersion }: Kinds): ReadonlyMap<string, unknown> {
  const lines = [...byApiVersion].map(([apiVersion, byKind]) => {
    const kinds = [...byKind.values()];
    const home = homeOf(kinds);
    const namespaced = kinds.filter((kind) => kind.namespaced);
    const other = kinds.filter((kind) => !kind.namespaced);
    return [
      apiVersion,
      { package: home, namespaced: kindNames(home, namespaced), other: kindNames(home, other) },
    ] as const;
  });
  return new Map(lines);
}

/** The package of most kinds of a group version. */
function homeOf(kinds: readonly RegisteredKind[]): string {
  const counts = new Map<string, number>();
  for (const { goName } of kinds) {
    const name = packageOf(shortName(goName));
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const [first] = [...counts].toSorted(([, a], [, b]) => b - a);
  return first?.[0] ?? '';
}

/** The names of the kinds; if the type of a kind is in another package, with the name of the type. */
function kindNames(home: string, kinds: readonly RegisteredKind[]): string {
  const names = kinds.map(({ kind, goName }) => {
    const type = shortName(goName);
    return type === `${home}.${kind}` ? kind : `${kind}=${type}`;
  });
  return names.toSorted().join(' ');
}

function section(entries: ReadonlyMap<string, unknown>): string {
  const lines = [...entries]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return `{\n${lines.join(',\n')}\n}`;
}
