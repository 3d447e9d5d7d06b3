/**
 * Parses, prints and matches field selectors: `metadata.name=web,status.phase!=Running`.
 *
 * Conditions joined by commas, all of which must hold; `==` is another way to write `=`. A value
 * that contains a comma, an equals sign or a backslash has a backslash before each of them. Fields
 * cannot be escaped: a field ends at the first operator. Which fields exist depends on the resource, so
 * this file refuses none of them; a field that has no value compares as the empty string.
 */
import { selectorInvalid } from './selector-error.ts';

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

export type FieldSelector = readonly FieldRequirement[];

/** The fields of one object: a table, or a function by name. */
export type FieldValues =
  | Readonly<Record<string, string>>
  | ((field: string) => string | null | undefined);

/** Empty conditions, as in `a=1,,b=2`, are skipped. The rest come back sorted by their text. */
export function parseFieldSelector(text: string): FieldSelector {
  return splitTerms(text)
    .sort()
    .filter((term) => term !== '')
    .map((term) => parseTerm(text, term))
    .filter(({ field, value }) => field !== '' || value !== '');
}

export function formatFieldSelector(selector: FieldSelector): string {
  return selector
    .map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`)
    .join(',');
}

export function matchesFields(selector: FieldSelector, values: FieldValues): boolean {
  return selector.every(({ field, operator, value }) => {
    const isSame = lookUp(values, field) === value;
    return operator === '=' ? isSame : !isSame;
  });
}

/** Escapes any text for use as a value in a field selector. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, String.raw`\$&`);
}

function lookUp(values: FieldValues, field: string): string {
  if (typeof values === 'function') return values(field) ?? '';
  return Object.hasOwn(values, field) ? (values[field] ?? '') : '';
}

/** The parts between commas that no backslash precedes; the backslashes stay. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === ',') {
      terms.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function parseTerm(text: string, term: string): FieldRequirement {
  const found = /!=|==?/.exec(term);
  if (!found) {
    const reason = `invalid selector: '${text}'; can't understand '${term}'`;
    throw selectorInvalid({ kind: 'field', text, reason });
  }
  const value = unescapeValue(text, term.slice(found.index + found[0].length));
  return {
    field: term.slice(0, found.index),
    operator: found[0] === '!=' ? '!=' : '=',
    value,
  };
}

function unescapeValue(text: string, value: string): string {
  return value.replace(/\\([^]?)|=/gu, (found: string, escaped: string | undefined) => {
    if (escaped === '\\' || escaped === ',' || escaped === '=') return escaped;
    const fault = found === '=' ? 'unescaped character in value' : 'invalid escape sequence';
    const reason = `invalid field selector: ${fault}: ${found}`;
    throw selectorInvalid({ kind: 'field', text, reason });
  });
}
