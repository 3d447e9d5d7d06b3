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
import type { ObjectStore, StoredObject } from '../ports/object-store.ts';
import type { Random } from '../ports/random.ts';
import type { Admission } from './admission/admission.ts';
import { markDeleted, type Deletion } from './deletion.ts';
import type { KindDefinition, Subresource } from './kind.ts';
import { printedForm } from './kinds/printed-form.ts';
import {
  generateName,
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

export interface RegistryPorts {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly admission: Admission;
}

/** Which object of which kind. */
export interface Target {
  readonly definition: KindDefinition;
  readonly namespace: string;
  readonly name: string;
}

export interface UpdateRequest extends Target {
  readonly subresource: string | null;
  readonly dryRun: boolean;
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

  get({ definition, namespace, name }: Target): JsonObject {
    return this.#require({ definition, namespace, name }).value;
  }

  async create(
    definition: KindDefinition,
    namespace: string,
    body: JsonObject,
    dryRun: boolean,
  ): Promise<JsonObject> {
    const { random } = this.#ports;
    const placed = place(definition, body, namespace);
    const { generateName: base, name } = metadataOf(body);
    const isGenerated = textOf(name) === '' && textOf(base) !== '';
    let object = this.#prepare(definition, placed);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#insert(definition, namespace, object, dryRun);
      } catch (error) {
        if (!isConflict(error)) throw error;
        if (!isGenerated || attempt >= NAME_ATTEMPTS_MAX) {
          throw alreadyExists(definition, nameOf(object));
        }
        object = withMetadata(object, { name: generateName(textOf(base), random) });
      }
    }
  }

  async update(request: UpdateRequest): Promise<JsonObject> {
    const { definition, dryRun } = request;
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const stored = this.#require(request);
      const object = this.#prepareUpdate(request, stored.value);
      if (jsonEqual(object, stored.value)) return stored.value;
      if (dryRun) return object;
      const isGone = isReleased(definition, object);
      try {
        const { key, revision } = stored;
        return await this.#commit(definition, { key, revision }, object, isGone);
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
    throw conflict(definition, request.name, MODIFIED);
  }

  async remove(target: Target, options: DeleteOptions): Promise<Deletion> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const stored = this.#require(target);
      checkPreconditions(target, stored.value, options);
      const refusal = target.definition.rules.refuseDeletion?.(stored.value);
      if (refusal !== undefined) throw forbidden(target.definition, target.name, refusal);
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
        const object = await this.#commit(target.definition, { key, revision }, marked, isGone);
        return { ...deletion, object };
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
    throw conflict(target.definition, target.name, MODIFIED);
  }

  #prepare(definition: KindDefinition, body: JsonObject): JsonObject {
    const { clock, random, admission } = this.#ports;
    const { rules } = definition;
    let object = metadataForCreate(body, formatTime(clock.now()), random);
    object = rules.applyDefaults?.(object) ?? object;
    object = rules.prepareForCreate?.(object) ?? object;
    object = printed(definition, admission.admitCreate(definition, object));
    const errors = [
      ...validateMetadata(object, definition.namespaced, rules.checkName),
      ...(rules.validate?.(object) ?? []),
    ];
    if (errors.length > 0) throw invalid(definition, nameForErrors(body), errors);
    return object;
  }

  async #insert(
    definition: KindDefinition,
    namespace: string,
    object: JsonObject,
    dryRun: boolean,
  ): Promise<JsonObject> {
    const { store } = this.#ports;
    const key = keyOf({ definition, namespace, name: nameOf(object) });
    if (dryRun) {
      if (store.get(key)) throw alreadyExists(definition, nameOf(object));
      return object;
    }
    return this.#commit(definition, { key, revision: 0 }, object, false);
  }

  #prepareUpdate(request: UpdateRequest, old: JsonObject): JsonObject {
    const { definition, namespace, name, subresource } = request;
    const { rules } = definition;
    const wanted = place(definition, request.change(old), namespace);
    checkName(wanted, name);
    checkVersion(request, wanted, old);
    const part = definition.subresources?.find((one) => one.name === subresource);
    const { prepare, validate, countsGenerations } = updateRulesOf(definition, part);
    const object = metadataForUpdate(rules.applyDefaults?.(wanted) ?? wanted, old);
    const prepared = printed(definition, prepare(object, old));
    const bumped = countsGenerations ? bumpGeneration(definition, prepared, old) : prepared;
    const errors = [
      ...validateMetadata(bumped, definition.namespaced, () => []),
      ...validateMetadataUpdate(bumped, old),
      ...(validate?.(bumped, old) ?? []),
    ];
    if (errors.length > 0) throw invalid(definition, name, errors);
    return withMetadata(bumped, { resourceVersion: metadataOf(old)['resourceVersion'] });
  }

  async #commit(
    definition: KindDefinition,
    { key, revision: expected }: Pick<StoredObject, 'key' | 'revision'>,
    object: JsonObject,
    isGone: boolean,
  ): Promise<JsonObject> {
    let stored = object;
    const make = (revision: number): JsonObject => {
      stored = withMetadata(object, { resourceVersion: String(revision) });
      return toStored(definition, stored);
    };
    await this.#ports.store.commit([{ key, expected, make: isGone ? null : make }]);
    return stored;
  }

  #require(target: Target): StoredObject {
    const stored = this.#ports.store.get(keyOf(target));
    if (!stored) throw notFound(target.definition, target.name);
    const value = fromStored(target.definition, stored.value);
    return value === stored.value ? stored : { ...stored, value };
  }
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
function printed({ type }: KindDefinition, object: JsonObject): JsonObject {
  return type ? printedForm(object, type) : object;
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

function checkName(object: JsonObject, name: string): void {
  const said = nameOf(object);
  if (said === name) return;
  throw badRequest(`the name of the object (${said}) does not match the name on the URL (${name})`);
}

function checkVersion({ definition, name }: Target, object: JsonObject, old: JsonObject): void {
  const said = textOf(metadataOf(object)['resourceVersion']);
  if (said !== '' && said !== metadataOf(old)['resourceVersion']) {
    throw conflict(definition, name, MODIFIED);
  }
}

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

interface UpdateRules {
  readonly prepare: (object: JsonObject, old: JsonObject) => JsonObject;
  readonly validate: KindDefinition['rules']['validateUpdate'];
  readonly countsGenerations: boolean;
}

/** What holds for an update of the whole (of which a scale is another sight), or of a part. */
function updateRulesOf({ rules }: KindDefinition, part: Subresource | undefined): UpdateRules {
  const isPart = part !== undefined && !part.view;
  const isStatus = isPart && part.name === 'status';
  const usual = isStatus
    ? (rules.prepareForStatusUpdate ?? keepAllButStatus)
    : (rules.prepareForUpdate ?? keepStatus);
  return {
    prepare: part?.prepareForUpdate ?? usual,
    validate:
      part?.validateUpdate ?? (isStatus ? rules.validateStatusUpdate : rules.validateUpdate),
    countsGenerations: !isStatus,
  };
}

/** A change of anything but metadata and status is a new generation, where there are any. */
function bumpGeneration(
  { rules }: KindDefinition,
  object: JsonObject,
  old: JsonObject,
): JsonObject {
  const { generation } = metadataOf(old);
  const isNew = rules.isNewGeneration?.(object, old) ?? !jsonEqual(specOf(object), specOf(old));
  if (typeof generation !== 'number' || !isNew) return object;
  return withMetadata(object, { generation: generation + 1 });
}

function specOf(object: JsonObject): JsonObject {
  const { metadata: _metadata, status: _status, ...rest } = object;
  return rest;
}

function keepStatus(object: JsonObject, old: JsonObject): JsonObject {
  const { status: _, ...rest } = object;
  const { status } = old;
  return status === undefined ? rest : { ...rest, status };
}

function keepAllButStatus(object: JsonObject, old: JsonObject): JsonObject {
  const { status: _, ...rest } = old;
  const { status } = object;
  const placed = status === undefined ? rest : { ...rest, status };
  return { ...placed, metadata: metadataOf(object) };
}

function nameForErrors(body: JsonObject): string {
  return nameOf(body);
}

function isConflict(error: unknown): boolean {
  return error instanceof PodkeepError && error.code === 'STORE_CONFLICT';
}
