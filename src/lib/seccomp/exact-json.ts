/**
 * Parses JSON without rounding integers. Arguments of system calls have 64 bits, but JSON.parse makes
 * doubles: 18446744073709551615 would come out as 18446744073709551616. Integers that a double
 * cannot hold become BigInts.
 */

/** Precedes the digits of an integer in the text that is parsed; no JSON text contains it unescaped. */
const MARK = '\\u0000';
/** A whole string, or a whole number: digits within strings stay as they are. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const INTEGER = /^-?\d{16,}$/;

/** Throws a SyntaxError for what is no JSON, and for strings with a NUL, which nothing here needs. */
export function parseExactJson(text: string): unknown {
  // The text itself must be valid: an object with a number for a key is not, but would be once the
  // number is quoted.
  const rounded: unknown = JSON.parse(text);
  if (text.includes(MARK)) throw new SyntaxError('a string contains the character NUL');
  const marked = text.replaceAll(TOKEN, (token) =>
    INTEGER.test(token) ? `"${MARK}${token}"` : token,
  );
  if (marked === text) return rounded;
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === 'string' && value.startsWith('\0') ? BigInt(value.slice(1)) : value,
  );
}
