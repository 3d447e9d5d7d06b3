/**
 * Follows every object in the store, and acts when an owner goes, waits, or never existed.
 *
 * collection.ts decides what to do with an object, from the state at that moment. So an object may be checked
 * once too often but never once too rarely: whenever it appears with owners or changes them, when an owner
 * goes or begins to wait, and, if it waits, when one of its dependents goes or stops blocking it. After a
 * restart every object is checked again.
 */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { StoreEvent } from '../../../ports/api/object-store.ts';
import { verbsOf } from '../../registry/catalog.ts';
import { metadataOf, textOf } from '../../objects/metadata.ts';
import { keyOf, type Target } from '../../registry/registry.ts';
import type { ServerParts } from '../../registry/server-parts.ts';
import { unexpected } from '../../objects/status.ts';
import type { Controller } from '../controller.ts';
import { isMissing, removeIfThere } from '../deletion-request.ts';
import { EventRecorder } from '../event-recorder.ts';
import { follow } from '../../registry/object-feed.ts';
import { readKey } from '../object-key.ts';
import { kindOfReference, targetOfKey } from '../stored-kinds.ts';
import { WorkQueue } from '../work-queue.ts';
import { decideCollection, type Decision, type Dependent, type OwnerState } from './collection.ts';
import {
  FOREGROUND,
  isOrphaning,
  isWaiting,
  ORPHAN,
  ownersOf,
  uidOf,
  withoutBlocking,
  withoutFinalizer,
  withoutOwners,
  type OwnerReference,
} from './owner-reference.ts';
import { OwnershipGraph } from './ownership-graph.ts';

/** Events name no owners, and there are many of them. */
const IGNORED = '/core/events/';

export class GarbageCollector implements Controller {
  readonly #parts: ServerParts;
  readonly #graph = new OwnershipGraph();
  readonly #queue: WorkQueue;
  readonly #events: EventRecorder;
  readonly #leave: () => void;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    const { clock, random, log } = parts;
    const work = (key: string): Promise<void> => this.#collect(key);
    this.#queue = new WorkQueue({ clock, random, log, name: 'garbage-collector', work });
    this.#events = new EventRecorder(parts, 'garbage-collector-controller');
    this.#leave = follow(parts.store, '/', (event) => {
      // Objects without a uid are the server's own, and have no owners.
      if (event.key.startsWith(IGNORED) || uidOf(event.value) === '') return;
      if (event.type === 'put') this.#see(event);
      else this.#mourn(event.value);
    });
  }

  async stop(): Promise<void> {
    this.#leave();
    await this.#queue.stop();
  }

  #see({ key, value, before }: StoreEvent): void {
    const isNew = !before || uidOf(before) !== uidOf(value);
    if (before && isNew) this.#mourn(before);
    const past = isNew ? null : before;
    this.#graph.put(key, value, past);
    if (isNew) this.#reportStrangers(uidOf(value), readKey(key).namespace);
    if (!past || !hasSameOwners(past, value)) this.#seeOwners(key, value, past);
    const isWaitingNow = isWaiting(value);
    if (isWaitingNow && !(past && isWaiting(past)))
      this.#wake(this.#graph.dependentsOf(uidOf(value)));
    if (isWaitingNow || isOrphaning(value)) this.#queue.add(key);
  }

  #seeOwners(key: string, value: JsonObject, past: JsonObject | null): void {
    const owners = ownersOf(value);
    const known = new Set((past ? ownersOf(past) : []).map(({ uid }) => uid));
    for (const owner of owners) {
      if (!known.has(owner.uid)) this.#reportIfStranger(key, value, owner);
    }
    if (owners.length > 0) this.#queue.add(key);
    const blocked = new Set(owners.filter(({ isBlocking }) => isBlocking).map(({ uid }) => uid));
    const freed = (past ? ownersOf(past) : []).filter(
      ({ uid, isBlocking }) => isBlocking && !blocked.has(uid),
    );
    this.#wake(freed.map(({ uid }) => uid));
  }

  #mourn(object: JsonObject): void {
    this.#graph.delete(object);
    this.#wake(this.#graph.dependentsOf(uidOf(object)));
    this.#wake(
      ownersOf(object).flatMap(({ uid }) => {
        const owner = this.#find(uid);
        return owner && isWaiting(owner) ? uid : [];
      }),
    );
  }

  #wake(uids: Iterable<string>): void {
    for (const uid of uids) {
      const key = this.#graph.keyOf(uid);
      if (key !== undefined) this.#queue.add(key);
    }
  }

  async #collect(key: string): Promise<void> {
    const object = this.#parts.store.get(key)?.value;
    const target = object && targetOfKey(this.#parts.catalog, key, object);
    if (!target) return;
    const uid = uidOf(object);
    const decision = decideCollection(object, {
      owners: () => ownersOf(object).map((owner) => [owner, this.#stateOf(owner, target)] as const),
      dependents: this.#dependentsOf(uid),
      isInCircle: () => this.#isInCircle(uid),
    });
    await this.#perform(decision, target, object);
  }

  async #perform(decision: Decision, target: Target, object: JsonObject): Promise<void> {
    switch (decision.type) {
      case 'keep':
        return;
      case 'dropOwners':
        return this.#change(object, target, (old) => withoutOwners(old, decision.uids));
      case 'delete':
        return this.#delete(decision, target, object);
      case 'orphanDependents': {
        const owner = new Set([uidOf(object)]);
        await Promise.all(decision.uids.map((uid) => this.#orphan(uid, owner)));
        return this.#change(object, target, (old) => withoutFinalizer(old, ORPHAN));
      }
      case 'release':
        return this.#change(object, target, (old) => withoutFinalizer(old, FOREGROUND));
      case 'wakeDependents':
        this.#wake(decision.uids);
        return;
      case 'unblock':
        return this.#change(object, target, withoutBlocking);
    }
  }

  async #delete(
    { propagation, unblocks }: Extract<Decision, { readonly type: 'delete' }>,
    target: Target,
    object: JsonObject,
  ): Promise<void> {
    if (unblocks) await this.#change(object, target, withoutBlocking);
    // With the resourceVersion that the decision was made from: a client that adds an owner now wins.
    const { resourceVersion } = metadataOf(object);
    const version = unblocks ? null : textOf(resourceVersion);
    const options = { propagation, uid: uidOf(object), resourceVersion: version };
    await removeIfThere(this.#parts.registry, target, options);
  }

  async #orphan(uid: string, owner: ReadonlySet<string>): Promise<void> {
    const key = this.#graph.keyOf(uid);
    const object = key === undefined ? undefined : this.#parts.store.get(key)?.value;
    const target = object && key !== undefined && targetOfKey(this.#parts.catalog, key, object);
    if (target) await this.#change(object, target, (old) => withoutOwners(old, owner));
  }

  /** Changes this very object; nothing is changed if it is gone, or another has its name. */
  async #change(
    object: JsonObject,
    target: Target,
    change: (old: JsonObject) => JsonObject,
  ): Promise<void> {
    const uid = uidOf(object);
    try {
      await this.#parts.registry.update({
        ...target,
        change: (old) => (uidOf(old) === uid ? change(old) : old),
      });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  #stateOf({ apiVersion, kind, name, uid }: OwnerReference, dependent: Target): OwnerState {
    const definition = kindOfReference(this.#parts.catalog, apiVersion, kind);
    if (!definition || !verbsOf(definition).includes('get')) {
      // Its kind may be defined later. Until then the owner is not known to be gone.
      throw unexpected(`unable to get REST mapping for ${apiVersion}/${kind}.`);
    }
    const { namespace } = dependent;
    if (definition.namespaced && namespace === '') return 'impossible';
    const owner = this.#parts.store.get(keyOf({ definition, namespace, name }))?.value;
    if (!owner || uidOf(owner) !== uid) return 'dangling';
    return isWaiting(owner) ? 'waiting' : 'solid';
  }

  #dependentsOf(uid: string): readonly Dependent[] {
    return [...this.#graph.dependentsOf(uid)].flatMap((dependent) => {
      const object = this.#find(dependent);
      if (!object) return [];
      const isBlocking = ownersOf(object).some((owner) => owner.uid === uid && owner.isBlocking);
      return { uid: dependent, isBlocking, isWaiting: isWaiting(object) };
    });
  }

  #isInCircle(start: string): boolean {
    const seen = new Set<string>();
    const ahead = [start];
    for (let uid = ahead.pop(); uid !== undefined; uid = ahead.pop()) {
      for (const dependent of this.#dependentsOf(uid)) {
        if (!dependent.isBlocking || !dependent.isWaiting) continue;
        if (dependent.uid === start) return true;
        if (!seen.has(dependent.uid)) ahead.push(dependent.uid);
        seen.add(dependent.uid);
      }
    }
    return false;
  }

  #find(uid: string): JsonObject | undefined {
    const key = this.#graph.keyOf(uid);
    return key === undefined ? undefined : this.#parts.store.get(key)?.value;
  }

  /** Dependents that came before the owner that they name from another namespace. */
  #reportStrangers(owner: string, namespace: string): void {
    if (namespace === '') return;
    for (const uid of this.#graph.dependentsOf(owner)) {
      const [key, object] = [this.#graph.keyOf(uid), this.#find(uid)];
      const reference = object && ownersOf(object).find((one) => one.uid === owner);
      if (key !== undefined && reference) this.#reportIfStranger(key, object, reference);
    }
  }

  #reportIfStranger(key: string, object: JsonObject, owner: OwnerReference): void {
    const there = this.#graph.keyOf(owner.uid);
    const { namespace: home } = there === undefined ? { namespace: '' } : readKey(there);
    const { namespace } = readKey(key);
    if (home === '' || home === namespace) return;
    this.#queue.add(key);
    const { apiVersion, kind, name, uid } = owner;
    const which = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
    const message = `ownerRef ${which} does not exist in namespace ${JSON.stringify(namespace)}`;
    const { metadata, ...rest } = object;
    const { resourceVersion: _, ...identity } = metadataOf({ metadata: metadata ?? {} });
    void this.#events.record(
      { ...rest, metadata: identity },
      { type: 'Warning', reason: 'OwnerRefInvalidNamespace', message },
    );
  }
}

/** Most writes keep the owners, but not the identity of the list. */
function hasSameOwners(before: JsonObject, now: JsonObject): boolean {
  const [then, list] = [before, now].map((object) => metadataOf(object)['ownerReferences'] ?? null);
  return then === list || jsonEqual(then ?? null, list ?? null);
}
