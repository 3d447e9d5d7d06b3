/** The catalog of kinds that this server serves: finds them by path, and lists them for discovery. */
import type { JsonObject } from '../../lib/json.ts';
import { describeGroups } from './aggregated-discovery.ts';
import { isCustomKind } from '../schema/custom-object.ts';
import { compareVersions } from '../objects/version-order.ts';
import type { KindDefinition, Verb } from '../objects/kind.ts';
import { storageVersionHash } from '../objects/storage-version-hash.ts';
import { storageVersionOf } from '../objects/stored-form.ts';

const ALL_VERBS: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

export class Catalog {
  readonly #kinds = new Map<string, KindDefinition>();
  #version = 0;

  constructor(kinds: Iterable<KindDefinition>) {
    for (const kind of kinds) this.add(kind);
  }

  add(definition: KindDefinition): void {
    const { group, version, resource } = definition;
    this.#kinds.set(`${group}/${version}/${resource}`, definition);
    this.#version += 1;
  }

  /** Removes the kind, unless another definition has replaced it. */
  remove(definition: KindDefinition): void {
    const { group, version, resource } = definition;
    const key = `${group}/${version}/${resource}`;
    if (this.#kinds.get(key) !== definition) return;
    this.#kinds.delete(key);
    this.#version += 1;
  }

  find(group: string, version: string, resource: string): KindDefinition | undefined {
    return this.#kinds.get(`${group}/${version}/${resource}`);
  }

  all(): readonly KindDefinition[] {
    return [...this.#kinds.values()];
  }

  /** Changes with every change of the catalog, so that caches can be invalidated. */
  get version(): number {
    return this.#version;
  }

  /** `/api`. `address`: the server address that the client used. */
  apiVersions(address: string): JsonObject {
    const everybody = { clientCIDR: '0.0.0.0/0', serverAddress: address };
    const serverAddressByClientCIDRs = [everybody];
    return { kind: 'APIVersions', versions: this.#versionsOf(''), serverAddressByClientCIDRs };
  }

  /** `/apis` */
  apiGroupList(): JsonObject {
    const described = this.#namedGroups().map((group) => {
      const { kind: _kind, apiVersion: _version, ...rest } = this.apiGroup(group) ?? {};
      return rest;
    });
    return { kind: 'APIGroupList', apiVersion: 'v1', groups: described };
  }

  /** `/api` or `/apis` for clients that request aggregated discovery. */
  aggregated(root: 'api' | 'apis'): JsonObject {
    return describeGroups({
      groups: root === 'api' ? [''] : this.#namedGroups(),
      versionsOf: (group) => this.#versionsOf(group),
      kindsOf: (group, version) => this.#kindsOf(group, version),
      verbsOf,
    });
  }

  /** `/apis/{group}`; undefined: no such group. */
  apiGroup(group: string): JsonObject | undefined {
    const versions = this.#versionsOf(group).map((version) => ({
      groupVersion: `${group}/${version}`,
      version,
    }));
    const [preferredVersion] = versions;
    if (!preferredVersion) return undefined;
    return { kind: 'APIGroup', apiVersion: 'v1', name: group, versions, preferredVersion };
  }

  /** `/api/v1`, `/apis/{group}/{version}`; undefined: no such version. */
  apiResourceList(group: string, version: string): JsonObject | undefined {
    const kinds = this.#kindsOf(group, version);
    if (kinds.length === 0) return undefined;
    const resources = kinds.flatMap(describeResource);
    // In kube-apiserver, the list of the core group has no apiVersion.
    if (group === '') return { kind: 'APIResourceList', groupVersion: version, resources };
    const groupVersion = `${group}/${version}`;
    return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
  }

  /** Built-in groups in their own order, then custom groups by name. */
  #namedGroups(): readonly string[] {
    const builtIn = this.all().filter((kind) => !isCustomKind(kind) && kind.group !== '');
    const custom = this.all().filter(isCustomKind);
    const groupOf = ({ group }: KindDefinition): string => group;
    return [...new Set([...builtIn.map(groupOf), ...custom.map(groupOf).toSorted()])];
  }

  #kindsOf(group: string, version: string): readonly KindDefinition[] {
    return this.all()
      .filter((kind) => kind.group === group && kind.version === version)
      .toSorted((a, b) => (a.resource < b.resource ? -1 : 1));
  }

  #versionsOf(group: string): readonly string[] {
    const kinds = this.all().filter((kind) => kind.group === group);
    const versions = [...new Set(kinds.map(({ version }) => version))];
    return kinds.some(isCustomKind) ? versions.toSorted(compareVersions) : versions;
  }
}

export function verbsOf({ verbs = ALL_VERBS }: KindDefinition): readonly Verb[] {
  return verbs;
}

/** Objects that cannot be watched are generated for each response, not stored. */
function isStored(definition: KindDefinition): boolean {
  return verbsOf(definition).includes('watch');
}

function describeResource(definition: KindDefinition): readonly JsonObject[] {
  const { resource, singular, namespaced, kind, shortNames, categories } = definition;
  return [
    {
      name: resource,
      singularName: singular,
      namespaced,
      kind,
      verbs: verbsOf(definition),
      ...(shortNames && { shortNames }),
      ...(categories && { categories }),
      ...(isStored(definition) && {
        storageVersionHash: storageVersionHash(storageVersionOf(definition)),
      }),
    },
    ...(definition.subresources ?? []).map((subresource) => ({
      name: `${resource}/${subresource.name}`,
      singularName: '',
      namespaced,
      kind: subresource.kind,
      verbs: subresource.verbs,
      ...(subresource.group !== undefined && { group: subresource.group }),
      ...(subresource.version !== undefined && { version: subresource.version }),
    })),
  ];
}
