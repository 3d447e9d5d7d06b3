/**
 * Escapes field names that are not CEL identifiers: `a-b` becomes `a__dash__b`, `namespace` becomes
 * `__namespace__`.
 */

const RESERVED: ReadonlySet<string> = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
]);

const WORDS: ReadonlyMap<string, string> = new Map([
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
]);

/** Undefined: the name cannot be escaped, so expressions cannot refer to the field. */
export function escapeName(name: string): string | undefined {
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined;
  if (RESERVED.has(name)) return `__${name}__`;
  return name.replaceAll(/__|[-./]/g, (found) => WORDS.get(found) ?? found);
}

const MEANINGS: ReadonlyMap<string, string> = new Map([
  ...[...WORDS].map(([sign, word]) => [word, sign] as const),
  ...[...RESERVED].map((word) => [`__${word}__`, word] as const),
]);

/** The field name that an escaped identifier stands for. */
export function unescapeName(escaped: string): string {
  const word = MEANINGS.get(escaped);
  if (word !== undefined) return word;
  return escaped.replaceAll(
    /__(?:underscores|dot|dash|slash)__/g,
    (found) => MEANINGS.get(found) ?? '',
  );
}
