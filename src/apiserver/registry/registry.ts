/**
 * Implements the verbs that read and write single objects, for every kind.
 *
 *     create   decode -> defaults -> server-set fields -> admission -> validation -> store
 *     update   the same with the old object, and again after a write conflict
 *     delete   immediately, or marked, waiting for the kubelet or for finalizers
 *
 * Only the rules of a kind (kind.ts) differ. All readers share stored objects, and must not change them.
 */
import { jsonEqual } from '../../api/values/json-equal.ts';
import { formatTime } from '../../api/values/time.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Change, StoredObject } from '../../ports/api/object-store.ts';
import { MASTER, type User } from '../objects/access.ts';
import { admissionOf, admitWrite, askDynamic, type Attempt } from './admission-of-write.ts';
import { Ends } from './ends.ts';
import { markDeleted, type Deletion } from './deletion.ts';
import { keyOf } from './object-keys.ts';
import { checkNoVersion, checkPreconditions, isConflict, kindInErrors } from './preconditions.ts';
import { changedObject, isReleased, place, printed, withDistinctOwners } from './written-object.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { trackedCreate, withOldTimes, type FieldWrite } from '../objects/field-tracking.ts';
import {
  metadataForCreate,
  metadataForUpdate,
  metadataOf,
  nameOf,
  textOf,
  withMetadata,
  withServerFields,
} from '../objects/metadata.ts';
import { validateChangedMetadata, validateNewMetadata } from '../objects/metadata-rules.ts';
import { checkStoredSize } from '../decode/object-limits.ts';
import type { DeleteOptions } from '../requests/options.ts';
import {
  alreadyExists,
  conflict,
  forbidden,
  invalid,
  MODIFIED,
  notFound,
} from '../objects/status.ts';
import { replayed } from '../objects/conversion-replay.ts';
import {
  asStored,
  fromStored,
  isStoredInOldVersion,
  writtenForms,
} from '../objects/stored-form.ts';
import type { Asking, CreateRequest, Target, UpdateRequest, Writing } from './write-requests.ts';
import { checkUnreadableDeletion, deletionOfUnreadable } from './unreadable-deletion.ts';
import type { RegistryPorts } from './registry-ports.ts';
import { bumpGeneration, updateRulesOf } from '../objects/update-rules.ts';

export { keyOf, prefixOf } from './object-keys.ts';
export type { Asking, CreateRequest, Target, UpdateRequest, Writing } from './write-requests.ts';

type Writes = Pick<UpdateRequest, 'definition' | 'manager'>;

/** The field manager of the server's own writes. */
const SERVER = 'podkeep';
const ATTEMPTS_MAX = 100;
const NAME_ATTEMPTS_MAX = 8;
/** For how long an update is tried again whose object a webhook converts. */
const CONVERTED_MS_MAX = 30_000;

export class Registry {
  readonly #ports: RegistryPorts;

  constructor(ports: RegistryPorts) {
    this.#ports = ports;
  }

  /** An object that a webhook converts needs a replay (conversion-replay.ts). */
  get(target: Target): JsonObject {
    return this.#require(target).value;
  }

  has(target: Target): boolean {
    return this.#ports.store.get(keyOf(target)) !== undefined;
  }

  async create(request: CreateRequest): Promise<JsonObject> {
    const { definition, namespace, body } = request;
    const placed = withDistinctOwners(place(definition, body, namespace), request.warn);
    const { generateName: base, name } = metadataOf(body);
    const isGenerated = textOf(name) === '' && textOf(base) !== '';
    const sinceMs = this.#ports.clock.monotonic();
    for (let attempt = 1; ; attempt++) {
      // Repeated for each attempt, because the objects that admission reads may have changed, and a generated
      // name must.
      const ends = new Ends();
      let object = placed;
      try {
        const { whenOver } = ends;
        const prepared = this.#prepare({ ...request, sinceMs, whenOver }, placed);
        object = prepared instanceof Promise ? await prepared : prepared;
        return await this.#insert(request, object);
      } catch (error) {
        if (!isConflict(error) || attempt >= ATTEMPTS_MAX) throw error;
        if (await this.#isFree({ definition, namespace, name: nameOf(object) })) continue;
        if (isGenerated && attempt < NAME_ATTEMPTS_MAX) continue;
        throw alreadyExists(definition, nameOf(object));
      } finally {
        ends.run();
      }
    }
  }

  async update(request: UpdateRequest): Promise<JsonObject> {
    const { definition } = request;
    const { clock } = this.#ports;
    const sinceMs = clock.monotonic();
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const ends = new Ends();
      try {
        const { whenOver } = ends;
        return await this.#updateOnce({ ...request, sinceMs, whenOver });
      } catch (error) {
        await this.#yieldToOthers(error);
      } finally {
        ends.run();
      }
      // Each attempt may call a conversion webhook.
      if (definition.storedAs?.webhook && clock.monotonic() - sinceMs > CONVERTED_MS_MAX) break;
    }
    throw conflict(definition, request.name, MODIFIED);
  }

  async remove(wanted: Target, options: DeleteOptions, writing: Writing = {}): Promise<Deletion> {
    const { user = MASTER } = writing;
    // The server itself deletes what a webhook cannot convert any more, such as with its namespace.
    const target = writing.user ? wanted : { ...wanted, definition: asStored(wanted.definition) };
    const sinceMs = this.#ports.clock.monotonic();
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const stored = await this.#requireOrRemove(target, options, user);
      if ('isGone' in stored) return stored;
      checkPreconditions(target, stored.value, options);
      const refusal = target.definition.rules.refuseDeletion?.(stored.value);
      if (refusal !== undefined) throw forbidden(target.definition, target.name, refusal);
      const { value } = stored;
      const { dryRun } = options;
      const asked = {
        ...admissionOf({ ...writing, ...target, dryRun, sinceMs }),
        verb: 'delete',
      } as const;
      const admission = { ...asked, object: value, old: value };
      this.#ports.admission.admit(admission);
      await askDynamic(this.#ports, admission);
      const deletion = markDeleted(
        target.definition,
        stored.value,
        options,
        this.#ports.clock.now(),
      );
      const isUnchanged = deletion.object === stored.value && !deletion.isGone;
      if (dryRun || isUnchanged) return deletion;
      try {
        const { object: marked, isGone } = deletion;
        const charges = isGone ? this.#ports.admission.charge(admission) : [];
        const object = await this.#commitDeletion(
          target.definition,
          stored,
          marked,
          isGone,
          charges,
        );
        return { ...deletion, object };
      } catch (error) {
        await this.#yieldToOthers(error);
      }
    }
    throw conflict(target.definition, target.name, MODIFIED);
  }

  /** Rejects with STORE_CONFLICT if another client wrote the object in the meantime. */
  async #updateOnce(request: UpdateRequest & Attempt): Promise<JsonObject> {
    const { definition, dryRun = false } = request;
    const { store } = this.#ports;
    const required = replayed(() => this.#require(request));
    const stored = required instanceof Promise ? await required : required;
    const prepared = this.#prepareUpdate(request, stored.value);
    const object = prepared instanceof Promise ? await prepared : prepared;
    const isStale =
      store.isStale(stored.key) ||
      isStoredInOldVersion(definition, () => store.get(stored.key)?.value);
    if (jsonEqual(object, stored.value) && !isStale) return stored.value;
    const isGone = isReleased(definition, object);
    // A dry run is refused if the write would be.
    const charges = this.#ports.admission.charge({
      ...admissionOf(request),
      verb: isGone ? 'delete' : 'update',
      object,
      old: stored.value,
    });
    if (dryRun) return object;
    const { key, revision } = stored;
    return this.#commit(definition, { key, revision }, object, isGone, charges);
  }

  /**
   * Calls webhooks and policies for a request that stores no object: a POST to a subresource, or a
   * connection.
   */
  async askAbout(request: Asking): Promise<JsonObject> {
    const { verb = 'create', body: object } = request;
    const sinceMs = this.#ports.clock.monotonic();
    return askDynamic(this.#ports, { ...admissionOf({ ...request, sinceMs }), verb, object });
  }

  /** A promise only if a webhook or a policy is called; otherwise everything is synchronous. */
  #prepare(request: CreateRequest & Attempt, body: JsonObject): JsonObject | Promise<JsonObject> {
    const { rules } = request.definition;
    const { clock, random } = this.#ports;
    const made = metadataForCreate(body, formatTime(clock.now()), random);
    const complete = rules.applyDefaults?.(made) ?? made;
    if (request.isTracked) return this.#admitNew(request, body, complete);
    const write = this.#fieldWrite(request);
    const tracked = replayed(() => trackedCreate(write, complete));
    if (!(tracked instanceof Promise)) return this.#admitNew(request, body, tracked);
    return tracked.then((object) => this.#admitNew(request, body, object));
  }

  #admitNew(
    request: CreateRequest & Attempt,
    body: JsonObject,
    tracked: JsonObject,
  ): JsonObject | Promise<JsonObject> {
    const { definition } = request;
    const { rules } = definition;
    const { admission } = this.#ports;
    const first = rules.prepareForCreate?.(tracked) ?? tracked;
    const asked = { ...admissionOf({ ...request, name: nameOf(first) }), object: first };
    return admitWrite(this.#ports, asked, {
      own: (changed) => {
        const owned = withServerFields(changed, first);
        return rules.prepareForCreate?.(owned) ?? owned;
      },
      complete: (admitted) => {
        const object = printed(definition, admitted);
        const errors = [
          ...validateNewMetadata(object, definition),
          ...(rules.validate?.(object) ?? []),
        ];
        if (errors.length > 0) throw invalid(kindInErrors(definition), nameOf(object), errors);
        checkNoVersion(body);
        for (const sentence of rules.warnings?.(object) ?? []) request.warn?.(sentence);
        admission.review({ ...asked, object });
        return object;
      },
    });
  }

  async #insert(request: CreateRequest, object: JsonObject): Promise<JsonObject> {
    const { definition, namespace, dryRun = false } = request;
    const { store, admission } = this.#ports;
    const name = nameOf(object);
    const key = keyOf({ definition, namespace, name });
    const charges = admission.charge({ ...admissionOf({ ...request, name }), object });
    if (dryRun) {
      if (store.get(key)) throw alreadyExists(definition, name);
      return object;
    }
    return this.#commit(definition, { key, revision: 0 }, object, false, charges);
  }

  /** True: the name is free, so another object caused the conflict. */
  async #isFree(target: Target): Promise<boolean> {
    const { store } = this.#ports;
    await store.commit([]); // an empty commit waits for all before it
    return !store.get(keyOf(target));
  }

  /** After a write conflict: the other write can be read only once it is durable. */
  async #yieldToOthers(error: unknown): Promise<void> {
    if (!isConflict(error)) throw error;
    await this.#ports.store.commit([]);
  }

  #prepareUpdate(
    request: UpdateRequest & Attempt,
    old: JsonObject,
  ): JsonObject | Promise<JsonObject> {
    const write = this.#fieldWrite(request, request.subresource ?? '');
    const changed = replayed(() => changedObject(request, old, write));
    if (!(changed instanceof Promise)) return this.#admitChanged(request, old, changed);
    return changed.then((object) => this.#admitChanged(request, old, object));
  }

  #admitChanged(
    request: UpdateRequest & Attempt,
    old: JsonObject,
    object: JsonObject,
  ): JsonObject | Promise<JsonObject> {
    const { definition, name, subresource = null } = request;
    const { rules } = definition;
    const part = definition.subresources?.find((one) => one.name === subresource);
    const { prepare, validate, countsGenerations } = updateRulesOf(definition, part);
    const asked = {
      ...admissionOf(request),
      verb: 'update' as const,
      object: prepare(object, old),
      old,
    };
    return admitWrite(this.#ports, asked, {
      own: (changed) => prepare(metadataForUpdate(changed, old), old),
      complete: (admitted) => {
        const prepared = printed(definition, admitted, old);
        const bumped = countsGenerations ? bumpGeneration(definition, prepared, old) : prepared;
        const errors = [
          ...validateChangedMetadata(bumped, old, definition, part !== undefined && !part.view),
          ...(validate?.(bumped, old) ?? []),
        ];
        if (errors.length > 0) throw invalid(kindInErrors(definition), name, errors);
        for (const sentence of rules.updateWarnings?.(bumped, old) ?? []) request.warn?.(sentence);
        this.#ports.admission.review({ ...asked, object: bumped });
        const { resourceVersion } = metadataOf(old);
        return withOldTimes(withMetadata(bumped, { resourceVersion }), old);
      },
    });
  }

  #fieldWrite({ definition, manager = SERVER }: Writes, subresource = ''): FieldWrite {
    const { clock, find } = this.#ports;
    return { definition, subresource, manager, now: formatTime(clock.now()), find };
  }

  async #commit(
    definition: KindDefinition,
    { key, revision: expected }: Pick<StoredObject, 'key' | 'revision'>,
    object: JsonObject,
    isGone: boolean,
    charges: readonly Change[],
    onRevision?: (revision: number) => void,
  ): Promise<JsonObject> {
    const { store } = this.#ports;
    if (isGone) {
      await store.commit([{ key, expected, make: null }, ...charges]);
      return object;
    }
    checkStoredSize(object);
    const forms = writtenForms(definition, object);
    const formsAt = forms instanceof Promise ? await forms : forms;
    let answer = object;
    const make = (revision: number): JsonObject => {
      onRevision?.(revision);
      const { stored, served } = formsAt(String(revision));
      answer = served;
      return stored;
    };
    await store.commit([{ key, expected, make }, ...charges]);
    return answer;
  }

  /**
   * An object that is marked and removed at once is committed in both states, so that watchers see the mark.
   * Both commits are written to disk together.
   */
  async #commitDeletion(
    definition: KindDefinition,
    { key, revision, value }: StoredObject,
    marked: JsonObject,
    isGone: boolean,
    charges: readonly Change[],
  ): Promise<JsonObject> {
    if (!isGone || marked === value) {
      return this.#commit(definition, { key, revision }, marked, isGone, charges);
    }
    let last = revision;
    const marking = this.#commit(definition, { key, revision }, marked, false, [], (given) => {
      last = given;
    });
    const removal = this.#commit(definition, { key, revision: last }, marked, true, charges);
    const [object] = await Promise.all([marking, removal]);
    return object;
  }

  async #requireOrRemove(
    target: Target,
    options: DeleteOptions,
    user: User,
  ): Promise<StoredObject | Deletion> {
    try {
      const required = replayed(() => this.#require(target));
      return required instanceof Promise ? await required : required;
    } catch (error) {
      checkUnreadableDeletion(error, target, options, user);
      const { dryRun } = options;
      if (!dryRun) await this.#ports.store.commit([{ key: keyOf(target), make: null }]);
      return deletionOfUnreadable(target);
    }
  }

  #require(target: Target): StoredObject {
    const stored = this.#ports.store.get(keyOf(target));
    if (!stored) throw notFound(target.definition, target.name);
    const value = fromStored(target.definition, stored.value);
    return value === stored.value ? stored : { ...stored, value };
  }
}
