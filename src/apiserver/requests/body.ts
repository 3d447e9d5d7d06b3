/**
 * Decodes the body of a request (JSON, YAML or protobuf, by its content type) to an object of its kind, as
 * strictly as the request's fieldValidation demands.
 */
import { decodeProtobuf } from '../../api/protobuf/decode.ts';
import { PodkeepError } from '../../lib/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { ApiRequest } from '../../ports/api/http-handler.ts';
import type { Turn } from '../../ports/clock.ts';
import { isCustomKind, readCustomObject } from '../schema/custom-object.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { textOf } from '../objects/metadata.ts';
import { checkParts, checkTextParts } from '../decode/object-limits.ts';
import { badRequest, tooLarge, StatusError, unsupportedMediaType } from '../objects/status.ts';
import { describeJsonFault } from '../decode/json-fault.ts';
import { parseJson, readJson, type ReadJson } from '../decode/json-text.ts';
import { isValueTooDeep, NestingError } from '../decode/nesting.ts';
import { readTyped, WrongType, type TypedObject } from '../decode/typed-object.ts';
import { readYamlAsJson } from '../decode/yaml-worker.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface DecodedBody {
  readonly object: JsonObject;
  readonly warnings: readonly string[];
  /** True: decoding took a while. */
  readonly isLarge?: boolean;
}

const BODY_BYTES_MAX = 3 * 1024 * 1024;
const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';
export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';
const ACCEPTED = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE];

/** The request with its whole body. `onBytes` is called for each chunk, and may throw. */
export async function readWhole(
  request: ApiRequest,
  onBytes: (bytes: number) => void,
): Promise<ApiRequest> {
  const { method, url, headers } = request;
  const bytes = await readBytes(request, onBytes);
  return { method, url, headers, body: piecesOf(bytes) };
}

// oxlint-disable-next-line typescript/require-await -- the body of a request is asynchronous by type
async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export async function readBytes(
  request: ApiRequest,
  onBytes?: (bytes: number) => void,
): Promise<Uint8Array> {
  const length = Number(request.headers.get('content-length') ?? 0);
  if (length > BODY_BYTES_MAX) throw tooLarge(BODY_BYTES_MAX);
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > BODY_BYTES_MAX) throw tooLarge(BODY_BYTES_MAX);
    onBytes?.(chunk.byteLength);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Without parameters, in lower case. JSON by default. */
export function contentTypeOf(request: ApiRequest): string {
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';');
  return type.trim().toLowerCase() || JSON_TYPE;
}

interface RawBody {
  readonly value: JsonObject;
  readonly duplicates: readonly string[];
  readonly isLarge: boolean;
}

/** Decodes the object of a create or update. */
export async function readRequestObject(
  request: ApiRequest,
  definition: KindDefinition,
  validation: FieldValidation,
  turn: Turn,
): Promise<DecodedBody> {
  const contentType = contentTypeOf(request);
  if (isCustomKind(definition) && contentType === PROTOBUF_TYPE) {
    // A custom kind has only a JSON schema, which has no field numbers for protobuf.
    throw unsupportedMediaType([JSON_TYPE, YAML_TYPE]);
  }
  const raw = await readRequest(request, contentType, definition.kind, turn);
  checkKind(raw.value, definition);
  if (raw.isLarge) await turn();
  return { ...hold(raw, definition, validation), isLarge: raw.isLarge };
}

/** Decodes delete options: the same three formats, or an empty body. */
export async function readOptions(request: ApiRequest, turn: Turn): Promise<JsonObject> {
  const object = request.inProcess?.object;
  if (isJsonObject(object)) return object;
  const bytes = await readBytes(request);
  if (bytes.byteLength === 0) return {};
  const { value } = await readRaw(bytes, contentTypeOf(request), 'DeleteOptions', turn);
  return value;
}

async function readRequest(
  request: ApiRequest,
  contentType: string,
  kind: string,
  turn: Turn,
): Promise<RawBody> {
  const object = request.inProcess?.object;
  if (isJsonObject(object)) return { value: object, duplicates: [], isLarge: false };
  return readRaw(await readBytes(request), contentType, kind, turn);
}

/**
 * Decodes an object that did not come from a body, such as the result of a patch. `known`: the object from
 * which it was made, which was decoded before.
 */
export function hold(
  {
    value,
    duplicates = [],
  }: { readonly value: JsonObject; readonly duplicates?: readonly string[] },
  definition: KindDefinition,
  validation: FieldValidation,
  known?: JsonObject,
): DecodedBody {
  const { kind, version } = definition;
  checkParts(value);
  try {
    const { object, unknown } = readShape(value, definition, known);
    const strangers = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
    const repeated = duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`);
    const isCustom = isCustomKind(definition);
    const problems = isCustom ? [...repeated, ...strangers] : [...strangers, ...repeated];
    if (validation === 'Strict' && problems.length > 0) {
      throw badRequest(
        `${kind} in version "${version}" cannot be handled as a ${kind}: ` +
          `strict decoding error: ${problems.join(', ')}`,
      );
    }
    return { object, warnings: validation === 'Warn' ? problems : [] };
  } catch (error) {
    if (!(error instanceof WrongType)) throw error;
    throw badRequest(
      `${kind} in version "${version}" cannot be handled as a ${kind}: ${error.message}`,
    );
  }
}

function readShape(value: JsonObject, definition: KindDefinition, known?: JsonObject): TypedObject {
  if (isCustomKind(definition)) return readCustomObject(value, definition);
  return definition.type
    ? readTyped(value, definition.type, known)
    : { object: value, unknown: [] };
}

/** Larger bodies take milliseconds to decode, so other requests get their turn between the steps. */
export const LARGE_BYTES = 64 * 1024;

async function readRaw(
  bytes: Uint8Array,
  contentType: string,
  kind: string,
  turn: Turn,
): Promise<RawBody> {
  const isLarge = bytes.byteLength > LARGE_BYTES;
  if (contentType === PROTOBUF_TYPE) {
    return { value: readProtobuf(bytes, kind), duplicates: [], isLarge };
  }
  if (contentType !== JSON_TYPE && contentType !== YAML_TYPE) throw unsupportedMediaType(ACCEPTED);
  const text = new TextDecoder().decode(bytes);
  if (isLarge) await turn();
  const { value, duplicates } = await readText(text, contentType, kind);
  if (isJsonObject(value)) return { value, duplicates, isLarge };
  const found = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  throw unrecognized(kind, `json: cannot unmarshal ${found} into Go value of type ${NAMED}`, text);
}

/** Go's names of the two fields that it checks first. */
const NAMED =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; ' +
  'Kind string "json:\\"kind,omitempty\\"" }';

async function readText(text: string, contentType: string, kind: string): Promise<ReadJson> {
  try {
    if (contentType === YAML_TYPE) return { value: await readYaml(text), duplicates: [] };
    checkTextParts(text);
    return readJson(text);
  } catch (error) {
    if (error instanceof SyntaxError && contentType === JSON_TYPE) {
      throw unrecognized(kind, describeJsonFault(text), text);
    }
    if (error instanceof StatusError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw unrecognized(kind, why, text);
  }
}

async function readYaml(text: string): Promise<Json> {
  const json = await readYamlAsJson(text);
  checkTextParts(json);
  // An empty document counts as an object without fields.
  return parseJson(json) ?? {};
}

function unrecognized(kind: string, why: string, text: string): StatusError {
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ` +
      `couldn't get version/kind; json parse error: ${why} (${summarize(text)})`,
  );
}

const SHOWN_MAX = 30;

/** The beginning of a body: as text if it looks like JSON, otherwise in hexadecimal. */
function summarize(text: string): string {
  if (text === '') return '<empty>';
  const bytes = Buffer.from(text);
  const shown = bytes.subarray(0, SHOWN_MAX).toString(text.startsWith('{') ? 'utf8' : 'hex');
  return bytes.byteLength > SHOWN_MAX ? `${shown} ...` : shown;
}

function readProtobuf(bytes: Uint8Array, kind: string): JsonObject {
  try {
    const { object } = decodeProtobuf(bytes);
    if (isValueTooDeep(object)) throw new NestingError();
    return object;
  } catch (error) {
    if (!(error instanceof PodkeepError) && !(error instanceof NestingError)) throw error;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): ${error.message}`,
    );
  }
}

/** apiVersion and kind of the body, if set, must match the path. */
function checkKind(value: JsonObject, { group, version, kind }: KindDefinition): void {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const { apiVersion: requestedVersion, kind: requestedKind } = value;
  const isSameKind = requestedKind === undefined || requestedKind === '' || requestedKind === kind;
  const isSameVersion =
    requestedVersion === undefined || requestedVersion === '' || requestedVersion === apiVersion;
  if (isSameKind && isSameVersion) return;
  throw badRequest(
    `${textOf(requestedKind)} in version "${textOf(requestedVersion)}" cannot be handled as a ${kind}: ` +
      `expected ${kind} in version "${apiVersion}"`,
  );
}
