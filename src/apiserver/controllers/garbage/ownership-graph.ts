/**
 * Tracks which objects depend on which, by UID.
 *
 * It holds only the key and the dependents of each object; everything else is read from the store. An object
 * without dependents costs one entry.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { ownersOf, uidOf } from './owner-reference.ts';

const NO_DEPENDENTS: ReadonlySet<string> = new Set();

export class OwnershipGraph {
  readonly #keys = new Map<string, string>();
  /** The UIDs of dependents by the UID of their owner, even if the owner does not exist. */
  readonly #dependents = new Map<string, Set<string>>();

  put(key: string, object: JsonObject, before: JsonObject | null): void {
    const uid = uidOf(object);
    // The object was deleted and created again in one commit.
    if (before && uidOf(before) !== uid) this.delete(before);
    this.#keys.set(uid, key);
    const owners = new Set(ownersOf(object).map((owner) => owner.uid));
    for (const owner of before ? ownersOf(before) : []) {
      if (!owners.has(owner.uid)) this.#forget(owner.uid, uid);
    }
    for (const owner of owners) this.#remember(owner, uid);
  }

  delete(object: JsonObject): void {
    const uid = uidOf(object);
    this.#keys.delete(uid);
    for (const owner of ownersOf(object)) this.#forget(owner.uid, uid);
  }

  /** Undefined: there is no such object. */
  keyOf(uid: string): string | undefined {
    return this.#keys.get(uid);
  }

  /** All objects that name it as an owner, blocking or not, even in another namespace. */
  dependentsOf(uid: string): ReadonlySet<string> {
    return this.#dependents.get(uid) ?? NO_DEPENDENTS;
  }

  #remember(owner: string, dependent: string): void {
    const dependents = this.#dependents.get(owner);
    if (dependents) dependents.add(dependent);
    else this.#dependents.set(owner, new Set([dependent]));
  }

  #forget(owner: string, dependent: string): void {
    const dependents = this.#dependents.get(owner);
    dependents?.delete(dependent);
    if (dependents?.size === 0) this.#dependents.delete(owner);
  }
}
