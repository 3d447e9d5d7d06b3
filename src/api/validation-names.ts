/**
 * Validates names as Kubernetes does, with its error messages.
 *
 * Each `check` returns the errors of the API server, with its wording and order, and an empty list for a
 * valid name. Clients show these sentences to people and some match on them, so they are part of the
 * interface, down to the regular expression they quote. (Names of objects are measured in "characters"
 * and parts of labels in "bytes"; both mean bytes.)
 *
 * The regular expressions search for one fault instead of matching the whole text. Such a search never
 * backtracks, so a megabyte of dashes costs one pass.
 */
import { cutToBytes } from '../lib/utf8.ts';

const LABEL_BYTES_MAX = 63;
const SUBDOMAIN_BYTES_MAX = 253;

const DNS_LABEL_FAULT = /[^-a-z0-9]|^-|-$/;
const DNS_SUBDOMAIN_FAULT = /[^-.a-z0-9]|^[-.]|[-.]$|\.[-.]|-\./;
const LABEL_FAULT = /[^-._A-Za-z0-9]|^[-._]|[-._]$/;

const DNS_LABEL_FORM = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS_SUBDOMAIN_FORM = `${DNS_LABEL_FORM}(\\.${DNS_LABEL_FORM})*`;
const LABEL_KEY_FORM = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE_FORM = `(${LABEL_KEY_FORM})?`;

const DNS_LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
  'and must start and end with an alphanumeric character ' +
  `(e.g. 'my-name',  or '123-abc', regex used for validation is '${DNS_LABEL_FORM}')`;
const DNS_SUBDOMAIN_RULE =
  'a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, ' +
  "'-' or '.', and must start and end with an alphanumeric character " +
  `(e.g. 'example.com', regex used for validation is '${DNS_SUBDOMAIN_FORM}')`;
const LABEL_KEY_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', " +
  'and must start and end with an alphanumeric character ' +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', " +
  `regex used for validation is '${LABEL_KEY_FORM}')`;
const LABEL_VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', " +
  'and must start and end with an alphanumeric character ' +
  "(e.g. 'MyValue',  or 'my_value',  or '12345', " +
  `regex used for validation is '${LABEL_VALUE_FORM}')`;

/** A single label of a domain name: the form of the names of namespaces and containers. */
export function checkDns1123Label(text: string): readonly string[] {
  const problems = checkLength(text, LABEL_BYTES_MAX, 'characters');
  if (text !== '' && !DNS_LABEL_FAULT.test(text)) return problems;
  return [...problems, isDnsSubdomainForm(text) ? 'must not contain dots' : DNS_LABEL_RULE];
}

/** A domain name: the form of the names of pods, nodes and most other objects. */
export function checkDns1123Subdomain(text: string): readonly string[] {
  return checkSubdomain(text, 'characters');
}

/** A name with an optional domain before a slash: the form of label and annotation keys. */
export function checkLabelKey(text: string): readonly string[] {
  const slash = text.indexOf('/');
  if (slash !== text.lastIndexOf('/')) {
    const addition = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return [`a valid label key ${LABEL_KEY_RULE}${addition}`];
  }
  const problems = slash < 0 ? [] : checkKeyPrefix(text.slice(0, slash));
  return [...problems, ...checkKeyName(text.slice(slash + 1))];
}

export function checkLabelValue(text: string): readonly string[] {
  const problems = checkLength(text, LABEL_BYTES_MAX, 'bytes');
  return LABEL_FAULT.test(text) ? [...problems, LABEL_VALUE_RULE] : problems;
}

export function isDns1123Label(text: string): boolean {
  return checkDns1123Label(text).length === 0;
}

export function isDns1123Subdomain(text: string): boolean {
  return checkDns1123Subdomain(text).length === 0;
}

export function isLabelKey(text: string): boolean {
  return checkLabelKey(text).length === 0;
}

export function isLabelValue(text: string): boolean {
  return checkLabelValue(text).length === 0;
}

function checkKeyPrefix(prefix: string): readonly string[] {
  const problems = prefix === '' ? ['must be non-empty'] : checkSubdomain(prefix, 'bytes');
  return problems.map((problem) => `prefix part ${problem}`);
}

function checkKeyName(name: string): readonly string[] {
  if (name === '') return ['name part must be non-empty', `name part ${LABEL_KEY_RULE}`];
  const problems = checkLength(name, LABEL_BYTES_MAX, 'bytes');
  const all = LABEL_FAULT.test(name) ? [...problems, LABEL_KEY_RULE] : problems;
  return all.map((problem) => `name part ${problem}`);
}

function checkSubdomain(text: string, unit: 'bytes' | 'characters'): readonly string[] {
  const problems = checkLength(text, SUBDOMAIN_BYTES_MAX, unit);
  return isDnsSubdomainForm(text) ? problems : [...problems, DNS_SUBDOMAIN_RULE];
}

function isDnsSubdomainForm(text: string): boolean {
  return text !== '' && !DNS_SUBDOMAIN_FAULT.test(text);
}

function checkLength(text: string, bytesMax: number, unit: 'bytes' | 'characters'): string[] {
  const fits = cutToBytes(text, bytesMax).length === text.length;
  return fits ? [] : [`must be no more than ${bytesMax} ${unit}`];
}
