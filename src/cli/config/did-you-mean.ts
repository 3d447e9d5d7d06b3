/** Suggests a correction for a mistyped word: the nearest known word by edit distance. */

/** At most one letter in three may be wrong. */
const LETTERS_PER_MISTAKE = 3;

/** Null: no word is near enough. */
export function nearest(word: string, known: Iterable<string>): string | null {
  const wanted = word.toLowerCase();
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(wanted.length / LETTERS_PER_MISTAKE)) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** `; did you mean x?`, or nothing. */
export function suggest(word: string, known: Iterable<string>): string {
  const meant = nearest(word, known);
  return meant === null ? '' : `; did you mean ${meant}?`;
}

/** The edit distance: letters to insert, to delete or to replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [above, letter] of Array.from(a).entries()) {
    const next = [above + 1];
    for (const [index, other] of Array.from(b).entries()) {
      const kept = (row[index] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(kept, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
