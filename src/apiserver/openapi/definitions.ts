/**
 * Collects the definitions of one OpenAPI document: every type that it refers to, and no others.
 *
 * A type is added when the document first refers to it, and so are the types of its fields. It is registered
 * before its fields are visited, so that recursive types work.
 */
import { kinds, openApiName, structOf } from '../../api/schema/schema.ts';
import type { TypeName } from '../../api/schema/shape.ts';
import type { JsonObject } from '../../lib/json.ts';
import { describeSpecial } from './descriptions/descriptions.ts';
import type { Dialect } from './dialect.ts';
import type { Content, GroupVersion, GroupVersionKind } from './spec.ts';
import { structSchema } from './struct-schema.ts';
import { PATCH, PATCH_SCHEMA, VERSION_INFO, versionInfoSchema } from './type-facts.ts';

/** The extension by which clients find the definition of a kind and the operations on it. */
export const KINDS = 'x-kubernetes-group-version-kind';

/** Kinds that belong to every version, because bodies and watches of each version may name them. */
const SHARED = new Map([
  ['meta/v1.DeleteOptions', 'DeleteOptions'],
  ['meta/v1.WatchEvent', 'WatchEvent'],
]);

export class Definitions {
  readonly dialect: Dialect;
  readonly #versions: readonly GroupVersion[];
  readonly #schemas = new Map<string, JsonObject>();

  /** `versions`: the versions that the document describes. */
  constructor(dialect: Dialect, versions: readonly GroupVersion[]) {
    this.dialect = dialect;
    this.#versions = versions;
  }

  /** The schema of a request or response body. */
  schemaOf(content: Content): JsonObject {
    switch (content.of) {
      case 'text':
        return { type: 'string' };
      case 'definition':
        return this.referTo(content.name);
      case 'type':
        return this.refer(content.name);
    }
  }

  readonly refer = (name: TypeName, beside: JsonObject = {}): JsonObject => {
    const definition = openApiName(name);
    if (!this.#schemas.has(definition)) this.#write(name, definition);
    return this.dialect.refer(this.dialect.definitionsAt + definition, beside);
  };

  /** A reference to a definition that is not in the schema table: a custom one, or one of podkeep's own. */
  referTo(definition: string, beside: JsonObject = {}): JsonObject {
    if (definition === PATCH) this.add(PATCH, PATCH_SCHEMA);
    if (definition === VERSION_INFO) {
      this.add(VERSION_INFO, versionInfoSchema(this.dialect.hasDefaults));
    }
    return this.dialect.refer(this.dialect.definitionsAt + definition, beside);
  }

  /** An existing definition is not replaced: a custom kind cannot replace that of a pod. */
  add(definition: string, schema: JsonObject): void {
    if (!this.#schemas.has(definition)) this.#schemas.set(definition, schema);
  }

  /** All definitions, sorted by name. */
  all(): JsonObject {
    const entries = [...this.#schemas].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries);
  }

  #write(name: TypeName, definition: string): void {
    this.#schemas.set(definition, {});
    const { specials } = this.dialect;
    if (isKeyOf(specials, name)) {
      this.#schemas.set(definition, { description: describeSpecial(name), ...specials[name] });
      return;
    }
    const schema = structSchema(structOf(name), this);
    const named = this.#kindsOf(name);
    this.#schemas.set(definition, named.length === 0 ? schema : { ...schema, [KINDS]: named });
  }

  #kindsOf(name: TypeName): readonly JsonObject[] {
    const shared = SHARED.get(name);
    if (shared === undefined) return kindsByType().get(name) ?? [];
    const others = this.#versions.filter(({ group }) => group !== '');
    return [{ group: '', version: 'v1' }, ...others].map((version) =>
      kindText({ ...version, kind: shared }),
    );
  }
}

export function kindText({ group, kind, version }: GroupVersionKind): JsonObject {
  return { group, kind, version };
}

function isKeyOf<Table extends object>(table: Table, key: PropertyKey): key is keyof Table {
  return Object.hasOwn(table, key);
}

let known: ReadonlyMap<TypeName, readonly JsonObject[]> | undefined;

function kindsByType(): ReadonlyMap<TypeName, readonly JsonObject[]> {
  if (known !== undefined) return known;
  const found = new Map<TypeName, JsonObject[]>();
  for (const { type, ...kind } of kinds()) {
    const list = found.get(type.name) ?? [];
    list.push(kindText(kind));
    found.set(type.name, list);
  }
  known = found;
  return found;
}
