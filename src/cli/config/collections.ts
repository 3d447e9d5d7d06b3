/** Field kinds of a configuration file that contain other fields: sections, lists and maps. */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { suggest } from './did-you-mean.ts';
import { reject, type DurationKind, type Kind, type NotOffered } from './field-kinds.ts';
import type { ConfigPath } from './config-path.ts';

export type FieldTable = Readonly<Record<string, Kind<unknown>>>;

/** The result of reading a section: every field that podkeep offers, by podkeep's name for it. */
export type SectionOf<Table extends FieldTable> = {
  readonly [Name in keyof Table & string as OurName<Name, Table[Name]>]: ValueOf<Table[Name]>;
};

/** The same, with only the fields that the file sets. */
export type SparseOf<Table extends FieldTable> = Partial<SectionOf<Table>>;

type OurName<Name extends string, Field> = Field extends NotOffered
  ? never
  : Field extends DurationKind
    ? `${Name}Ms`
    : Name;
type ValueOf<Field> = Field extends Kind<infer Value> ? Value : never;

export interface SectionKind<Value> extends Kind<Value> {
  readonly table: FieldTable;
}

/** A section in which every field has a value: its default, if the file does not set it. */
export function section<Table extends FieldTable>(table: Table): SectionKind<SectionOf<Table>> {
  const initial = readSection(table, {}, null);
  return {
    table,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one key for each of the table
    initial: initial as SectionOf<Table>,
    read(value, at) {
      const fields = isJsonObject(value) ? value : reject(at, 'must be a mapping', {});
      reportUnknown(fields, table, at);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one key for each of the table
      return readSection(table, fields, at) as SectionOf<Table>;
    },
    write: (value) => writeSection(table, new Map(Object.entries(value))),
  };
}

/** A section in which only fields that the file sets have a value. */
export function sparse<Table extends FieldTable>(table: Table): SectionKind<SparseOf<Table>> {
  return {
    table,
    initial: {},
    read(value, at) {
      const fields = isJsonObject(value) ? value : reject(at, 'must be a mapping', {});
      reportUnknown(fields, table, at);
      const named = Object.entries(table).filter(([name]) => sayOf(fields, name) !== null);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a subset of the same keys
      return readSection(Object.fromEntries(named), fields, at) as SparseOf<Table>;
    },
    write: (value) => writeSection(table, new Map(Object.entries(value))),
  };
}

export function list<Value>(
  kind: Kind<Value>,
  initial: readonly Value[] = [],
): Kind<readonly Value[]> {
  return {
    initial,
    read(value, at) {
      if (!Array.isArray(value)) return reject(at, 'must be a list', initial);
      const items: readonly Json[] = value;
      return items.map((item, index) => kind.read(item, at.item(index)));
    },
    write: (value) =>
      value.length === 0 ? undefined : value.map((item) => kind.write(item) ?? null),
  };
}

/** `check` validates the keys. */
export function map<Value>(
  kind: Kind<Value>,
  initial: Readonly<Record<string, Value>> = {},
  check: (name: string, at: ConfigPath) => void = () => {},
): Kind<Readonly<Record<string, Value>>> {
  return {
    initial,
    read(value, at) {
      if (!isJsonObject(value)) return reject(at, 'must be a mapping', initial);
      const entries = Object.entries(value).map(([name, inner]): readonly [string, Value] => {
        check(name, at.field(name));
        return [name, kind.read(inner, at.field(name))];
      });
      return Object.fromEntries(entries);
    },
    write(value) {
      const entries = Object.entries(value);
      if (entries.length === 0) return undefined;
      return Object.fromEntries(entries.map(([name, one]) => [name, kind.write(one) ?? null]));
    },
  };
}

export function oneOf(known: readonly string[], what: string) {
  return (name: string, at: ConfigPath): void => {
    if (known.includes(name)) return;
    at.addProblem(`is no ${what}${suggest(name, known)}`);
  };
}

function readSection(
  table: FieldTable,
  fields: JsonObject,
  at: ConfigPath | null,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(table).map(([name, kind]): readonly [string, unknown] => {
    const given = sayOf(fields, name);
    const value = given === null || !at ? kind.initial : kind.read(given, at.field(name));
    return [isOffered(kind) ? `${name}${kind.unit ?? ''}` : '', value];
  });
  return Object.fromEntries(entries.filter(([name]) => name !== ''));
}

function writeSection(table: FieldTable, values: ReadonlyMap<string, unknown>): JsonObject {
  const entries = Object.entries(table).flatMap(([name, kind]) => {
    const json = kind.write(values.get(`${name}${kind.unit ?? ''}`) ?? kind.initial);
    return json === undefined ? [] : [[name, json] as const];
  });
  return Object.fromEntries(entries);
}

function isOffered(kind: Kind<unknown>): boolean {
  return !('isOffered' in kind);
}

/** In YAML `name:` without a value is null, and counts as unset. */
function sayOf(fields: JsonObject, name: string): Json {
  return Object.hasOwn(fields, name) ? (fields[name] ?? null) : null;
}

function reportUnknown(fields: JsonObject, table: FieldTable, at: ConfigPath): void {
  for (const name of Object.keys(fields)) {
    if (Object.hasOwn(table, name)) continue;
    const elsewhere = findDeeper(table, name);
    const hint = elsewhere === null ? suggest(name, Object.keys(table)) : `; it is ${elsewhere}`;
    at.field(name).addProblem(`is unknown here${hint}`);
  }
}

/** The path of a field in a nested section, for a hint if the file sets it at the outer level by mistake. */
function findDeeper(table: FieldTable, wanted: string): string | null {
  for (const [name, kind] of Object.entries(table)) {
    if (name === wanted) return name;
    const inner = 'table' in kind ? findDeeper(tableOf(kind), wanted) : null;
    if (inner !== null) return `${name}.${inner}`;
  }
  return null;
}

function tableOf(kind: Kind<unknown>): FieldTable {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a kind with a table is a section
  return 'table' in kind ? (kind.table as FieldTable) : {};
}
