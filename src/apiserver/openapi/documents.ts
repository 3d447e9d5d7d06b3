/**
 * Builds all OpenAPI documents of the server, each at the first request for it.
 *
 *     api, apis, apis/GROUP, version       the paths of discovery
 *     api/v1, apis/GROUP/VERSION           the kinds of one version
 *     (OpenAPI 2)                          everything in one document
 *
 * Custom kinds may be added and removed, so the list of documents is recomputed when the catalog has changed.
 * A document whose kinds are unchanged is reused: a new custom kind does not rebuild the document of the core
 * group.
 */
import type { JsonObject } from '../../lib/json.ts';
import { verbsOf, type Catalog } from '../registry/catalog.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { addCustomKind } from './custom-schema.ts';
import { Definitions } from './definitions.ts';
import { V2, V3, type Dialect } from './dialect.ts';
import {
  CORE_PATH,
  groupPath,
  GROUPS_PATH,
  resourcesPath,
  VERSION_PATH,
} from './discovery-paths.ts';
import { documentV2 } from './document-v2.ts';
import { documentV3, type DocumentInfo } from './document-v3.ts';
import { pathsOfKind } from './paths-of-kind.ts';
import { rootOf, type GroupVersion, type Path } from './spec.ts';
import { WrittenDocument } from './written-document.ts';

/** `version`: the Kubernetes version of the API. */
const INFO: DocumentInfo = { title: 'Kubernetes', version: '1.36', hasSecurity: true };
const CUSTOM_INFO: DocumentInfo = {
  title: 'Kubernetes CRD Swagger',
  version: 'v0.1.0',
  hasSecurity: false,
};

interface Planned {
  readonly kinds: readonly KindDefinition[];
  readonly document: WrittenDocument;
}

export class Documents {
  readonly #catalog: Catalog;
  #plan: ReadonlyMap<string, Planned> = new Map();
  #plannedAt: number | undefined;
  #everything: WrittenDocument | undefined;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** The OpenAPI 3 documents by the path after `/openapi/v3/`, sorted. */
  all(): ReadonlyMap<string, WrittenDocument> {
    const plan = [...this.#currentPlan()].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return new Map(plan.map(([name, { document }]) => [name, document]));
  }

  find(name: string): WrittenDocument | undefined {
    return this.#currentPlan().get(name)?.document;
  }

  /** The OpenAPI 2 document. */
  everything(): WrittenDocument {
    this.#currentPlan();
    this.#everything ??= new WrittenDocument('v2', () => writeEverything(this.#catalog.all()));
    return this.#everything;
  }

  #currentPlan(): ReadonlyMap<string, Planned> {
    if (this.#plannedAt === this.#catalog.version) return this.#plan;
    this.#plannedAt = this.#catalog.version;
    this.#everything = undefined;
    const before = this.#plan;
    this.#plan = new Map(
      planDocuments(this.#catalog.all()).map(({ name, kinds, write }) => {
        const old = before.get(name);
        if (old && isSame(old.kinds, kinds)) return [name, old];
        return [name, { kinds, document: new WrittenDocument('v3', write) }];
      }),
    );
    return this.#plan;
  }
}

interface Plan {
  readonly name: string;
  readonly kinds: readonly KindDefinition[];
  readonly write: () => JsonObject;
}

/** The kinds of one version: every version has at least one. */
type Members = readonly [KindDefinition, ...KindDefinition[]];

function planDocuments(kinds: readonly KindDefinition[]): readonly Plan[] {
  const discovery = discoveryPaths(kinds).map((path) => ({
    name: path.path.slice(1, -1),
    kinds: [],
    write: () => documentV3(INFO, [path], new Definitions(V3, [])),
  }));
  const versions = byVersion(kinds).map((members) => ({
    name: rootOf(members[0]).slice(1),
    kinds: members,
    write: () => writeVersion(members),
  }));
  return [...discovery, ...versions];
}

function writeVersion(members: Members): JsonObject {
  const [{ group, version }] = members;
  const paths = versionPaths(members);
  return members.some(isBuiltIn)
    ? documentV3(INFO, paths, definitionsOf(V3, members, [{ group, version }]))
    : documentV3(CUSTOM_INFO, paths, definitionsOf(V3, members, []));
}

function writeEverything(kinds: readonly KindDefinition[]): JsonObject {
  const versions = byVersion(kinds);
  const builtIn = versions.filter((members) => members.some(isBuiltIn));
  const named = builtIn.map(([{ group, version }]) => ({ group, version }));
  const paths = [...discoveryPaths(kinds), ...versions.flatMap(versionPaths)];
  return documentV2(INFO, paths, definitionsOf(V2, kinds, named));
}

function discoveryPaths(kinds: readonly KindDefinition[]): readonly Path[] {
  const groups = new Set(kinds.filter(isBuiltIn).map(({ group }) => group));
  groups.delete('');
  return [CORE_PATH, GROUPS_PATH, VERSION_PATH, ...[...groups].map(groupPath)];
}

function versionPaths(members: Members): readonly Path[] {
  const paths = members.flatMap((kind) => pathsOfKind(kind));
  return members.some(isBuiltIn) ? [resourcesPath(members[0]), ...paths] : paths;
}

function definitionsOf(
  dialect: Dialect,
  kinds: readonly KindDefinition[],
  versions: readonly GroupVersion[],
): Definitions {
  const definitions = new Definitions(dialect, versions);
  for (const { type } of kinds) if (type) definitions.refer(type.name);
  // No path refers to WatchEvent, but every watch sends it.
  if (kinds.some(isWatched)) definitions.refer('meta/v1.WatchEvent');
  for (const kind of kinds) if (!isBuiltIn(kind)) addCustomKind(kind, definitions);
  return definitions;
}

function byVersion(kinds: readonly KindDefinition[]): readonly Members[] {
  const found = new Map<string, [KindDefinition, ...KindDefinition[]]>();
  for (const kind of kinds) {
    const members = found.get(rootOf(kind));
    if (members) members.push(kind);
    else found.set(rootOf(kind), [kind]);
  }
  const roots = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return roots.map(([, members]) => members);
}

/** Custom kinds are not in the schema table. Documents with custom kinds only omit discovery. */
function isBuiltIn({ type }: KindDefinition): boolean {
  return type !== undefined;
}

function isWatched(kind: KindDefinition): boolean {
  return isBuiltIn(kind) && verbsOf(kind).includes('watch');
}

function isSame(a: readonly KindDefinition[], b: readonly KindDefinition[]): boolean {
  return a.length === b.length && a.every((kind, index) => kind === b[index]);
}
