/**
 * Parses and prints JSON without changing integers, at the speed of JSON.parse and JSON.stringify.
 *
 * JSON.parse rounds integers beyond 2^53. Here such integers become bigints if they fit into 64 bits, and
 * otherwise doubles, as in kube-apiserver. A text without sixteen digits in a row has no such integer. Most
 * texts are like that, and cost only a check of every sixteenth character more than JSON.parse. Printing a
 * value without bigints costs nothing more than JSON.stringify.
 *
 *     9007199254740991              number
 *     9007199254740993              bigint
 *     9007199254740993.0, 1e18      number: it is a double in Kubernetes, too
 *     9223372036854775808           number: no int64
 *     1e999                         infinite; checkDoubles refuses it
 */
import { isJsonObject, type Json } from '../json.ts';

/** An integer beyond 2^53 has at least this many digits. */
const DIGITS_MIN = 16;
/** A number beyond the range of doubles has this exponent or at least DIGITS_MIN digits. */
const LARGE_EXPONENT = /[eE]\+?\d{3}/;
const INTEGER = /^-?\d+$/;
/** More characters than any 64-bit integer has, including its sign. */
const KEPT_CHARS_MAX = 24;
const SHOWN_MAX = 40;
const [QUOTE, MINUS, ZERO, NINE, BACKSLASH] = [34, 45, 48, 57, 92] as const;

/** Decides which of the integers beyond 2^53 become bigints. */
export type KeepInteger = (integer: bigint) => boolean;

export function isInt64(integer: bigint): boolean {
  return BigInt.asIntN(64, integer) === integer;
}

/** Throws a SyntaxError if the text is not JSON. */
export function parseExactJson(text: string, keep: KeepInteger = isInt64): Json {
  const value: Json = JSON.parse(text);
  if (!hasManyDigits(text)) return value;
  // The text is parsed a second time with these integers quoted. Where one result has a number and the other
  // a string, the string is the exact integer.
  const quoted = quoteIntegers(text, keep);
  return quoted === text ? value : restore(value, JSON.parse(quoted));
}

/** Throws a RangeError if a number is beyond the range of doubles: it would be printed as null. */
export function checkDoubles(text: string): void {
  if (hasManyDigits(text) || LARGE_EXPONENT.test(text)) forEachNumber(text, checkDouble);
}

function checkDouble(digits: string): void {
  if (Number.isFinite(Number(digits))) return;
  const shown = digits.length > SHOWN_MAX ? `${digits.slice(0, SHOWN_MAX)}...` : digits;
  throw new RangeError(`json: cannot unmarshal number ${shown} into Go value of type float64`);
}

/**
 * Throws a TypeError if the value contains itself, and a RangeError if it is nested too deeply. `indent`: the
 * spaces per level. 0: everything in one line.
 */
export function printExactJson(value: unknown, indent = 0): string {
  try {
    return JSON.stringify(value, null, indent);
  } catch (error) {
    // The value contains a bigint, or cannot be printed at all.
    if (error instanceof TypeError) return printWithIntegers(value, ' '.repeat(indent));
    throw error;
  }
}

/** The integer as a bigint if it is beyond 2^53, or else as a number. */
export function jsonInteger(integer: bigint): number | bigint {
  const rounded = Number(integer);
  return Number.isSafeInteger(rounded) ? rounded : integer;
}

/** Checks only every sixteenth character: sixteen digits in a row must cover one of them. */
function hasManyDigits(text: string): boolean {
  for (let at = DIGITS_MIN - 1; at < text.length; at += DIGITS_MIN) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let start = at;
    while (isDigit(text.charCodeAt(start - 1))) start -= 1;
    let end = at + 1;
    while (end - start < DIGITS_MIN && isDigit(text.charCodeAt(end))) end += 1;
    if (end - start >= DIGITS_MIN) return true;
  }
  return false;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function quoteIntegers(text: string, keep: KeepInteger): string {
  let quoted = '';
  let done = 0;
  forEachNumber(text, (digits, start) => {
    if (!isKept(digits, keep)) return;
    quoted += `${text.slice(done, start)}"${digits}"`;
    done = start + digits.length;
  });
  return done === 0 ? text : quoted + text.slice(done);
}

/** The text is valid JSON, so each step only has to find the end of a token. */
function forEachNumber(text: string, visit: (digits: string, start: number) => void): void {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, at);
      visit(text.slice(at, end), at);
      at = end - 1;
    }
  }
}

function isKept(digits: string, keep: KeepInteger): boolean {
  // Longer ones are not converted, because BigInt takes more than linear time.
  if (digits.length < DIGITS_MIN || digits.length > KEPT_CHARS_MAX) return false;
  if (!INTEGER.test(digits) || Number.isSafeInteger(Number(digits))) return false;
  return keep(BigInt(digits));
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (; text.charCodeAt(at) !== QUOTE; at += 1) if (text.charCodeAt(at) === BACKSLASH) at += 1;
  return at;
}

/** A number ends before the first comma, bracket or blank. */
function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && '0123456789.eE+-'.includes(text[at] ?? '')) at += 1;
  return at;
}

/**
 * Writes the bigints into `value`, which no caller has yet. Iterative, so that a deep value does not overflow
 * the stack.
 */
function restore(value: Json, quoted: Json): Json {
  if (typeof value === 'number') return typeof quoted === 'string' ? BigInt(quoted) : value;
  const pairs: (readonly [value: Json, quoted: Json])[] = [[value, quoted]];
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    const [parent, other] = pair;
    if (typeof parent !== 'object' || parent === null) continue;
    for (const [key, child] of Object.entries(parent)) {
      const text = childOf(other, key);
      if (typeof child !== 'number') pairs.push([child, text]);
      else if (typeof text === 'string') {
        // An assignment would not work for a field called __proto__.
        const change = {
          value: BigInt(text),
          enumerable: true,
          configurable: true,
          writable: true,
        };
        Object.defineProperty(parent, key, change);
      }
    }
  }
  return value;
}

function childOf(parent: Json, key: string): Json {
  if (Array.isArray(parent)) return (parent as readonly Json[])[Number(key)] ?? null;
  return isJsonObject(parent) ? (parent[key] ?? null) : null;
}

/** Prints as JSON.stringify does, but with bigints. */
function printWithIntegers(value: unknown, step: string, margin = ''): string {
  if (typeof value === 'bigint') return value.toString();
  const inner = margin + step;
  const [start, comma, end] =
    step === '' ? ['', ',', ''] : [`\n${inner}`, `,\n${inner}`, `\n${margin}`];
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => printWithIntegers(item, step, inner));
    return items.length === 0 ? '[]' : `[${start}${items.join(comma)}${end}]`;
  }
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  const colon = step === '' ? ':' : ': ';
  const fields = Object.entries(value).flatMap(([key, field]: readonly [string, unknown]) =>
    field === undefined
      ? []
      : [`${JSON.stringify(key)}${colon}${printWithIntegers(field, step, inner)}`],
  );
  return fields.length === 0 ? '{}' : `{${start}${fields.join(comma)}${end}}`;
}
