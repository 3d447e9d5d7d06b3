/** Writes through the scale subresource, and updates the managers of the replicas. */
import type { FieldPath } from '../../api/managed-fields/field-set.ts';
import { trackUpdate } from '../../api/managed-fields/field-manager.ts';
import { readManagers, NO_MANAGERS, type Managers } from '../../api/managed-fields/managers.ts';
import type { JsonObject } from '../../lib/json.ts';
import {
  apiVersionOfKind,
  asPrinted,
  scopeOf,
  withManagers,
  withoutManagers,
} from '../objects/field-tracking.ts';
import type { FieldWrite } from '../objects/field-tracking.ts';
import type { View } from '../objects/kind.ts';
import { metadataOf } from '../objects/metadata.ts';
import { applyTo, type ApplyWrite } from './applying.ts';
import { managersOfParent, managersOfScale, type ReplicasPath } from './scale-managers.ts';

/** The object after an update or patch of its scale. */
export function writeThroughScale(
  write: FieldWrite,
  view: View,
  old: JsonObject,
  scale: JsonObject,
): JsonObject {
  const path = replicasPathOf(write);
  const parent = managersOf(old);
  const inScale = scaleWrite(write, view);
  const live = view.read(old);
  const bare = asPrinted(view.definition, withoutManagers(scale), live);
  const before = managersOfScale(parent, path);
  // If no manager owns the replicas, the Scale has no managers, and an update adds none.
  const after =
    before.size === 0
      ? NO_MANAGERS
      : trackUpdate(scopeOf(inScale), live, bare, before, write.manager);
  const wanted = view.write(old, scale);
  if (parent.size === 0) return wanted;
  return withManagers(
    wanted,
    managersOfParent(parent, after, path, apiVersionOfKind(write.definition)),
  );
}

export function applyToScale(
  write: ApplyWrite,
  view: View,
  old: JsonObject,
  config: JsonObject,
): JsonObject {
  const path = replicasPathOf(write);
  const parent = managersOf(old);
  const live = withManagers(view.read(old), managersOfScale(parent, path));
  const applied = applyTo({ ...scaleWrite(write, view), force: write.force }, live, config);
  const after = managersOf(applied);
  const wanted = view.write(old, withoutManagers(applied));
  return withManagers(
    wanted,
    managersOfParent(parent, after, path, apiVersionOfKind(write.definition)),
  );
}

function scaleWrite<Write extends FieldWrite>(write: Write, { definition }: View): Write {
  return { ...write, definition, find: () => undefined };
}

function managersOf(object: JsonObject): Managers {
  const read = readManagers(metadataOf(object)['managedFields']);
  return 'managers' in read ? read.managers : NO_MANAGERS;
}

/** The path of the replicas, by version. */
function replicasPathOf({ definition, find }: FieldWrite): ReplicasPath {
  return (apiVersion): FieldPath | null | undefined => {
    const slash = apiVersion.indexOf('/');
    const group = apiVersion.slice(0, Math.max(slash, 0));
    const version =
      apiVersion === apiVersionOfKind(definition)
        ? definition
        : find(group, apiVersion.slice(slash + 1), definition.resource);
    if (!version) return undefined;
    const part = version.subresources?.find(({ name }) => name === 'scale');
    return part?.view?.replicasPath ?? null;
  };
}
