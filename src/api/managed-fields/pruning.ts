/**
 * Removes the fields that a manager applied before and no longer applies, unless another manager owns them.
 * Fields without a manager, and fields that this manager never applied, stay.
 */
import type { Json } from '../../lib/json.ts';
import type { FieldScope, VersionedObject } from './field-manager.ts';
import {
  difference,
  EMPTY_SET,
  intersection,
  isEmptySet,
  union,
  type FieldSet,
} from './field-set.ts';
import type { ManagedSet, Managers } from './managers.ts';
import { withNamedFields } from './named-fields.ts';
import { removeFields } from './remove-fields.ts';
import { explained } from './typed-value-error.ts';
import { fieldsOf } from './value-fields.ts';

export function prune(
  scope: FieldScope,
  merged: Json,
  managers: Managers,
  last: ManagedSet | undefined,
): Json {
  if (!last || isEmptySet(last.set)) return merged;
  const old = explained('failed to convert merged object to last applied version', () =>
    scope.convert(merged, last.apiVersion),
  );
  if (!old) return merged;
  const lastSet = withNamedFields(last.set, old.type);
  const bare = removeFields(old.object, lastSet, old.type);
  const owned = addBackOwned(scope, old, bare, last.apiVersion, managers);
  const kept = scope.convert(owned.object, last.apiVersion);
  if (!kept) return merged;
  const gone = difference(named(old), named(kept));
  const pruned = removeFields(old.object, intersection(gone, lastSet), old.type);
  return scope.convert(pruned, scope.apiVersion)?.object ?? pruned;
}

/** Adds back the fields that any manager owns, converting to each apiVersion that the owners use. */
function addBackOwned(
  scope: FieldScope,
  merged: VersionedObject,
  bare: Json,
  apiVersion: string,
  managers: Managers,
): VersionedObject {
  const claimed = new Map<string, FieldSet>();
  for (const { apiVersion: version, set } of managers.values()) {
    claimed.set(version, union(claimed.get(version) ?? EMPTY_SET, set));
  }
  let whole = merged;
  let pruned: VersionedObject = { object: bare, type: merged.type };
  const versions = [...claimed.keys()].toSorted(
    (a, b) => Number(b === apiVersion) - Number(a === apiVersion),
  );
  for (const version of versions) {
    const all = explained(
      `failed add back owned items: failed to convert merged object at version ${version}`,
      () => scope.convert(whole.object, version),
    );
    const some = explained(
      `failed add back owned items: failed to convert pruned object at version ${version}`,
      () => scope.convert(pruned.object, version),
    );
    if (!all || !some) continue;
    const claims = withNamedFields(claimed.get(version) ?? EMPTY_SET, all.type);
    const gone = difference(named(all), union(named(some), claims));
    whole = all;
    pruned = { object: removeFields(all.object, gone, all.type), type: all.type };
  }
  return pruned;
}

function named({ object, type }: VersionedObject): FieldSet {
  return withNamedFields(fieldsOf(object, type), type);
}
