/** Parses and validates the options of a request from its query: list, write and delete options. */
import { parseLabelSelector } from '../../api/values/label-selector-text.ts';
import { parseFieldSelector, type FieldSelector } from '../../api/values/field-selector.ts';
import type { LabelSelector } from '../../api/values/label-selector.ts';
import { PodkeepError } from '../../lib/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { jsonInteger } from '../../lib/json-text/exact-json.ts';
import type { FieldValidation } from './body.ts';
import type { FieldError } from '../../api/validation/field-error.ts';
import { badRequest, invalid, StatusError } from '../objects/status.ts';
import { readNumber } from '../../api/validation/json-reading.ts';
import { managerErrors } from './field-manager-name.ts';

export interface ListOptions {
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  readonly limit: number | null;
  readonly continue: string | null;
  /** Null: not set, which differs from 0 ("any"). */
  readonly resourceVersion: number | null;
  readonly resourceVersionMatch: 'Exact' | 'NotOlderThan' | null;
  readonly allowBookmarks: boolean;
  readonly sendInitialEvents: boolean | null;
  readonly timeoutSeconds: number | null;
}

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  /** Empty: derived from the User-Agent. */
  readonly fieldManager: string;
  /** True: an apply takes over fields of other managers. */
  readonly force: boolean;
}

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds: number | null;
  readonly propagation: 'Foreground' | 'Background' | 'Orphan' | null;
  readonly uid: string | null;
  readonly resourceVersion: string | null;
  /** True: the object is deleted even if it cannot be decrypted. Absent: it is not. */
  readonly ignoresReadError?: boolean;
}

export function readListOptions(query: URLSearchParams, isWatch = false): ListOptions {
  checkListOptions(query, isWatch);
  const options: ListOptions = {
    labels: readSelector(() => parseLabelSelector(query.get('labelSelector') ?? '')),
    fields: readSelector(() => parseFieldSelector(query.get('fieldSelector') ?? '')),
    limit: positive(integer(query, 'limit')),
    continue: query.get('continue') || null,
    resourceVersion: isWatch
      ? readExactVersion(query.get('resourceVersion'))
      : readVersion(query.get('resourceVersion')),
    resourceVersionMatch: readMatch(query.get('resourceVersionMatch')),
    allowBookmarks: isTrue(query.get('allowWatchBookmarks')),
    sendInitialEvents: query.has('sendInitialEvents')
      ? isTrue(query.get('sendInitialEvents'))
      : null,
    timeoutSeconds: positive(integer(query, 'timeoutSeconds')),
  };
  if (!isWatch && options.continue !== null && (options.resourceVersion ?? 0) > 0) {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  return options;
}

function checkListOptions(query: URLSearchParams, isWatch: boolean): void {
  const errors = [...(isWatch ? watchErrors(query) : listErrors(query))];
  if (errors.length > 0) throw invalid(optionsKind('ListOptions'), '', errors);
}

/** `isApply`: absent: the request is not a patch. */
export function readWriteOptions(
  query: URLSearchParams,
  kind: string,
  isApply?: boolean,
): WriteOptions {
  const { dryRun, errors: dryRunErrors } = readDryRun(query.getAll('dryRun'));
  const fieldManager = query.get('fieldManager') ?? '';
  const errors = [...managerErrors(fieldManager)];
  if (isApply && fieldManager === '') {
    errors.push({ type: 'Required', field: 'fieldManager', detail: 'is required for apply patch' });
  } else if (isApply === false && query.has('force')) {
    const detail = 'may not be specified for non-apply patch';
    errors.push({ type: 'Forbidden', field: 'force', detail });
  }
  errors.push(...dryRunErrors);
  const validation = query.get('fieldValidation') ?? '';
  const known = ['', 'Ignore', 'Strict', 'Warn'];
  if (!known.includes(validation)) {
    errors.push({
      type: 'NotSupported',
      field: 'fieldValidation',
      value: validation,
      detail: `supported values: ${known.map((word) => JSON.stringify(word)).join(', ')}`,
    });
  }
  if (errors.length > 0) throw invalid(optionsKind(kind), '', errors);
  const fieldValidation = validation === '' ? 'Warn' : toValidation(validation);
  return { dryRun, fieldValidation, fieldManager, force: isTrue(query.get('force')) };
}

/** From the body, or from the query if there is no body. */
export function readDeleteOptions(query: URLSearchParams, body: JsonObject): DeleteOptions {
  const given: JsonObject = Object.keys(body).length > 0 ? body : fromQuery(query);
  checkDeleteTypes(given);
  const { gracePeriodSeconds, propagationPolicy, preconditions } = given;
  const dry = given['dryRun'] ?? query.getAll('dryRun');
  const { dryRun, errors } = readDryRun(Array.isArray(dry) ? dry.map(String) : []);
  const policies = ['Foreground', 'Background', 'Orphan'];
  const isKnown = typeof propagationPolicy === 'string' && policies.includes(propagationPolicy);
  if (propagationPolicy !== undefined && !isKnown) {
    errors.push({
      type: 'NotSupported',
      field: 'propagationPolicy',
      value: propagationPolicy,
      detail: 'supported values: "Foreground", "Background", "Orphan", "nil"',
    });
  }
  if (propagationPolicy !== undefined && typeof given['orphanDependents'] === 'boolean') {
    errors.push({
      type: 'Invalid',
      field: 'propagationPolicy',
      value: propagationPolicy,
      detail: 'orphanDependents and deletionPropagation cannot be both set',
    });
  }
  if (errors.length > 0) throw invalid(optionsKind('DeleteOptions'), '', errors);
  const { uid, resourceVersion } = isJsonObject(preconditions) ? preconditions : {};
  const hasNumber = ['number', 'bigint'].includes(typeof gracePeriodSeconds);
  return {
    dryRun,
    gracePeriodSeconds: hasNumber ? readNumber(gracePeriodSeconds) : null,
    propagation: readPropagation(propagationPolicy ?? oldPolicyOf(given)),
    uid: typeof uid === 'string' ? uid : null,
    resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : null,
    ...(given[IGNORE_READ_ERROR] === true && { ignoresReadError: true }),
  };
}

/** Refuses the types that Go's decoder refuses. Unknown fields are ignored. */
function checkDeleteTypes(given: JsonObject): void {
  const { kind, apiVersion } = given;
  checkType('.apiVersion', apiVersion, TEXT);
  checkType('.kind', kind, TEXT);
  if (typeof kind === 'string' && kind !== '' && kind !== 'DeleteOptions') {
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion ?? '')}`,
    );
  }
  for (const [field, types] of Object.entries(DELETE_TYPES)) {
    checkType(`DeleteOptions.${field}`, given[field], types);
  }
}

type FieldType = readonly [type: string, goType: string];

function checkType(field: string, value: Json | undefined, [type, goType]: FieldType): void {
  if (value === undefined || value === null) return;
  const found = typeOf(value);
  if (found === type) return;
  throw badRequest(
    `json: cannot unmarshal ${found} into Go struct field ${field} of type ${goType}`,
  );
}

function typeOf(value: Json): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

const TEXT: FieldType = ['string', 'string'];

const DELETE_TYPES: Readonly<Record<string, FieldType>> = {
  gracePeriodSeconds: ['number', 'int64'],
  propagationPolicy: ['string', 'v1.DeletionPropagation'],
  orphanDependents: ['boolean', 'bool'],
};

const IGNORE_READ_ERROR = 'ignoreStoreReadErrorWithClusterBreakingPotential';

/** The deprecated option orphanDependents, which propagation policies replaced. */
function oldPolicyOf({ orphanDependents }: JsonObject): string | undefined {
  if (typeof orphanDependents !== 'boolean') return undefined;
  return orphanDependents ? 'Orphan' : 'Background';
}

function readPropagation(policy: unknown): DeleteOptions['propagation'] {
  return policy === 'Foreground' || policy === 'Background' || policy === 'Orphan' ? policy : null;
}

const MATCH = 'resourceVersionMatch';

function* listErrors(query: URLSearchParams): Generator<FieldError> {
  const match = query.get(MATCH) ?? '';
  const version = query.get('resourceVersion') ?? '';
  if (match !== '') {
    if (version === '') {
      yield forbidden(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`);
    }
    if (query.get('continue')) yield forbiddenWithContinue();
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      yield unsupportedMatch(match, ['Exact', 'NotOlderThan', '']);
    }
    if (match === 'Exact' && version === '0') {
      yield forbidden(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`);
    }
  }
  if (query.has('sendInitialEvents')) {
    yield forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list');
  }
}

function* watchErrors(query: URLSearchParams): Generator<FieldError> {
  const match = query.get(MATCH) ?? '';
  const hasInitialEvents = query.has('sendInitialEvents');
  if (hasInitialEvents && match !== 'NotOlderThan') {
    yield forbidden(MATCH, `sendInitialEvents requires setting ${MATCH} to NotOlderThan`);
  }
  if (match === '') return;
  if (!hasInitialEvents) {
    yield forbidden(MATCH, `${MATCH} is forbidden for watch unless sendInitialEvents is provided`);
  }
  if (match !== 'NotOlderThan') yield unsupportedMatch(match, ['NotOlderThan']);
  if (query.get('continue')) yield forbiddenWithContinue();
}

function forbidden(field: string, detail: string): FieldError {
  return { type: 'Forbidden', field, detail };
}

function forbiddenWithContinue(): FieldError {
  return forbidden(MATCH, `${MATCH} is forbidden when continue is provided`);
}

function unsupportedMatch(value: string, supported: readonly string[]): FieldError {
  const detail = `supported values: ${supported.map((word) => JSON.stringify(word)).join(', ')}`;
  return { type: 'NotSupported', field: MATCH, value, detail };
}

function readDryRun(values: readonly string[]): { dryRun: boolean; errors: FieldError[] } {
  const isKnown = values.every((value) => value === 'All');
  return {
    dryRun: values.length > 0,
    errors: isKnown
      ? []
      : [
          {
            type: 'NotSupported',
            field: 'dryRun',
            value: values,
            detail: 'supported values: "All"',
          },
        ],
  };
}

function readSelector<Selector>(parse: () => Selector): Selector {
  try {
    return parse();
  } catch (error) {
    if (error instanceof PodkeepError) throw badRequest(sentenceOf(error));
    throw error;
  }
}

/** Kubernetes' own message, which follows the name of the selector. */
function sentenceOf({ message }: PodkeepError): string {
  const marker = ' is not valid: ';
  const at = message.indexOf(marker);
  return at < 0 ? message : message.slice(at + marker.length);
}

function readVersion(text: string | null): number | null {
  const fault = faultOfVersion(text);
  if (fault !== undefined) throw badRequest(`invalid resource version: ${fault}`);
  return text === null || text === '' ? null : Number(text);
}

/**
 * The resourceVersion of a GET or a watch. For an invalid one kube-apiserver returns a 500. Null: not set.
 */
export function readExactVersion(text: string | null): number | null {
  const fault = faultOfVersion(text);
  if (fault !== undefined) throw new StatusError(500, '', fault);
  return text === null || text === '' ? null : Number(text);
}

function faultOfVersion(text: string | null): string | undefined {
  if (text === null || /^\d*$/.test(text)) return undefined;
  const shown = JSON.stringify(text);
  return `resourceVersion: Invalid value: ${shown}: strconv.ParseUint: parsing ${shown}: invalid syntax`;
}

function readMatch(text: string | null): ListOptions['resourceVersionMatch'] {
  return text === 'Exact' || text === 'NotOlderThan' ? text : null;
}

function fromQuery(query: URLSearchParams): JsonObject {
  const grace = integer(query, 'gracePeriodSeconds');
  const policy = query.get('propagationPolicy');
  return {
    ...(grace !== null && { gracePeriodSeconds: grace }),
    ...(policy !== null && { propagationPolicy: policy }),
    ...(query.has('orphanDependents') && {
      orphanDependents: isTrue(query.get('orphanDependents')),
    }),
    ...(isTrue(query.get(IGNORE_READ_ERROR)) && { [IGNORE_READ_ERROR]: true }),
  };
}

function integer(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null) return null;
  const fault = faultOfInteger(text);
  if (fault === undefined) return readNumber(jsonInteger(BigInt(text)));
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${fault}`);
}

/** Why Go would not parse the text as a 64-bit integer. */
function faultOfInteger(text: string): string | undefined {
  if (!/^[+-]?\d+$/.test(text)) return 'invalid syntax';
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value ? undefined : 'value out of range';
}

function positive(value: number | null): number | null {
  return value !== null && value > 0 ? value : null;
}

/** Any value except an explicit no counts as true. */
function isTrue(text: string | null): boolean {
  return text !== null && text !== '0' && text.toLowerCase() !== 'false';
}

function toValidation(text: string): FieldValidation {
  return text === 'Ignore' || text === 'Strict' ? text : 'Warn';
}

function optionsKind(kind: string) {
  return { group: 'meta.k8s.io', kind };
}
