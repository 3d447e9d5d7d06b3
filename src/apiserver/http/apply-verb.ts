/**
 * Implements server-side apply: a patch that creates the object if it does not exist, and otherwise merges a
 * configuration into it.
 */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { formatTime } from '../../api/values/time.ts';
import type { FieldWrite } from '../objects/field-tracking.ts';
import { metadataOf, textOf, withMetadata } from '../objects/metadata.ts';
import { badRequest, conflict, notFound, StatusError } from '../objects/status.ts';
import { applyTo } from '../registry/applying.ts';
import { attributesOf, targetOf, type Answer, type Call } from '../registry/call.ts';
import { checkName } from '../registry/preconditions.ts';
import type { UpdateRequest } from '../registry/registry.ts';
import { applyToScale } from '../registry/scale-tracking.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { readAppliedConfig, type AppliedConfig } from '../requests/applied-config.ts';
import { hold, readBytes } from '../requests/body.ts';
import { operationOptions } from '../requests/operation-options.ts';
import { readWriteOptions, type WriteOptions } from '../requests/options.ts';
import type { Authorize } from './verbs.ts';

const ATTEMPTS_MAX = 5;

interface ApplyRequest extends UpdateRequest {
  /** `old`: null: the object does not exist yet. */
  readonly change: (old: JsonObject | null) => JsonObject;
}

/** `present` builds the response from the stored object. */
export async function performApply(
  parts: ServerParts,
  call: Call,
  authorize: Authorize,
  present: (object: JsonObject) => JsonObject,
): Promise<Answer> {
  const options = readWriteOptions(call.query, 'PatchOptions', true);
  const object = call.request.inProcess?.object;
  const read = isJsonObject(object)
    ? { config: object }
    : await readAppliedConfig(new TextDecoder().decode(await readBytes(call.request)));
  call.trail?.requestedRaw(read.config);
  const target = targetOf(call);
  for (let attempt = 1; ; attempt++) {
    const exists = parts.registry.has(target);
    if (!exists && call.part) throw notFound(call.definition, target.name);
    try {
      const request = requestOf(parts, call, options, read);
      if (exists) return { code: 200, body: present(await parts.registry.update(request)) };
      return { code: 201, body: present(await create(parts, call, authorize, request)) };
    } catch (error) {
      // Another client has created or deleted the object in the meantime.
      const code = exists ? 404 : 409;
      const isRace =
        error instanceof StatusError &&
        error.code === code &&
        parts.registry.has(target) !== exists;
      if (!isRace || attempt >= ATTEMPTS_MAX) throw error;
    }
  }
}

function requestOf(
  parts: ServerParts,
  call: Call,
  given: WriteOptions,
  { config, duplicate }: AppliedConfig,
): ApplyRequest {
  const { definition, path, part, user, warnings, trail } = call;
  const { fieldManager: manager, force, dryRun, fieldValidation } = given;
  const now = formatTime(parts.clock.now());
  const find = parts.catalog.find.bind(parts.catalog);
  const write: FieldWrite = { definition, subresource: path.subresource ?? '', manager, now, find };
  const view = part?.view;
  const change = (old: JsonObject | null): JsonObject => {
    const applied =
      view && old
        ? applyToScale({ ...write, force }, view, old, config)
        : applyTo({ ...write, force }, old, config);
    if (duplicate !== undefined) reportDuplicate(duplicate, fieldValidation, warnings);
    return view ? applied : typed(call, applied, old);
  };
  const warn = (sentence: string): void => {
    if (!warnings.includes(sentence)) warnings.push(sentence);
  };
  const annotate = trail && ((key: string, value: string) => trail.annotate({ [key]: value }));
  const options = operationOptions('PatchOptions', call.query);
  const writing = { user, dryRun, warn, annotate, options, isTracked: true, change };
  return { ...targetOf(call), subresource: path.subresource, ...writing };
}

/** The object decoded as its kind, which for example drops null values. */
function typed({ definition }: Call, applied: JsonObject, old: JsonObject | null): JsonObject {
  if (!definition.type) return withoutEmptyMetadata(applied);
  return hold({ value: applied }, definition, 'Ignore', old ?? undefined).object;
}

const MAY_BE_EMPTY = ['labels', 'annotations', 'finalizers', 'ownerReferences'];

/** Metadata of custom objects is typed, too: its empty maps and lists are dropped. */
function withoutEmptyMetadata(object: JsonObject): JsonObject {
  const metadata = metadataOf(object);
  const empty = MAY_BE_EMPTY.filter((name) => Object.keys(metadata[name] ?? { a: 1 }).length === 0);
  return withMetadata(object, Object.fromEntries(empty.map((name) => [name, undefined])));
}

async function create(
  parts: ServerParts,
  call: Call,
  authorize: Authorize,
  { change, ...writing }: ApplyRequest,
): Promise<JsonObject> {
  const { definition, namespace, name } = writing;
  const body = change(null);
  const uid = textOf(metadataOf(body)['uid']);
  if (uid !== '') {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(definition, name, why);
  }
  checkNamespace(definition.namespaced ? namespace : '', body);
  checkName(body, name);
  authorize(call.user, attributesOf('create', call.path));
  return parts.registry.create({ ...writing, body });
}

function checkNamespace(namespace: string, body: JsonObject): void {
  const given = textOf(metadataOf(body)['namespace']);
  if (namespace === '' || given === '' || given === namespace) return;
  throw badRequest(
    'the namespace of the provided object does not match the namespace sent on the request',
  );
}

function reportDuplicate(
  duplicate: string,
  validation: WriteOptions['fieldValidation'],
  warnings: string[],
): void {
  if (validation === 'Strict') {
    const fault = `error converting YAML to JSON: yaml: unmarshal errors:\n  ${duplicate}`;
    throw badRequest(`error strict decoding YAML: ${fault}`);
  }
  if (validation === 'Warn' && !warnings.includes(duplicate)) warnings.push(duplicate);
}
