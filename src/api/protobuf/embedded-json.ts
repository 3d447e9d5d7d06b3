/**
 * JSON inside protobuf: raw extensions, managed fields, and defaults in a custom resource's schema
 * travel as the text of their JSON.
 *
 * The text becomes part of the object, so it is read here. JavaScript would read most integers
 * beyond 2^53 as a neighbour, and 1e999 as infinity, without a word; such numbers are refused. So
 * is nesting that no later recursion could follow. Both are rare, and most texts are seen at a
 * glance to have neither.
 */
import type { Json } from '../../lib/json.ts';
import { integerTooLarge, protobufTooDeep } from './protobuf-error.ts';
import { decodeText } from './text.ts';

const NESTING_MAX = 1000;

/** Sixteen digits or three of an exponent: without them, no number is too large. */
const LARGE_NUMBER = /\d{16}|\d[eE]\+?\d{3}/;

const [QUOTE, PLUS, MINUS, POINT, BACKSLASH] = [34, 43, 45, 46, 92] as const;

/** The value, or nothing if the text is no JSON. */
export function parseEmbeddedJson(bytes: Uint8Array): Json | undefined {
  const text = decodeText(bytes, 0, bytes.length);
  if (text.length > NESTING_MAX || LARGE_NUMBER.test(text)) check(text);
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

export function formatEmbeddedJson(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // What came from JSON has no cycles; only its depth can overflow the stack.
    throw protobufTooDeep(undefined, error);
  }
}

/** Walks over the text, which need not be JSON. */
function check(text: string): void {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index);
    else if (code === MINUS || isDigit(code)) index = endOfNumber(text, index);
    else if (isOpening(code)) depth += 1;
    else if (isClosing(code)) depth -= 1;
    if (depth > NESTING_MAX) throw protobufTooDeep(undefined);
  }
}

function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text.charCodeAt(index) !== QUOTE) {
    index += text.charCodeAt(index) === BACKSLASH ? 2 : 1;
  }
  return index;
}

function endOfNumber(text: string, start: number): number {
  let index = start + 1;
  while (isInNumber(text.charCodeAt(index))) index += 1;
  const digits = text.slice(start, index);
  const value = Number(digits);
  const isInteger = !/[.eE]/.test(digits);
  const survives = Number.isSafeInteger(value) || String(value) === digits;
  if (isInteger ? !survives : !Number.isFinite(value)) {
    throw integerTooLarge({ digits: digits.slice(0, 40) });
  }
  return index - 1;
}

function isInNumber(code: number): boolean {
  return isDigit(code) || code === POINT || code === PLUS || code === MINUS || isExponent(code);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isExponent(code: number): boolean {
  return code === 69 || code === 101;
}

function isOpening(code: number): boolean {
  return code === 91 || code === 123;
}

function isClosing(code: number): boolean {
  return code === 93 || code === 125;
}
