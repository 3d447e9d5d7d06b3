/**
 * Parses and prints JSON inside protobuf: raw extensions, managed fields, and defaults in a
 * CustomResourceDefinition's schema are transported as the text of their JSON.
 *
 * 64-bit integers stay exact. Numbers such as 1e999, which JavaScript would silently read as infinity, are
 * refused, and so is nesting that would overflow the stack of a later recursion. Both are rare, and a quick
 * check rules them out for most texts.
 */
import { parseExactJson, printExactJson } from '../../lib/json-text/exact-json.ts';
import type { Json } from '../../lib/json.ts';
import { integerTooLarge, protobufTooDeep } from './protobuf-error.ts';
import { decodeText } from './text.ts';

const NESTING_MAX = 1000;

/** A text without 16 consecutive digits or a three-digit exponent has no number that is too large. */
const LARGE_NUMBER = /\d{16}|\d[eE]\+?\d{3}/;

const [QUOTE, PLUS, MINUS, POINT, BACKSLASH] = [34, 43, 45, 46, 92] as const;

/** The value. Undefined: the text is no JSON. */
export function parseEmbeddedJson(bytes: Uint8Array): Json | undefined {
  const text = decodeText(bytes, 0, bytes.length);
  if (text.length > NESTING_MAX || LARGE_NUMBER.test(text)) check(text);
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

export function formatEmbeddedJson(value: Json): string {
  const text = stringify(value);
  // Each level takes two brackets, so a short text is not too deep.
  if (text.length > 2 * NESTING_MAX) checkDepth(text);
  return text;
}

/** Up to Node.js 24, JSON.stringify overflows the stack for deeply nested values. */
function stringify(value: Json): string {
  try {
    return printExactJson(value);
  } catch (error) {
    // Parsed JSON has no cycles, so the depth is the only possible cause.
    throw protobufTooDeep(undefined, error);
  }
}

function checkDepth(text: string): void {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index);
    else if (isOpening(code)) depth += 1;
    else if (isClosing(code)) depth -= 1;
    if (depth > NESTING_MAX) throw protobufTooDeep(undefined);
  }
}

/** Scans the text, which need not be valid JSON. */
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
  if (!Number.isFinite(Number(digits))) throw integerTooLarge({ digits: digits.slice(0, 40) });
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
