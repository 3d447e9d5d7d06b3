/**
 * Does a sentence only repeat the name that it is about? "The port." of `port` adds nothing, and `kubectl
 * explain` is better without it. A sentence that adds anything, such as a format, is kept.
 */
const FILLER: ReadonlySet<string> = new Set(
  (
    'a an and are as at be by each for from in is it its of on one or own that the their there these this ' +
    'those to what which with'
  ).split(' '),
);

export function isEcho(name: string, sentence: string): boolean {
  if (sentence.includes('://')) return false;
  const known = new Set((name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z\d]+/g) ?? []).map(stem));
  const words = (sentence.match(/[A-Za-z\d]+/g) ?? []).filter(
    (word) => !FILLER.has(word.toLowerCase()),
  );
  return words.length > 0 && words.every((word) => known.has(stem(word)));
}

function stem(word: string): string {
  return word.toLowerCase().replace(/ies$/, 'y').replace(/e?s$/, '');
}
