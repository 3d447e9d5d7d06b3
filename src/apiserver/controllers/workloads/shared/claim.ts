/**
 * Adopts and releases objects: decides which objects a controller manages, by its selector and by controller
 * references.
 *
 *     managed by another controller ──────────────────────────> ignore
 *     managed by this one     selector matches ───────────────> own
 *                             no longer matches ──────────────> release
 *     without a controller    matches, neither is being deleted > adopt
 */
import type { JsonObject } from '../../../../lib/json.ts';
import type { KindDefinition } from '../../../objects/kind.ts';
import { metadataOf, nameOf, textOf } from '../../../objects/metadata.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import { isBeingDeleted, uidOf, withoutOwners } from '../../garbage/owner-reference.ts';
import { isMissing } from '../../deletion-request.ts';
import { controllerRefOf, newControllerRef, withControllerRef } from './controller-ref.ts';
import { updateExactly } from './exact-update.ts';

export type ClaimDecision = 'own' | 'adopt' | 'release' | 'ignore';

export interface ClaimOptions {
  readonly parts: ServerParts;
  /** The kind of the owner; `childKind`: the kind of the objects that it owns. */
  readonly ownerKind: KindDefinition;
  readonly childKind: KindDefinition;
  readonly owner: JsonObject;
  readonly matches: (child: JsonObject) => boolean;
}

export function decideClaim(
  owner: JsonObject,
  child: JsonObject,
  matches: (child: JsonObject) => boolean,
): ClaimDecision {
  const reference = controllerRefOf(child);
  if (reference) {
    if (reference.uid !== uidOf(owner)) return 'ignore';
    if (matches(child)) return 'own';
    return isBeingDeleted(owner) ? 'ignore' : 'release';
  }
  if (isBeingDeleted(owner) || isBeingDeleted(child) || !matches(child)) return 'ignore';
  return 'adopt';
}

/** Performs the decisions, and returns the objects that the owner manages afterwards. */
export async function claimAll(
  options: ClaimOptions,
  candidates: readonly JsonObject[],
): Promise<readonly JsonObject[]> {
  const claimed = await Promise.all(candidates.map((child) => claim(options, child)));
  return claimed.filter((child) => child !== null);
}

async function claim(options: ClaimOptions, child: JsonObject): Promise<JsonObject | null> {
  const { parts, ownerKind, childKind, owner, matches } = options;
  const decision = decideClaim(owner, child, matches);
  if (decision === 'own') return child;
  if (decision === 'ignore') return null;
  const namespace = textOf(metadataOf(child)['namespace']);
  const target = { definition: childKind, namespace, name: nameOf(child) };
  const reference = newControllerRef(ownerKind, owner);
  try {
    const written = await updateExactly(parts, target, child, (latest) =>
      decision === 'adopt'
        ? withControllerRef(latest, reference)
        : withoutOwners(latest, new Set([uidOf(owner)])),
    );
    return decision === 'adopt' ? written : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
