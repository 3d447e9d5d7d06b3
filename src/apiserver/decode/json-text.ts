/**
 * Parses JSON and reports what JSON.parse does not: duplicate fields, and numbers that no double can hold.
 * 64-bit integers stay exact (lib/json-text/exact-json.ts).
 *
 * A second scan of the text finds keys that occur twice in one object. It is skipped if the value prints as
 * exactly the same text, as it does for most clients.
 *
 * Each step is linear in the length of the text, and none of them recurses.
 */
import type { Json } from '../../lib/json.ts';
import { findJsonFault } from './json-fault.ts';
import { isTextTooDeep, NestingError } from './nesting.ts';
import { checkDoubles, parseExactJson, printExactJson } from '../../lib/json-text/exact-json.ts';

export interface ReadJson {
  readonly value: Json;
  /** The paths of duplicate fields, such as `metadata.name`. The last value counts. */
  readonly duplicates: readonly string[];
}

/** Throws a SyntaxError, a NestingError, or a RangeError for a number that no double can hold. */
export function readJson(text: string): ReadJson {
  const value = parseJson(text);
  if (printExactJson(value) === text) return { value, duplicates: [] };
  return { value, duplicates: findDuplicates(text) };
}

/** The same, without finding duplicates. */
export function parseJson(text: string): Json {
  if (isTextTooDeep(text)) {
    const fault = findJsonFault(text);
    throw fault === undefined ? new NestingError() : new SyntaxError(fault);
  }
  const value = parseExactJson(text);
  checkDoubles(text);
  return value;
}

/** The limit of Kubernetes' decoder. */
const DUPLICATES_MAX = 100;

/** An object or list that is open. */
interface Frame {
  /** Null: the frame is a list. */
  readonly keys: Set<string> | null;
  /** The key or index of the current value. */
  at: string | number;
}

/** The text is known to be valid JSON, so each step only has to find the end of a token. */
function findDuplicates(text: string): readonly string[] {
  const found = new Set<string>();
  const open: Frame[] = [];
  let isKeyNext = false;
  for (let at = 0; at < text.length;) {
    const char = text[at] ?? '';
    const frame = open.at(-1);
    let end = at + 1;
    switch (char) {
      case '{':
        open.push({ keys: new Set(), at: '' });
        isKeyNext = true;
        break;
      case '[':
        open.push({ keys: null, at: 0 });
        isKeyNext = false;
        break;
      case '}':
      case ']':
        open.pop();
        isKeyNext = false;
        break;
      case ',':
        isKeyNext = frame?.keys !== null;
        if (typeof frame?.at === 'number') frame.at += 1;
        break;
      case '"':
        end = endOfString(text, at);
        if (isKeyNext && frame?.keys) {
          const key = stringOf(text.slice(at, end));
          frame.at = key;
          if (frame.keys.has(key) && found.size < DUPLICATES_MAX) found.add(pathOf(open));
          frame.keys.add(key);
          isKeyNext = false;
        }
        break;
      case ':':
      case ' ':
      case '\t':
      case '\r':
      case '\n':
        break;
      default:
        end = endOfWord(text, at);
    }
    at = end;
  }
  return [...found];
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (; text.charCodeAt(at) !== QUOTE; at += 1) if (text.charCodeAt(at) === BACKSLASH) at += 1;
  return at + 1;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function stringOf(quoted: string): string {
  return quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
}

/** A number or a literal: it ends before one of these characters. */
function endOfWord(text: string, start: number): number {
  let at = start;
  while (at < text.length && !',]} \t\r\n'.includes(text[at] ?? '')) at += 1;
  return at;
}

function pathOf(open: readonly Frame[]): string {
  const parts = open.map(({ at }) => (typeof at === 'number' ? `[${at}]` : `.${at}`));
  const path = parts.join('');
  return path.startsWith('.') ? path.slice(1) : path;
}
