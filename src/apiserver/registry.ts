/**
 * The verbs that write and read single objects, the same for every kind.
 *
 *     create   decode -> defaults -> server's own fields -> admission -> validation -> store
 *     update   the same against the old object, and again if somebody was faster
 *     delete   at once, or marked and waiting: for the kubelet, for finalizers
 *
 * A kind adds its rules (kind.ts) and nothing else. Objects are frozen in the store's sense: shared
 * by all readers, changed by none.
 */
import { jsonEqual } from '../api/json-equal.ts';
import { formatTime } from '../api/time.ts';
import type { JsonObject } from '../lib/json.ts';
import { PodkeepError } from '../lib/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Change, ObjectStore, StoredObject } from '../ports/object-store.ts';
import type { IdentityRandom } from '../ports/random.ts';
import { MASTER, type User } from './access.ts';
import type { Admission, AdmissionRequest } from './admission/admission.ts';
import { markDeleted, type Deletion } from './deletion.ts';
import type { FieldError } from './field-error.ts';
import type { KindDefinition } from './kind.ts';
import { printedForm } from './kinds/printed-form.ts';
import {
  listOf,
  metadataForCreate,
  metadataForUpdate,
  metadataOf,
  nameOf,
  textOf,
  validateMetadata,
  validateMetadataUpdate,
  withMetadata,
} from './metadata.ts';
import { checkStoredSize } from './object-limits.ts';
import type { DeleteOptions } from './options.ts';
import {
  alreadyExists,
  badRequest,
  conflict,
  forbidden,
  invalid,
  MODIFIED,
  notFound,
} from './status.ts';
import { fromStored, keeperOf, toStored } from './stored-form.ts';
import { bumpGeneration, updateRulesOf } from './update-rules.ts';

export interface RegistryPorts {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: IdentityRandom;
  readonly admission: Required<Admission>;
}

/** Which object of which kind. */
export interface Target {
  readonly definition: KindDefinition;
  readonly namespace: string;
  readonly name: string;
}

/** Who writes, and whether it counts; absent: the server itself, for good. */
export interface Writing {
  readonly user?: User;
  readonly dryRun?: boolean;
  /** Takes what admission warns of; may be called with one sentence twice. */
  readonly warn?: (sentence: string) => void;
}

export interface CreateRequest extends Writing {
  readonly definition: KindDefinition;
  readonly namespace: string;
  readonly body: JsonObject;
}

export interface UpdateRequest extends Target, Writing {
  readonly subresource?: string | null;
  /** Makes the new object from the one that is there. Called again if somebody was faster. */
  readonly change: (old: JsonObject) => JsonObject;
}

const ATTEMPTS_MAX = 100;
const NAME_ATTEMPTS_MAX = 8;

export class Registry {
  readonly #ports: RegistryPorts;

  constructor(ports: RegistryPorts) {
    this.#ports = ports;
  }

  get(target: Target): JsonObject {
    return this.#require(target).value;
  }

  has(target: Target): boolean {
    return this.#ports.store.get(keyOf(target)) !== undefined;
  }

  async create(request: CreateRequest): Promise<JsonObject> {
    const { definition, namespace, body } = request;
    const placed = place(definition, body, namespace);
    const { generateName: base, name } = metadataOf(body);
    const isGenerated = textOf(name) === '' && textOf(base) !== '';
    for (let attempt = 1; ; attempt++) {
      // Anew each time: what admission has seen may have changed, and a name that is made up will.
      const object = this.#prepare(request, placed);
      try {
        return await this.#insert(request, object);
      } catch (error) {
        if (!isConflict(error) || attempt >= ATTEMPTS_MAX) throw error;
        if (await this.#isFree({ definition, namespace, name: nameOf(object) })) continue;
        if (isGenerated && attempt < NAME_ATTEMPTS_MAX) continue;
        throw alreadyExists(definition, nameOf(object));
      }
    }
  }

  async update(request: UpdateRequest): Promise<JsonObject> {
    const { definition, dryRun = false } = request;
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const stored = this.#require(request);
      const object = this.#prepareUpdate(request, stored.value);
      if (jsonEqual(object, stored.value)) return stored.value;
      if (dryRun) return object;
      const isGone = isReleased(definition, object);
      const charges = this.#ports.admission.charge({
        ...admissionOf(request),
        verb: isGone ? 'delete' : 'update',
        object,
        old: stored.value,
      });
      try {
        const { key, revision } = stored;
        return await this.#commit(definition, { key, revision }, object, isGone, charges);
      } catch (error) {
        await this.#yieldToOthers(error);
      }
    }
    throw conflict(definition, request.name, MODIFIED);
  }

  async remove(target: Target, options: DeleteOptions, user: User = MASTER): Promise<Deletion> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const stored = this.#require(target);
      checkPreconditions(target, stored.value, options);
      const refusal = target.definition.rules.refuseDeletion?.(stored.value);
      if (refusal !== undefined) throw forbidden(target.definition, target.name, refusal);
      const { value } = stored;
      const admission = { ...admissionOf({ ...target, user }), object: value, old: value };
      this.#ports.admission.admit({ ...admission, verb: 'delete', dryRun: options.dryRun });
      const deletion = markDeleted(
        target.definition,
        stored.value,
        options,
        this.#ports.clock.now(),
      );
      const isUnchanged = deletion.object === stored.value && !deletion.isGone;
      if (options.dryRun || isUnchanged) return deletion;
      try {
        const { key, revision } = stored;
        const { object: marked, isGone } = deletion;
        const charges = isGone
          ? this.#ports.admission.charge({ ...admission, verb: 'delete' })
          : [];
        const object = await this.#commit(
          target.definition,
          { key, revision },
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

  #prepare(request: CreateRequest, body: JsonObject): JsonObject {
    const { definition } = request;
    const { clock, random, admission } = this.#ports;
    const { rules } = definition;
    let object = metadataForCreate(body, formatTime(clock.now()), random);
    object = rules.applyDefaults?.(object) ?? object;
    object = rules.prepareForCreate?.(object) ?? object;
    const asked = { ...admissionOf({ ...request, name: nameOf(object) }), object };
    object = printed(definition, admission.admit(asked));
    const errors = [
      ...validateMetadata(object, definition.namespaced, rules.checkName),
      ...(rules.validate?.(object) ?? []),
    ];
    if (errors.length > 0) throw invalid(definition, nameForErrors(body), errors);
    admission.review({ ...asked, object });
    return object;
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

  /** Nobody has this name: then it was something else that changed. */
  async #isFree(target: Target): Promise<boolean> {
    const { store } = this.#ports;
    await store.commit([]); // an empty commit waits for all before it
    return !store.get(keyOf(target));
  }

  /** Somebody was faster: what they wrote can be read when it is durable, and not before. */
  async #yieldToOthers(error: unknown): Promise<void> {
    if (!isConflict(error)) throw error;
    await this.#ports.store.commit([]);
  }

  #prepareUpdate(request: UpdateRequest, old: JsonObject): JsonObject {
    const { definition, namespace, name, subresource = null } = request;
    const { rules } = definition;
    const wanted = place(definition, request.change(old), namespace);
    checkName(wanted, name);
    checkVersion(request, wanted, old);
    const part = definition.subresources?.find((one) => one.name === subresource);
    const { prepare, validate, countsGenerations } = updateRulesOf(definition, part);
    const object = metadataForUpdate(rules.applyDefaults?.(wanted, old) ?? wanted, old);
    const asked = { ...admissionOf(request), object: prepare(object, old), old };
    const admitted = this.#ports.admission.admit({ ...asked, verb: 'update' });
    const prepared = printed(definition, admitted, old);
    const bumped = countsGenerations ? bumpGeneration(definition, prepared, old) : prepared;
    const errors = [
      ...validateMetadata(bumped, definition.namespaced, () => []),
      ...validateMetadataUpdate(bumped, old),
      ...(validate?.(bumped, old) ?? []),
    ];
    if (errors.length > 0) throw invalid(definition, name, errors);
    this.#ports.admission.review({ ...asked, verb: 'update', object: bumped });
    return withMetadata(bumped, { resourceVersion: metadataOf(old)['resourceVersion'] });
  }

  async #commit(
    definition: KindDefinition,
    { key, revision: expected }: Pick<StoredObject, 'key' | 'revision'>,
    object: JsonObject,
    isGone: boolean,
    charges: readonly Change[],
  ): Promise<JsonObject> {
    if (!isGone) checkStoredSize(object);
    let stored = object;
    const make = (revision: number): JsonObject => {
      stored = withMetadata(object, { resourceVersion: String(revision) });
      return toStored(definition, stored);
    };
    await this.#ports.store.commit([{ key, expected, make: isGone ? null : make }, ...charges]);
    return stored;
  }

  #require(target: Target): StoredObject {
    const stored = this.#ports.store.get(keyOf(target));
    if (!stored) throw notFound(target.definition, target.name);
    const value = fromStored(target.definition, stored.value);
    return value === stored.value ? stored : { ...stored, value };
  }
}

/** What admission is told of a write; a creation, until somebody says otherwise. */
function admissionOf(
  request: Target & Writing & { readonly subresource?: string | null },
): Omit<AdmissionRequest, 'object'> {
  const { definition, namespace, name, user = MASTER, dryRun = false, warn } = request;
  const { subresource = null } = request;
  const target = { definition, subresource, namespace, name };
  return { verb: 'create', ...target, user, dryRun, warn, old: null };
}

/** Where an object stands in the store; the name empty: all of them. */
export function keyOf({ definition, namespace, name }: Target): string {
  return `${prefixOf(definition, definition.namespaced ? namespace : '')}${name}`;
}

export function prefixOf(definition: KindDefinition, namespace: string): string {
  const { group, resource, namespaced } = keeperOf(definition);
  const base = `/${group === '' ? 'core' : group}/${resource}/`;
  return namespaced && namespace !== '' ? `${base}${namespace}/` : base;
}

/** As kube-apiserver prints it: what Go always prints is there, and what it never prints is not. */
function printed({ type }: KindDefinition, object: JsonObject, old?: JsonObject): JsonObject {
  return type ? printedForm(object, type, old) : object;
}

/** The object with the version, kind and namespace that the path says it has. */
function place(definition: KindDefinition, body: JsonObject, namespace: string): JsonObject {
  const { group, version, kind, namespaced } = definition;
  const said = textOf(metadataOf(body)['namespace']);
  if (namespaced && said !== '' && said !== namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const { apiVersion: _version, kind: _kind, ...rest } = body;
  const placed = namespaced ? withMetadata(rest, { namespace }) : rest;
  return { kind, apiVersion, ...placed };
}

export function checkName(object: JsonObject, name: string): void {
  const said = nameOf(object);
  if (said === name) return;
  if (said === '') {
    const detail = 'was undeterminable: name must be provided';
    throw badRequest(`the name of the object (${name} based on URL) ${detail}`);
  }
  throw badRequest(`the name of the object (${said}) does not match the name on the URL (${name})`);
}

function checkVersion({ definition, name }: Target, object: JsonObject, old: JsonObject): void {
  const said = textOf(metadataOf(object)['resourceVersion']);
  if (said === '' && definition.rules.versionRequired) {
    const { group, resource: kind } = definition;
    throw invalid({ group, kind }, name, [VERSION_MISSING]);
  }
  if (said !== '' && said !== metadataOf(old)['resourceVersion']) {
    throw conflict(definition, name, MODIFIED);
  }
}

/** As Go prints a number that is not there. */
const VERSION_MISSING: FieldError = {
  type: 'Invalid',
  field: 'metadata.resourceVersion',
  detail: '0x0: must be specified for an update',
};

function checkPreconditions(target: Target, object: JsonObject, options: DeleteOptions): void {
  const { uid, resourceVersion } = metadataOf(object);
  const kind = { group: target.definition.group, resource: target.definition.kind };
  const differs = (what: string, wanted: string, found: string): never => {
    throw conflict(
      kind,
      target.name,
      `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found}). ` +
        'The object might have been ' +
        (what === 'UID' ? 'deleted and then recreated' : 'modified'),
    );
  };
  if (options.uid !== null && options.uid !== uid) differs('UID', options.uid, textOf(uid));
  if (options.resourceVersion !== null && options.resourceVersion !== resourceVersion) {
    differs('ResourceVersion', options.resourceVersion, textOf(resourceVersion));
  }
}

/** Being deleted, and nothing holds it any more. */
function isReleased({ rules }: KindDefinition, object: JsonObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = metadataOf(object);
  return (
    deletionTimestamp !== undefined &&
    (deletionGracePeriodSeconds ?? 0) === 0 &&
    listOf(finalizers).length === 0 &&
    !(rules.isHeld?.(object) ?? false)
  );
}

function nameForErrors(body: JsonObject): string {
  return nameOf(body);
}

function isConflict(error: unknown): boolean {
  return error instanceof PodkeepError && error.code === 'STORE_CONFLICT';
}
