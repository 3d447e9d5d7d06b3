/**
 * Builds the API server's errors as metav1.Status.
 *
 * Clients branch on code and reason and show the message, so all three are kube-apiserver's.
 */
import type { JsonObject, Json } from '../../lib/json.ts';
import type { Attributes } from './access.ts';
import {
  fieldErrorMessage,
  fieldErrorReason,
  type FieldError,
} from '../../api/validation/field-error.ts';

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly JsonObject[];
  readonly retryAfterSeconds?: number;
}

/** The plural of a kind with its group, as in `deployments.apps`. */
export interface ResourceName {
  readonly group: string;
  readonly resource: string;
}

/** A kind with its group, as in `Deployment.apps`. */
export interface KindName {
  readonly group: string;
  readonly kind: string;
}

export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  /** Undefined: the error has no continue token. */
  readonly continue: string | undefined;

  constructor(
    code: number,
    reason: string,
    message: string,
    details?: StatusDetails,
    token?: string,
  ) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
    this.continue = token;
  }

  toStatus(): JsonObject {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.continue === undefined ? {} : { continue: this.continue },
      status: 'Failure',
      message: this.message,
      ...(this.reason !== '' && { reason: this.reason }),
      ...(this.details && { details: withoutUndefined(this.details) }),
      code: this.code,
    };
  }
}

export function successStatus(details?: StatusDetails): JsonObject {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    ...(details && { details: withoutUndefined(details) }),
  };
}

export function notFound(resource: ResourceName, name: string): StatusError {
  const message = `${printName(resource)} "${name}" not found`;
  return new StatusError(404, 'NotFound', message, detailsOf(resource, name));
}

export function alreadyExists(resource: ResourceName, name: string): StatusError {
  const message = `${printName(resource)} "${name}" already exists`;
  return new StatusError(409, 'AlreadyExists', message, detailsOf(resource, name));
}

export function conflict(resource: ResourceName, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${printName(resource)} "${name}": ${why}`;
  return new StatusError(409, 'Conflict', message, detailsOf(resource, name));
}

export const MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

export function forbidden(
  resource: ResourceName,
  name: string,
  why: string,
  causes?: readonly JsonObject[],
): StatusError {
  const what = name === '' ? printName(resource) : `${printName(resource)} "${name}"`;
  const message = `${what} is forbidden: ${why}`;
  const details = { ...detailsOf(resource, name), ...(causes && { causes }) };
  return new StatusError(403, 'Forbidden', message, details);
}

/** 403. `reason`: the authorizer's reason, if it gave one. */
export function accessDenied(user: string, wanted: Attributes, reason: string): StatusError {
  const why = reason === '' ? '' : `: ${reason}`;
  const who = `User ${quote(user)} cannot ${wanted.verb}`;
  if ('path' in wanted) {
    const message = `forbidden: ${who} path ${quote(wanted.path)}${why}`;
    return new StatusError(403, 'Forbidden', message, {});
  }
  const { group, resource, subresource, namespace, name } = wanted;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${quote(namespace)}`;
  return forbidden(
    { group, resource },
    name,
    `${who} resource ${quote(what)} in API group ${quote(group)} ${where}${why}`,
  );
}

/** Escapes markup characters, because a browser may show the message. */
function quote(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return JSON.stringify(escaped);
}

/**
 * An object can have as many errors as fields, each with a long value; this limits the size of the response.
 */
const ERRORS_MAX = 256;
const ERROR_CHARS_MAX = 128 * 1024;

function namedErrors(errors: readonly FieldError[]): readonly FieldError[] {
  let chars = 0;
  const named = errors.slice(0, ERRORS_MAX);
  const end = named.findIndex((error) => {
    chars += error.field.length + fieldErrorMessage(error).length;
    return chars > ERROR_CHARS_MAX;
  });
  return end < 0 ? named : named.slice(0, Math.max(end, 1));
}

/** All errors of an object at once (422). */
export function invalid(
  { group, kind }: KindName,
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const what = group === '' ? kind : `${kind}.${group}`;
  const named = namedErrors(errors);
  // The message has each sentence once, but every cause is listed.
  const sentences = [
    ...new Set(named.map((error) => `${error.field}: ${fieldErrorMessage(error)}`)),
  ];
  const left = errors.length - named.length;
  if (left > 0) sentences.push(`and ${left} more errors`);
  const joined = sentences.length === 1 ? sentences[0] : `[${sentences.join(', ')}]`;
  const causes = named.map((error) => ({
    reason: fieldErrorReason(error),
    message: fieldErrorMessage(error),
    field: error.field,
  }));
  return new StatusError(422, 'Invalid', `${what} "${name}" is invalid: ${joined}`, {
    ...(name !== '' && { name }),
    ...(group !== '' && { group }),
    ...(kind !== '' && { kind }),
    causes,
  });
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

export function methodNotAllowed(): StatusError {
  const message = 'the server does not allow this method on the requested resource';
  return new StatusError(405, 'MethodNotAllowed', message, {});
}

/** A verb that the kind does not have, refused by a handler and not by the router. */
export function methodNotSupported(name: ResourceName, verb: string): StatusError {
  const message = `${verb} is not supported on resources of kind "${printName(name)}"`;
  return new StatusError(405, 'MethodNotAllowed', message, detailsOf(name, ''));
}

export function resourceUnknown(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function notAcceptable(accepted: readonly string[]): StatusError {
  const message = `only the following media types are accepted: ${accepted.join(', ')}`;
  return new StatusError(406, 'NotAcceptable', message);
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const message =
    'the body of the request was in an unknown format - accepted media types include: ' +
    accepted.join(', ');
  return new StatusError(415, 'UnsupportedMediaType', message);
}

/** A patch of an unknown type. */
export function patchTypeUnknown(message = '415: Unsupported Media Type'): StatusError {
  return new StatusError(415, 'UnsupportedMediaType', message, {});
}

/** A JSON patch that cannot be applied: the API gives no more details. */
export function patchRejected(): StatusError {
  const message = 'the server rejected our request due to an error in our request';
  return new StatusError(422, 'Invalid', message, {});
}

export function tooLarge(limitBytes: number): StatusError {
  const message = `Request entity too large: limit is ${limitBytes}`;
  return new StatusError(413, 'RequestEntityTooLarge', message);
}

/** The requested history is gone (410). */
/**
 * 410: the requested history is no longer available. `token`: a continue token with which the client may go
 * on nevertheless.
 */
export function expired(message: string, token?: string): StatusError {
  return new StatusError(410, 'Expired', message, undefined, token);
}

/** The client may retry after this many seconds. */
export function tooManyRequests(
  message: string,
  retryAfterSeconds: number,
  causes: readonly JsonObject[],
): StatusError {
  const details = {
    ...(causes.length > 0 && { causes }),
    ...(retryAfterSeconds > 0 && { retryAfterSeconds }),
  };
  return new StatusError(429, 'TooManyRequests', message, details);
}

/** An error to which kube-apiserver gives no reason. */
export function unexpected(message: string): StatusError {
  return new StatusError(500, '', message);
}

export function internalError(message: string): StatusError {
  return new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, {
    causes: [{ message }],
  });
}

function printName({ group, resource }: ResourceName): string {
  return group === '' ? resource : `${resource}.${group}`;
}

function detailsOf({ group, resource }: ResourceName, name: string): StatusDetails {
  return { ...(name !== '' && { name }), ...(group !== '' && { group }), kind: resource };
}

function withoutUndefined(details: StatusDetails): JsonObject {
  const entries: (readonly [string, Json | undefined])[] = Object.entries(details);
  return Object.fromEntries(
    entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

/** A 500 to which kube-apiserver gives no reason. */
export function internalFailure(message: string): StatusError {
  return new StatusError(500, '', message);
}
