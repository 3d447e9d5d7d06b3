/**
 * Limits the texts of Warning headers as kube-apiserver does: drops duplicates, and sends all texts unchanged
 * if they have at most 4,096 characters together. Otherwise each is cut to 256 characters, and texts beyond a
 * total of 4,096 are dropped.
 */
const TOTAL_MAX = 4 * 1024;
const EACH_MAX = 256;

export function cutWarnings(warnings: readonly string[]): readonly string[] {
  const sentences = [...new Set(warnings)].filter((text) => text !== '');
  const fitting = sentences.findIndex(exceeds(TOTAL_MAX));
  if (fitting < 0) return sentences;
  // All texts up to the first that does not fit are sent, but cut.
  const cut = sentences.map((text) => firstOf(text, EACH_MAX));
  const lengths = cut.map(lengthOf);
  let total = lengths.slice(0, fitting + 1).reduce((sum, length) => sum + length, 0);
  let count = fitting + 1;
  for (; count < cut.length && total < TOTAL_MAX; count += 1) total += lengths[count] ?? 0;
  return cut.slice(0, count);
}

/** Characters beyond ASCII are sent as UTF-8 bytes. Null: a header cannot hold the text. */
export function warningHeader(text: string): string | null {
  if (CONTROL.test(text)) return null;
  const quoted = `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  return `299 - ${Buffer.from(quoted).toString('latin1')}`;
}

// oxlint-disable-next-line no-control-regex -- these are what it is about
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Whether the texts up to and including this one are longer than `most` together. */
function exceeds(most: number): (text: string) => boolean {
  let total = 0;
  return (text) => {
    total += lengthOf(text);
    return total > most;
  };
}

/** In code points, as Go counts runes. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

function firstOf(text: string, most: number): string {
  // A code point has at most two UTF-16 units.
  return Array.from(text.slice(0, 2 * most))
    .slice(0, most)
    .join('');
}
