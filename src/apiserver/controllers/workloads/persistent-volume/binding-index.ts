/**
 * Indexes which claims and volumes name each other, so that a change of one queues just those whose decision
 * may depend on it.
 *
 *     a claim changes ───> the volume that it names, and the volumes that name it
 *     a volume changes ──> the claim that it names, and the claims that name it
 *     a volume is free ──> all claims without one
 *
 * Keys are those of the store.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import type { StoreEvent } from '../../../../ports/api/object-store.ts';
import { persistentVolumeClaims } from '../../../kinds/storage/persistent-volume-claim.ts';
import { persistentVolumes } from '../../../kinds/storage/persistent-volume.ts';
import { textAt } from '../../../objects/field-path.ts';
import { keyOf } from '../../../registry/registry.ts';
import { annotationOf, BIND_COMPLETED } from '../../scheduler/storage/claim-facts.ts';

type References = Map<string, Set<string>>;

export class BindingIndex {
  readonly #unbound = new Set<string>();
  /** Claims by the key of the volume that they name. */
  readonly #claims: References = new Map();
  /** Volumes by the key of the claim that they name. */
  readonly #volumes: References = new Map();

  /** Claims whose binding is not complete. */
  get unbound(): ReadonlySet<string> {
    return this.#unbound;
  }

  /** Returns the volumes that the change may concern. */
  takeClaim({ type, key, value, before }: StoreEvent): readonly string[] {
    const isGone = type === 'delete';
    if (isGone || annotationOf(value, BIND_COMPLETED) !== undefined) this.#unbound.delete(key);
    else this.#unbound.add(key);
    const named = replace(this.#claims, key, before && volumeKeyOf(before), {
      now: volumeKeyOf(value),
      isGone,
    });
    return [...named, ...(this.#volumes.get(key) ?? [])];
  }

  /** Returns the claims that the change may concern. */
  takeVolume({ type, key, value, before }: StoreEvent): readonly string[] {
    const isGone = type === 'delete';
    const named = replace(this.#volumes, key, before && claimKeyOf(before), {
      now: claimKeyOf(value),
      isGone,
    });
    const isFree = !isGone && claimKeyOf(value) === null;
    const waiting = isFree && textAt(value, 'status.phase') === 'Available' ? this.#unbound : [];
    return [...named, ...(this.#claims.get(key) ?? []), ...waiting];
  }
}

/** Null: it names none. */
function volumeKeyOf(claim: JsonObject): string | null {
  const name = textAt(claim, 'spec.volumeName');
  return name === '' ? null : keyOf({ definition: persistentVolumes, namespace: '', name });
}

/** Null: it names none. */
export function claimKeyOf(volume: JsonObject): string | null {
  const name = textAt(volume, 'spec.claimRef.name');
  const namespace = textAt(volume, 'spec.claimRef.namespace');
  if (name === '' || namespace === '') return null;
  return keyOf({ definition: persistentVolumeClaims, namespace, name });
}

/** Returns what was named before and what is named now. */
function replace(
  references: References,
  key: string,
  before: string | null,
  { now, isGone }: { readonly now: string | null; readonly isGone: boolean },
): readonly string[] {
  const last = before ?? now;
  if (last !== null && (isGone || last !== now)) {
    const left = references.get(last);
    left?.delete(key);
    if (left?.size === 0) references.delete(last);
  }
  if (now !== null && !isGone) {
    references.set(now, (references.get(now) ?? new Set<string>()).add(key));
  }
  return [before, now].flatMap((one) => one ?? []);
}
