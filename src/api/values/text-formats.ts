/**
 * Checks the string formats that the API server validates in OpenAPI schemas. Any other format is
 * documentation only, and accepts every text.
 */
import { parseGoDuration } from './time-duration.ts';
import { isDns1123Label } from '../validation-names.ts';
import { parseIp } from '../../lib/ip.ts';
import { checkCreditCard, checkIsbn10, checkIsbn13 } from './check-digits.ts';

type Check = (text: string) => boolean;

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const UUID3 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const UUID4 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const UUID5 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const COLOR_PART = '(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])';
const RGB = new RegExp(
  `^rgb\\(\\s*${COLOR_PART}\\s*,\\s*${COLOR_PART}\\s*,\\s*${COLOR_PART}\\s*\\)$`,
);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const MAC = /^(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1){4,18}[0-9a-f]{2}$/i;
const MAC_DOTTED = /^(?:[0-9a-f]{4}\.){2,9}[0-9a-f]{4}$/i;
const SSN = /^\d{3}[- ]?\d{2}[- ]?\d{4}$/;
const TIME = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/;
const HOST_LABEL = /^[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\-\p{S}\p{L}]*[a-zA-Z0-9\p{S}\p{L}])?$/u;
const TOP_LABEL = /^[a-zA-Z\p{L}]{2,63}$/u;
const DURATION_PARTS = /\d+\s*([A-Za-zµ]+)/g;
const DURATION_UNIT =
  /^(?:ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/i;
const NAME_LENGTH_MAX = 253;
const HOST_LENGTH_MAX = 255;
const LABEL_LENGTH_MAX = 63;
const SSN_LENGTH = 11;

/** By format name without dashes: `date-time` and `datetime` are the same. */
const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['bsonobjectid', (text) => /^[0-9a-f]{24}$/i.test(text)],
  ['uri', isRequestUri],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', (text) => text.includes('.') && isIp(withoutLeadingZeros(text))],
  ['ipv6', (text) => text.includes(':') && isIp(text)],
  ['cidr', isCidr],
  ['mac', (text) => isMac(text)],
  ['uuid', (text) => UUID.test(text)],
  ['uuid3', (text) => UUID3.test(text)],
  ['uuid4', (text) => UUID4.test(text)],
  ['uuid5', (text) => UUID5.test(text)],
  ['isbn', (text) => checkIsbn10(text) || checkIsbn13(text)],
  ['isbn10', checkIsbn10],
  ['isbn13', checkIsbn13],
  ['creditcard', checkCreditCard],
  ['ssn', (text) => text.length === SSN_LENGTH && SSN.test(text)],
  ['hexcolor', (text) => /^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text)],
  ['rgbcolor', (text) => RGB.test(text)],
  ['byte', (text) => text.length % 4 === 0 && BASE64.test(text)],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', isDns1123Label],
  ['k8slongname', isLongName],
]);

/** Undefined: the format is not checked. */
export function checkOfFormat(format: string): Check | undefined {
  return CHECKS.get(format.replaceAll('-', ''));
}

/** The format, if the API server checks it for this type (empty: any type); otherwise the empty string. */
export function checkedFormat(type: string, format: string): string {
  switch (type) {
    case '':
    case 'string':
      return checkOfFormat(format) ? format : '';
    case 'integer':
      return format === 'int32' || format === 'int64' ? format : '';
    case 'number':
      return format === 'float' || format === 'double' ? format : '';
    default:
      return '';
  }
}

export function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match) return false;
  const [year, month, day] = match.slice(1).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t');
  const match = TIME.exec(time);
  if (!match || !isDate(date)) return false;
  const [, hours = '', minutes = '', seconds = ''] = match;
  return hours <= '23' && minutes <= '59' && seconds <= '59';
}

/** Go's syntax, or words: `3 days`. */
function isDuration(text: string): boolean {
  try {
    parseGoDuration(text);
    return true;
  } catch {
    // Not Go's syntax; perhaps words.
    return [...text.matchAll(DURATION_PARTS)].some(([, unit = '']) => DURATION_UNIT.test(unit));
  }
}

/** An absolute URI, or an absolute path. */
function isRequestUri(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- they are what may not be there
  if (text === '' || /[\u0000-\u001F\u007F]/.test(text)) return false;
  if (/%(?![0-9A-Fa-f]{2})/.test(text.split('?')[0] ?? '')) return false;
  if (text === '*' || text.startsWith('/')) return true;
  const match = /^[a-zA-Z][a-zA-Z0-9+.-]*:(.*)$/s.exec(text);
  if (!match) return false;
  const [, rest = ''] = match;
  const [, authority] = /^\/\/([^/?#]*)/.exec(rest) ?? [];
  return authority === undefined || !/[ <>"{}|\\^`]/.test(authority);
}

function isEmail(text: string): boolean {
  const [, inAngles] = /^[^<>]*<([^<>]+)>\s*$/.exec(text) ?? [];
  const address = (inAngles ?? text).trim();
  const at = address.lastIndexOf('@');
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  const isQuoted = /^"[^"\\]*"$/.test(local);
  const isAtoms = local.split('.').every((atom) => /^[^\s()<>[\]:;@\\,."]+$/.test(atom));
  const isDomain =
    /^\[[^[\]\s]+\]$/.test(domain) ||
    domain.split('.').every((atom) => /^[^\s()<>[\]:;@\\,."]+$/.test(atom));
  return at > 0 && (isQuoted || isAtoms) && isDomain;
}

/** One label, or several of which the last consists of letters. */
function isHostname(text: string): boolean {
  const labels = text.split('.');
  if (text.length > HOST_LENGTH_MAX) return false;
  if (labels.some((label) => label.length > LABEL_LENGTH_MAX || !HOST_LABEL.test(label))) {
    return false;
  }
  return labels.length === 1 || TOP_LABEL.test(labels.at(-1) ?? '');
}

function isLongName(text: string): boolean {
  return (
    text.length <= NAME_LENGTH_MAX &&
    text.split('.').every((label) => /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(label))
  );
}

function isIp(text: string): boolean {
  return parseIp(text) !== undefined;
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  const ip = parseIp(address.includes(':') ? address : withoutLeadingZeros(address));
  if (!ip || rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  return Number(bits) <= (address.includes(':') ? 128 : 32);
}

/** Older versions of Go read 010.0.0.1 as 10.0.0.1, and the API server still accepts that. */
function withoutLeadingZeros(text: string): string {
  return text.replaceAll(/(?<![0-9a-f:])0+(?=\d)/g, '');
}

function isMac(text: string): boolean {
  const bytes = text.replaceAll(/[^0-9a-f]/gi, '').length / 2;
  return [6, 8, 20].includes(bytes) && (MAC.test(text) || MAC_DOTTED.test(text));
}
