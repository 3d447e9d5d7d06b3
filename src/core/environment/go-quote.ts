/** Quotes text exactly as Go's strconv.Quote does, because readers of downward API files parse that form. */

const SHORT: ReadonlyMap<string, string> = new Map([
  ['\u0007', String.raw`\a`],
  ['\b', String.raw`\b`],
  ['\f', String.raw`\f`],
  ['\n', String.raw`\n`],
  ['\r', String.raw`\r`],
  ['\t', String.raw`\t`],
  ['\v', String.raw`\v`],
  ['\\', String.raw`\\`],
  ['"', String.raw`\"`],
]);

/** Letters, marks, numbers, punctuation, symbols and the plain blank; no other blank is printed. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Most texts need no escape. */
const PLAIN = /^[ !#-[\]-~]*$/;

export function quoteAsGo(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  let quoted = '"';
  for (const character of text) quoted += quoteCharacter(character);
  return `${quoted}"`;
}

function quoteCharacter(character: string): string {
  const short = SHORT.get(character);
  if (short !== undefined) return short;
  if (PRINTABLE.test(character)) return character;
  const point = character.codePointAt(0) ?? 0;
  // Half of a surrogate pair is no character; Go has the replacement character for it.
  if (point >= 0xd800 && point <= 0xdfff) return '\uFFFD';
  if (point < 0x20 || point === 0x7f) return String.raw`\x` + hex(point, 2);
  return point < 0x1_0000 ? String.raw`\u` + hex(point, 4) : String.raw`\U` + hex(point, 8);
}

function hex(point: number, digits: number): string {
  return point.toString(16).padStart(digits, '0');
}
