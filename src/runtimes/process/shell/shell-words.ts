/** Words as a POSIX shell reads them back: whatever is in them, it is one word and nothing else. */
const PLAIN = /^[A-Za-z0-9_/.:=@%+,-]+$/;

export function quoteWord(word: string): string {
  if (PLAIN.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

export function quoteWords(words: readonly string[]): string {
  return words.map(quoteWord).join(' ');
}
