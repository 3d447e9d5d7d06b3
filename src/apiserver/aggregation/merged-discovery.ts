/**
 * Discovery with the versions of other API servers, in the order of the priorities of APIServices.
 *
 * 1. The group of APIServices itself comes first, as in kube-aggregator. A version without an APIService comes
 *    last: it is served all the same.
 * 2. If both this server and another one could serve a version, the other server serves it.
 */
import type { JsonObject } from '../../lib/json.ts';
import { numberAt, objectsAt, textAt } from '../objects/field-path.ts';
import { readText } from '../../api/validation/json-reading.ts';
import { compareVersions } from '../objects/version-order.ts';
import type { RemoteApis, RemoteVersion } from '../objects/remote-apis.ts';

export interface ServedGroup {
  readonly group: string;
  /** The preferred one first. */
  readonly versions: readonly string[];
}

const FIRST_GROUP = 'apiregistration.k8s.io';

/** `local`: an APIGroupList. */
export function mergeGroups(
  local: JsonObject,
  remote: readonly RemoteVersion[],
  apiServices: readonly JsonObject[],
): readonly ServedGroup[] {
  const served = new Map<string, Set<string>>();
  const add = (group: string, version: string): void => {
    served.set(group, (served.get(group) ?? new Set()).add(version));
  };
  for (const one of objectsAt(local, 'groups')) {
    for (const { version } of objectsAt(one, 'versions'))
      add(readText(one['name']), readText(version));
  }
  for (const { group, version } of remote) add(group, version);
  const order = priorities(apiServices);
  const groups = [...served].map(([group, versions]) => ({
    group,
    versions: sortVersions(group, [...versions], order),
    priority: Math.max(...[...versions].map((one) => order.get(`${group}/${one}`)?.group ?? 0)),
  }));
  return groups.toSorted(
    (a, b) =>
      Number(b.group === FIRST_GROUP) - Number(a.group === FIRST_GROUP) ||
      b.priority - a.priority ||
      compareTexts(nameOfFirst(a), nameOfFirst(b)),
  );
}

/** `/apis` */
export function groupListOf(groups: readonly ServedGroup[]): JsonObject {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(describeGroup) };
}

/** `/apis/{group}` */
export function apiGroupOf(served: ServedGroup): JsonObject {
  return { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(served) };
}

/** `/apis` for clients that want aggregated discovery; `local`: the same of this server alone. */
export function aggregatedOf(
  local: JsonObject,
  groups: readonly ServedGroup[],
  remote: Pick<RemoteApis, 'has' | 'discoveryOf'>,
): JsonObject {
  const own = new Map(objectsAt(local, 'items').map((one) => [textAt(one, 'metadata.name'), one]));
  const items = groups.map(({ group, versions }) => {
    const known = own.get(group);
    const described = new Map(
      objectsAt(known ?? {}, 'versions').map((one) => [readText(one['version']), one]),
    );
    return {
      metadata: { name: group },
      versions: versions.flatMap((version) =>
        remote.has(group, version)
          ? remote.discoveryOf({ group, version })
          : (described.get(version) ?? []),
      ),
    };
  });
  return { ...local, items };
}

function describeGroup({ group, versions }: ServedGroup): JsonObject {
  const all = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: all, preferredVersion: all[0] ?? {} };
}

interface Priority {
  readonly group: number;
  readonly version: number;
}

function priorities(apiServices: readonly JsonObject[]): ReadonlyMap<string, Priority> {
  return new Map(
    apiServices.map((one) => [
      `${textAt(one, 'spec.group')}/${textAt(one, 'spec.version')}`,
      {
        group: numberAt(one, 'spec.groupPriorityMinimum'),
        version: numberAt(one, 'spec.versionPriority'),
      },
    ]),
  );
}

function sortVersions(
  group: string,
  versions: readonly string[],
  order: ReadonlyMap<string, Priority>,
): readonly string[] {
  const priorityOf = (version: string): number => order.get(`${group}/${version}`)?.version ?? 0;
  return versions.toSorted((a, b) => priorityOf(b) - priorityOf(a) || compareVersions(a, b));
}

/** Groups of one priority are in the order of the names of their APIServices. */
function nameOfFirst({ group, versions }: ServedGroup): string {
  return `${versions[0] ?? ''}.${group}`;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
