/**
 * Reads and writes the target of an autoscaler through its scale subresource. The target may be of any kind
 * that has this subresource, including custom kinds.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { numberAt, structAt, textAt } from '../../../objects/field-path.ts';
import type { KindDefinition, View } from '../../../objects/kind.ts';
import type { Target } from '../../../registry/registry.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import { isOfKind, type ControllerRef } from '../shared/controller-ref.ts';
import { updateExactly } from '../shared/exact-update.ts';

export interface ScaleTarget {
  readonly target: Target;
  readonly view: View;
  /** The target as it was read. */
  readonly object: JsonObject;
  readonly replicas: number;
  /** The selector as text. Empty: the target has none. */
  readonly selector: string;
}

/** A string: the reason why the target cannot be scaled. */
export function findScaleTarget(parts: ServerParts, autoscaler: JsonObject): ScaleTarget | string {
  const { registry } = parts;
  const kinds = kindsOf(parts, autoscaler);
  const [first] = kinds;
  const { apiVersion, kind, name } = referenceOf(autoscaler);
  if (!first) {
    const slash = apiVersion.indexOf('/');
    const group = apiVersion.slice(0, Math.max(slash, 0));
    return `no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(group)}`;
  }
  const targets = scalableOf(kinds, autoscaler);
  for (const target of targets) {
    const view = scaleOf(target.definition)?.view;
    if (!view || !registry.has(target)) continue;
    const object = registry.get(target);
    const scale = view.read(object);
    const replicas = numberAt(scale, 'spec.replicas');
    return { target, view, object, replicas, selector: textAt(scale, 'status.selector') };
  }
  if (targets.length === 0) return 'the server could not find the requested resource';
  const group = first.group === '' ? '' : `.${first.group}`;
  return `${first.resource}/scale${group} ${JSON.stringify(name)} not found`;
}

/** The target as an object of each served version of its kind, even if it does not exist. */
export function targetsOf(parts: ServerParts, autoscaler: JsonObject): readonly Target[] {
  return scalableOf(kindsOf(parts, autoscaler), autoscaler);
}

function referenceOf(autoscaler: JsonObject): ControllerRef {
  return {
    apiVersion: textAt(autoscaler, 'spec.scaleTargetRef.apiVersion'),
    kind: textAt(autoscaler, 'spec.scaleTargetRef.kind'),
    name: textAt(autoscaler, 'spec.scaleTargetRef.name'),
    uid: '',
  };
}

function kindsOf({ catalog }: ServerParts, autoscaler: JsonObject): readonly KindDefinition[] {
  const reference = referenceOf(autoscaler);
  return catalog.all().filter((definition) => isOfKind(reference, definition));
}

/**
 * Only namespaced kinds: a user who may create an autoscaler in a namespace must not change cluster-scoped
 * objects with it.
 */
function scalableOf(kinds: readonly KindDefinition[], autoscaler: JsonObject): readonly Target[] {
  const namespace = textAt(autoscaler, 'metadata.namespace');
  const { name } = referenceOf(autoscaler);
  return kinds
    .filter((definition) => definition.namespaced && scaleOf(definition))
    .map((definition) => ({ definition, namespace, name }));
}

function scaleOf({ subresources }: KindDefinition) {
  return subresources?.find(({ name }) => name === 'scale');
}

/**
 * Rejects with a conflict if the target has changed since it was read, because a client may have scaled it.
 */
export async function writeTargetScale(
  parts: ServerParts,
  { target, view, object }: ScaleTarget,
  replicas: number,
): Promise<void> {
  const change = (seen: JsonObject): JsonObject => {
    const scale = view.read(seen);
    return view.write(seen, { ...scale, spec: { ...structAt(scale, 'spec'), replicas } });
  };
  await updateExactly(parts, target, object, change, 'scale');
}
