/**
 * Validates names of ports, environment variables, config keys, headers and the like.
 *
 * Each `check` returns the API server's error messages; an empty list means valid. (validation-names.ts has
 * the names of objects and labels.) Some regular expressions are simpler than those that the messages quote,
 * so that a long text cannot make the search slow.
 */
import { checkDns1123Label, checkDns1123Subdomain, checkLabelKey } from '../validation-names.ts';
import { invalidFor, type FieldErrors } from './field-errors.ts';

const PORT_NAME_LENGTH_MAX = 15;
const KEY_LENGTH_MAX = 253;
const PORT_MAX = 65_535;
const ID_MAX = 2 ** 31 - 1;

const UNDERSCORE_LABEL_FORM = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const UNDERSCORE_SUBDOMAIN_FORM = `${UNDERSCORE_LABEL_FORM}(\\.${UNDERSCORE_LABEL_FORM})*`;
const UNDERSCORE_LABEL = /^_?[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/;

export function* validateDnsLabel(value: string, field: string): FieldErrors {
  yield* invalidFor(field, value, checkDns1123Label(value));
}

export function* validateDnsSubdomain(value: string, field: string): FieldErrors {
  yield* invalidFor(field, value, checkDns1123Subdomain(value));
}

/** A name with an optional domain before a slash. */
export function* validateQualifiedName(value: string, field: string): FieldErrors {
  yield* invalidFor(field, value, checkLabelKey(value));
}

export function checkInRange(value: number, min: number, max: number): readonly string[] {
  return value >= min && value <= max ? [] : [`must be between ${min} and ${max}, inclusive`];
}

export function checkPortNumber(port: number): readonly string[] {
  return checkInRange(port, 1, PORT_MAX);
}

export function checkPortName(name: string): readonly string[] {
  const faults: readonly (readonly [boolean, string])[] = [
    [name.length > PORT_NAME_LENGTH_MAX, `must be no more than ${PORT_NAME_LENGTH_MAX} characters`],
    [
      !/^[-a-z0-9]+$/.test(name),
      'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
    ],
    [!/[a-z]/.test(name), 'must contain at least one letter (a-z)'],
    [name.includes('--'), 'must not contain consecutive hyphens'],
    [name.startsWith('-') || name.endsWith('-'), 'must not begin or end with a hyphen'],
  ];
  return faults.flatMap(([isFaulty, sentence]) => (isFaulty ? [sentence] : []));
}

/** User and group numbers. */
export function checkId(id: number): readonly string[] {
  return checkInRange(id, 0, ID_MAX);
}

/** Since 1.34 an environment variable may have nearly any name. */
export function checkEnvName(name: string): readonly string[] {
  if (name === '') return ['environment variable name must be non-empty'];
  if (/^[ -<>-~]*$/.test(name)) return [];
  return [
    "a valid environment variable name must consist only of printable ASCII characters other than '='",
  ];
}

export function checkHeaderName(name: string): readonly string[] {
  if (/^[-A-Za-z0-9]+$/.test(name)) return [];
  return [
    "a valid HTTP header must consist of alphanumeric characters or '-' " +
      "(e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
  ];
}

/** A key of a ConfigMap or a Secret, which is also a file name. */
export function checkConfigKey(key: string): readonly string[] {
  const problems: string[] = [];
  if (key.length > KEY_LENGTH_MAX) {
    problems.push(`must be no more than ${KEY_LENGTH_MAX} characters`);
  }
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
    problems.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' " +
        "(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', " +
        "regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  }
  return [...problems, ...checkNoStepUp(key)];
}

/** A DNS search domain, in which real resolvers allow underscores. */
export function checkSearchDomain(text: string): readonly string[] {
  const problems: string[] = [];
  if (text.length > KEY_LENGTH_MAX) {
    problems.push(`must be no more than ${KEY_LENGTH_MAX} characters`);
  }
  if (text.split('.').every((label) => UNDERSCORE_LABEL.test(label))) return problems;
  return [
    ...problems,
    'a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, ' +
      "'_', '-' or '.', and must start and end with an alphanumeric character " +
      `(e.g. 'example.com', regex used for validation is '${UNDERSCORE_SUBDOMAIN_FORM}')`,
  ];
}

function checkNoStepUp(name: string): readonly string[] {
  if (name === '.') return ["must not be '.'"];
  if (name === '..') return ["must not be '..'"];
  return name.startsWith('..') ? ["must not start with '..'"] : [];
}
