/** Splits a line into words as a shell does: blanks separate them, quotes of both kinds keep them whole. */

const PIECE = /'([^']*)'|"([^"]*)"|([^\s'"]+)|(\s+)/g;
const NAME = /\$([A-Z][A-Z_]*)/g;

export function splitWords(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [, single, double, plain, blank] of line.matchAll(PIECE)) {
    if (blank === undefined) {
      word = (word ?? '') + (single ?? double ?? plain ?? '');
    } else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}

/** Replaces `$NAME` by the value that a step saved; an unknown name is a mistake in the script. */
export function expandNames(text: string, known: ReadonlyMap<string, string>): string {
  return text.replaceAll(NAME, (_, name: string) => {
    const value = known.get(name);
    if (value === undefined) throw new Error(`no earlier step saved $${name}`);
    return value;
  });
}
