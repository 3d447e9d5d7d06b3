/** What the query of a request asks for, checked: list, write and delete options. */
import { parseLabelSelector } from '../api/label-selector-text.ts';
import { parseFieldSelector, type FieldSelector } from '../api/field-selector.ts';
import type { LabelSelector } from '../api/label-selector.ts';
import { PodkeepError } from '../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import type { FieldValidation } from './decode/body.ts';
import type { FieldError } from './field-error.ts';
import { badRequest, invalid } from './status.ts';

export interface ListOptions {
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  readonly limit: number | null;
  readonly continue: string | null;
  /** Null: not said, which is not the same as 0 ("any"). */
  readonly resourceVersion: number | null;
  readonly resourceVersionMatch: 'Exact' | 'NotOlderThan' | null;
  readonly watch: boolean;
  readonly allowBookmarks: boolean;
  readonly sendInitialEvents: boolean | null;
  readonly timeoutSeconds: number | null;
}

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
}

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds: number | null;
  readonly propagation: 'Foreground' | 'Background' | 'Orphan' | null;
  readonly uid: string | null;
  readonly resourceVersion: string | null;
}

export function readListOptions(query: URLSearchParams): ListOptions {
  const options: ListOptions = {
    labels: readSelector(() => parseLabelSelector(query.get('labelSelector') ?? '')),
    fields: readSelector(() => parseFieldSelector(query.get('fieldSelector') ?? '')),
    limit: positive(integer(query, 'limit')),
    continue: query.get('continue') || null,
    resourceVersion: readVersion(query.get('resourceVersion')),
    resourceVersionMatch: readMatch(query.get('resourceVersionMatch')),
    watch: isTrue(query.get('watch')),
    allowBookmarks: isTrue(query.get('allowWatchBookmarks')),
    sendInitialEvents: query.has('sendInitialEvents')
      ? isTrue(query.get('sendInitialEvents'))
      : null,
    timeoutSeconds: positive(integer(query, 'timeoutSeconds')),
  };
  const errors = [...listErrors(options)];
  if (errors.length > 0) throw invalid(optionsKind('ListOptions'), '', errors);
  return options;
}

export function readWriteOptions(query: URLSearchParams, kind: string): WriteOptions {
  const { dryRun, errors } = readDryRun(query.getAll('dryRun'));
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
  return { dryRun, fieldValidation: validation === '' ? 'Warn' : toValidation(validation) };
}

/** From the body, or from the query where there is no body. */
export function readDeleteOptions(query: URLSearchParams, body: JsonObject): DeleteOptions {
  const said: JsonObject = Object.keys(body).length > 0 ? body : fromQuery(query);
  const { gracePeriodSeconds, propagationPolicy, preconditions } = said;
  const dry = said['dryRun'] ?? query.getAll('dryRun');
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
  if (propagationPolicy !== undefined && typeof said['orphanDependents'] === 'boolean') {
    errors.push({
      type: 'Invalid',
      field: 'propagationPolicy',
      value: propagationPolicy,
      detail: 'orphanDependents and deletionPropagation cannot be both set',
    });
  }
  if (errors.length > 0) throw invalid(optionsKind('DeleteOptions'), '', errors);
  const { uid, resourceVersion } = isJsonObject(preconditions) ? preconditions : {};
  return {
    dryRun,
    gracePeriodSeconds: typeof gracePeriodSeconds === 'number' ? gracePeriodSeconds : null,
    propagation: readPropagation(propagationPolicy ?? oldPolicyOf(said)),
    uid: typeof uid === 'string' ? uid : null,
    resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : null,
  };
}

/** What clients said before there were policies. */
function oldPolicyOf({ orphanDependents }: JsonObject): string | undefined {
  if (typeof orphanDependents !== 'boolean') return undefined;
  return orphanDependents ? 'Orphan' : 'Background';
}

function readPropagation(policy: unknown): DeleteOptions['propagation'] {
  return policy === 'Foreground' || policy === 'Background' || policy === 'Orphan' ? policy : null;
}

function* listErrors(options: ListOptions): Generator<FieldError> {
  const { resourceVersionMatch, resourceVersion, sendInitialEvents, watch } = options;
  const forbidden = (field: string, detail: string): FieldError => ({
    type: 'Forbidden',
    field,
    detail,
  });
  if (sendInitialEvents !== null && resourceVersionMatch !== 'NotOlderThan') {
    yield forbidden(
      'resourceVersionMatch',
      'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    );
  } else if (resourceVersionMatch !== null && resourceVersion === null && !watch) {
    yield forbidden(
      'resourceVersionMatch',
      'resourceVersionMatch is forbidden unless resourceVersion is provided',
    );
  }
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

/** Kubernetes' own words stand behind the name of the selector. */
function sentenceOf({ message }: PodkeepError): string {
  const marker = ' is not valid: ';
  const at = message.indexOf(marker);
  return at < 0 ? message : message.slice(at + marker.length);
}

function readVersion(text: string | null): number | null {
  if (text === null || text === '') return null;
  if (!/^\d+$/.test(text)) {
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: ` +
        `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  }
  return Number(text);
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
  };
}

function integer(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null) return null;
  const fault = faultOfInteger(text);
  if (fault === undefined) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${fault}`);
}

/** Why Go would not read it as an integer of 64 bits. */
function faultOfInteger(text: string): string | undefined {
  if (!/^[+-]?\d+$/.test(text)) return 'invalid syntax';
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value ? undefined : 'value out of range';
}

function positive(value: number | null): number | null {
  return value !== null && value > 0 ? value : null;
}

/** Whatever is said means yes, unless it is a no. */
function isTrue(text: string | null): boolean {
  return text !== null && text !== '0' && text.toLowerCase() !== 'false';
}

function toValidation(text: string): FieldValidation {
  return text === 'Ignore' || text === 'Strict' ? text : 'Warn';
}

function optionsKind(kind: string) {
  return { group: 'meta.k8s.io', kind };
}
