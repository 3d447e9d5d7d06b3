/**
 * Checks an object that a conversion webhook returns, as kube-apiserver does: it must have the version that
 * was asked for, and the kind, name, namespace and UID of the original. Of its metadata only labels and
 * annotations are used.
 */
import { goType } from '../../../api/managed-fields/typed-value-error.ts';
import { fieldErrorMessage } from '../../../api/validation/field-error.ts';
import { validateAnnotations, validateLabels } from '../../../api/validation/labels.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { printExactJson } from '../../../lib/json-text/exact-json.ts';
import { readText } from '../../../api/validation/json-reading.ts';
import { isInflated } from '../../decode/object-limits.ts';
import { metadataOf } from '../../objects/metadata.ts';

/** Why a returned object is refused. */
export class ConvertedFault extends Error {
  /** What is wrong decides the sentence of the whole: `version` includes the kind. */
  readonly part: 'form' | 'version' | 'identity' | 'metadata';

  constructor(part: ConvertedFault['part'], message: string) {
    super(message);
    this.part = part;
  }
}

/** The object as it counts. Throws a ConvertedFault. */
export function checkConverted(
  original: JsonObject,
  returned: Json,
  apiVersion: string,
): JsonObject {
  if (!isJsonObject(returned) || readText(returned['kind']) === '') {
    throw new ConvertedFault('form', `Object 'Kind' is missing in '${printExactJson(returned)}'`);
  }
  if (isInflated(returned, original)) {
    throw new ConvertedFault('form', 'it is too large for a conversion of the original');
  }
  checkVersion(original, returned, apiVersion);
  checkIdentity(original, returned);
  return { ...returned, metadata: restoredMetadata(original, returned) };
}

function checkVersion(original: JsonObject, returned: JsonObject, apiVersion: string): void {
  const received = readText(returned['apiVersion']);
  if (received !== apiVersion) {
    const why = `invalid groupVersion (expected ${apiVersion}, received ${received})`;
    throw new ConvertedFault('version', why);
  }
  const [expected, kind] = [readText(original['kind']), readText(returned['kind'])];
  if (expected === kind) return;
  throw new ConvertedFault('version', `invalid kind (expected ${expected}, received ${kind})`);
}

function checkIdentity(original: JsonObject, returned: JsonObject): void {
  const [before, after] = [metadataOf(original), metadataOf(returned)];
  for (const [field, called] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const [wanted, found] = [readText(before[field]), readText(after[field])];
    if (wanted === found) continue;
    const why = `must have the same ${called}: ${wanted} != ${found}`;
    throw new ConvertedFault('identity', why);
  }
}

function restoredMetadata(original: JsonObject, returned: JsonObject): JsonObject {
  const { metadata } = returned;
  if (metadata === undefined) {
    throw new ConvertedFault('metadata', 'missing metadata in converted object');
  }
  if (!isJsonObject(metadata)) {
    const why = `invalid metadata of type ${typeName(metadata)} in converted object`;
    throw new ConvertedFault('metadata', why);
  }
  const { labels: _labels, annotations: _annotations, ...kept } = metadataOf(original);
  const before = metadataOf(original);
  return {
    ...kept,
    ...textsOf(before, metadata, 'labels'),
    ...textsOf(before, metadata, 'annotations'),
  };
}

/** The labels or annotations of the answer; those that differ from the original's are validated. */
function textsOf(
  before: JsonObject,
  after: JsonObject,
  field: 'labels' | 'annotations',
): JsonObject {
  const returned = after[field] ?? null;
  if (returned === null) return {};
  if (!isJsonObject(returned)) {
    const why = `invalid metadata.${field} of type ${typeName(returned)} in converted object`;
    throw new ConvertedFault('metadata', why);
  }
  for (const [key, value] of Object.entries(returned)) {
    if (typeof value === 'string') continue;
    const why = `must be a string, but is ${typeName(value)} in converted object`;
    throw new ConvertedFault('metadata', `metadata.${field}[${key}] ${why}`);
  }
  if (!isSame(before[field], returned)) checkTexts(returned, field);
  return { [field]: returned };
}

function isSame(before: Json | undefined, after: JsonObject): boolean {
  const known = isJsonObject(before) ? before : {};
  const keys = Object.keys(after);
  return (
    keys.length === Object.keys(known).length && keys.every((key) => known[key] === after[key])
  );
}

function checkTexts(texts: JsonObject, field: 'labels' | 'annotations'): void {
  const errors =
    field === 'labels'
      ? [...validateLabels(texts, 'metadata.labels')]
      : [...validateAnnotations(texts, 'metadata.annotation')];
  const sentences = errors.map((error) => `${error.field}: ${fieldErrorMessage(error)}`);
  const [first] = sentences;
  if (first === undefined) return;
  const message = sentences.length === 1 ? first : `[${sentences.join(', ')}]`;
  throw new ConvertedFault('metadata', message);
}

function typeName(value: Json): string {
  return value === null ? '<nil>' : goType(value);
}
