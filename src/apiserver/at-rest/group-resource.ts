/**
 * Parses the resource names of an EncryptionConfiguration and defines their precedence, as kube-apiserver
 * does.
 *
 *     secrets            in the core group         deployments.apps    in a group, also a custom one
 *     *.                 all of the core group     *.apps              all of a group
 *     *.*                all
 *
 * A resource is looked up by its name, then by its group, then by `*.*`. A rule that an earlier one covers
 * would never apply, and is refused.
 */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export const ANY = '*';

export function parseGroupResource(text: string): GroupResource {
  const dot = text.indexOf('.');
  return dot < 0
    ? { group: '', resource: text }
    : { group: text.slice(dot + 1), resource: text.slice(0, dot) };
}

/** The form in the configuration file. */
export function printGroupResource({ group, resource }: GroupResource): string {
  if (group !== '') return `${resource}.${group}`;
  return resource === ANY ? '*.' : resource;
}

/** The store's key of an object begins with its group and its resource: `/core/secrets/…`. */
export function resourceOfKey(key: string): GroupResource {
  const groupEnd = key.indexOf('/', 1);
  const resourceEnd = key.indexOf('/', groupEnd + 1);
  const group = key.slice(1, groupEnd);
  return {
    group: group === 'core' ? '' : group,
    resource: key.slice(groupEnd + 1, resourceEnd < 0 ? key.length : resourceEnd),
  };
}

/** The patterns that are looked up for a resource, in this order. */
export function patternsFor({ group, resource }: GroupResource): readonly string[] {
  return [
    printGroupResource({ group, resource }),
    printGroupResource({ group, resource: ANY }),
    printGroupResource({ group: ANY, resource: ANY }),
  ];
}

/** The earlier pattern that covers this one. Undefined: there is none. */
export function maskOf(wanted: GroupResource, earlier: ReadonlySet<string>): string | undefined {
  const [, ...wider] = patternsFor(wanted);
  return wider.find((pattern) => earlier.has(pattern));
}

/** Whether the list names a resource twice. */
export function hasDuplicate(list: readonly GroupResource[]): boolean {
  return new Set(list.map(printGroupResource)).size < list.length;
}

/** Whether one pattern of the list covers another. */
export function hasOverlap(list: readonly GroupResource[]): boolean {
  const distinct = [...new Map(list.map((each) => [printGroupResource(each), each])).values()];
  if (distinct.length < 2) return false;
  return distinct.some((one) =>
    distinct.some(
      (other) =>
        one !== other &&
        ((one.group === ANY && one.resource === ANY) ||
          (one.group === other.group && (one.resource === ANY || other.resource === ANY))),
    ),
  );
}
