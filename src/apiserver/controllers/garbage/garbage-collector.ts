/**
 * Garbage collector: follows all objects in the store, and acts when an owner is deleted, waits for its
 * dependents, or never existed.
 *
 * collection.ts decides from the current state, so an extra check does no harm, but a missed check would
 * leave garbage. An object is checked when it is created with owners or its owners change, when an owner is
 * deleted or begins to wait, and, if the object waits itself, when a dependent is deleted or stops blocking.
 * After a restart every object is checked again.
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

/** Events have no owners, and there are many of them. */
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
      // Objects without a UID are internal to the server, and have no owners.
      if (event.key.startsWith(IGNORED) || uidOf(event.value) === '') return;
      if (event.type === 'put') this.#see(event);
      else this.#seeDeletion(event.value);
    });
  }

  async stop(): Promise<void> {
    this.#leave();
    await this.#queue.stop();
  }

  #see({ key, value, before }: StoreEvent): void {
    const isNew = !before || uidOf(before) !== uidOf(value);
    if (before && isNew) this.#seeDeletion(before);
    const past = isNew ? null : before;
    this.#graph.put(key, value, past);
    if (isNew) this.#reportForeignDependents(uidOf(value), readKey(key).namespace);
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
      if (!known.has(owner.uid)) this.#reportIfForeign(key, value, owner);
    }
    if (owners.length > 0) this.#queue.add(key);
    const blocked = new Set(owners.filter(({ isBlocking }) => isBlocking).map(({ uid }) => uid));
    const freed = (past ? ownersOf(past) : []).filter(
      ({ uid, isBlocking }) => isBlocking && !blocked.has(uid),
    );
    this.#wake(freed.map(({ uid }) => uid));
  }

  #seeDeletion(object: JsonObject): void {
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
    // The resourceVersion is that of the decision, so a client that adds an owner in the meantime wins.
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

  /** Changes the object only if it still exists with the same UID. */
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
    const [group = '', version = ''] = apiVersion.split('/');
    const isRemote = this.#parts.remoteApis.has(group, version);
    if (!definition || isRemote || !verbsOf(definition).includes('get')) {
      // Its kind may be defined later, or is at another API server. The owner is not known to be gone.
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

  /** Reports dependents in other namespaces that named this owner before it was created. */
  #reportForeignDependents(owner: string, namespace: string): void {
    if (namespace === '') return;
    for (const uid of this.#graph.dependentsOf(owner)) {
      const [key, object] = [this.#graph.keyOf(uid), this.#find(uid)];
      const reference = object && ownersOf(object).find((one) => one.uid === owner);
      if (key !== undefined && reference) this.#reportIfForeign(key, object, reference);
    }
  }

  #reportIfForeign(key: string, object: JsonObject, owner: OwnerReference): void {
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

/** Most writes keep the owners, but create a new list. */
function hasSameOwners(before: JsonObject, now: JsonObject): boolean {
  const [then, list] = [before, now].map((object) => metadataOf(object)['ownerReferences'] ?? null);
  return then === list || jsonEqual(then ?? null, list ?? null);
}
