/** Validates names of drivers, pools, device classes, attributes, and references to requests. */
import { checkDns1123Subdomain } from '../../../api/validation-names.ts';
import {
  invalidField,
  invalidFor,
  required,
  tooLong,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { validateDnsLabel, validateDnsSubdomain } from '../../../api/validation/names.ts';

const DRIVER_BYTES_MAX = 63;
const POOL_BYTES_MAX = 253;
const IDENTIFIER_BYTES_MAX = 32;
const IDENTIFIER_FORM = '[A-Za-z_][A-Za-z0-9_]*';
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A driver name is a domain name, in upper or lower case. */
export function* validateDriverName(name: string, field: string): FieldErrors {
  if (name === '') {
    yield required(field);
    return;
  }
  if (Buffer.byteLength(name) > DRIVER_BYTES_MAX) yield tooLong(field, DRIVER_BYTES_MAX);
  yield* invalidFor(field, name, checkDns1123Subdomain(name.toLowerCase()));
}

/** Domain names separated by slashes. */
export function* validatePoolName(name: string, field: string): FieldErrors {
  if (name === '') {
    yield required(field);
    return;
  }
  if (Buffer.byteLength(name) > POOL_BYTES_MAX) yield tooLong(field, POOL_BYTES_MAX);
  for (const part of name.split('/')) yield* validateDnsSubdomain(part, field);
}

export function* validateClassName(name: string, field: string): FieldErrors {
  if (name === '') yield required(field);
  else yield* validateDnsSubdomain(name, field);
}

/** The name of an attribute or a capacity: an identifier, optionally with the domain that defines it. */
export function* validateAttributeName(name: string, field: string): FieldErrors {
  const [first = '', second, ...more] = name.split('/');
  // The API accepts names with more slashes.
  if (more.length > 0) return;
  if (second === undefined) {
    yield* validateIdentifier(first, field);
    return;
  }
  if (first === '') yield invalidField(field, '', 'the domain must not be empty');
  else yield* validateDriverName(first, field);
  if (second === '') yield invalidField(field, '', 'the name must not be empty');
  else yield* validateIdentifier(second, field);
}

export function* validateFullAttributeName(name: string, field: string): FieldErrors {
  yield* validateAttributeName(name, field);
  if (name.includes('/')) return;
  yield invalidField(
    field,
    name,
    'a fully qualified name must be a domain and a name separated by a slash',
  );
}

/** The names of a claim's requests, each with the names of its alternatives. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

/** `request` or `request/alternative`. */
export function* validateRequestReference(
  name: string,
  field: string,
  known: RequestNames,
): FieldErrors {
  const detail =
    'must be the name of a request in the claim or the name of a request and a subrequest ' +
    "separated by '/'";
  const [request = '', alternative, ...more] = name.split('/');
  if (more.length > 0) {
    yield invalidField(field, name, detail);
    return;
  }
  yield* validateDnsLabel(request, field);
  if (alternative !== undefined) yield* validateDnsLabel(alternative, field);
  const alternatives = known.get(request);
  const isKnown = alternatives && (alternative === undefined || alternatives.has(alternative));
  if (!isKnown) yield invalidField(field, name, detail);
}

function* validateIdentifier(name: string, field: string): FieldErrors {
  if (Buffer.byteLength(name) > IDENTIFIER_BYTES_MAX) yield tooLong(field, IDENTIFIER_BYTES_MAX);
  if (IDENTIFIER.test(name)) return;
  yield invalidField(
    field,
    name,
    "a valid C identifier must start with alphabetic character or '_', followed by a string of " +
      "alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', " +
      `regex used for validation is '${IDENTIFIER_FORM}')`,
  );
}
