/** The names around devices: drivers, pools, classes, attributes, and references to requests. */
import { checkDns1123Subdomain } from '../../../api/validation-names.ts';
import {
  invalid,
  invalidFor,
  required,
  tooLong,
  type Complaints,
} from '../validation/complaint.ts';
import { validateDnsLabel, validateDnsSubdomain } from '../validation/names.ts';

const DRIVER_BYTES_MAX = 63;
const POOL_BYTES_MAX = 253;
const IDENTIFIER_BYTES_MAX = 32;
const IDENTIFIER_FORM = '[A-Za-z_][A-Za-z0-9_]*';
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A driver is called like a domain, in whatever case. */
export function* validateDriverName(name: string, field: string): Complaints {
  if (name === '') {
    yield required(field);
    return;
  }
  if (Buffer.byteLength(name) > DRIVER_BYTES_MAX) yield tooLong(field, DRIVER_BYTES_MAX);
  yield* invalidFor(field, name, checkDns1123Subdomain(name.toLowerCase()));
}

/** Domains with slashes between them. */
export function* validatePoolName(name: string, field: string): Complaints {
  if (name === '') {
    yield required(field);
    return;
  }
  if (Buffer.byteLength(name) > POOL_BYTES_MAX) yield tooLong(field, POOL_BYTES_MAX);
  for (const part of name.split('/')) yield* validateDnsSubdomain(part, field);
}

export function* validateClassName(name: string, field: string): Complaints {
  if (name === '') yield required(field);
  else yield* validateDnsSubdomain(name, field);
}

/** An attribute or a capacity: an identifier, with the domain of whoever defines it before it. */
export function* validateAttributeName(name: string, field: string): Complaints {
  const [first = '', second, ...more] = name.split('/');
  // The API lets names with more slashes pass.
  if (more.length > 0) return;
  if (second === undefined) {
    yield* validateIdentifier(first, field);
    return;
  }
  if (first === '') yield invalid(field, '', 'the domain must not be empty');
  else yield* validateDriverName(first, field);
  if (second === '') yield invalid(field, '', 'the name must not be empty');
  else yield* validateIdentifier(second, field);
}

export function* validateFullAttributeName(name: string, field: string): Complaints {
  yield* validateAttributeName(name, field);
  if (name.includes('/')) return;
  yield invalid(
    field,
    name,
    'a fully qualified name must be a domain and a name separated by a slash',
  );
}

/** The names of a claim's requests, each with those of its alternatives. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

/** `request`, or `request/alternative`. */
export function* validateRequestReference(
  name: string,
  field: string,
  known: RequestNames,
): Complaints {
  const detail =
    'must be the name of a request in the claim or the name of a request and a subrequest ' +
    "separated by '/'";
  const [request = '', alternative, ...more] = name.split('/');
  if (more.length > 0) {
    yield invalid(field, name, detail);
    return;
  }
  yield* validateDnsLabel(request, field);
  if (alternative !== undefined) yield* validateDnsLabel(alternative, field);
  const alternatives = known.get(request);
  const isKnown = alternatives && (alternative === undefined || alternatives.has(alternative));
  if (!isKnown) yield invalid(field, name, detail);
}

function* validateIdentifier(name: string, field: string): Complaints {
  if (Buffer.byteLength(name) > IDENTIFIER_BYTES_MAX) yield tooLong(field, IDENTIFIER_BYTES_MAX);
  if (IDENTIFIER.test(name)) return;
  yield invalid(
    field,
    name,
    "a valid C identifier must start with alphabetic character or '_', followed by a string of " +
      "alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', " +
      `regex used for validation is '${IDENTIFIER_FORM}')`,
  );
}
