/** Splits a text into characters as Go and Unicode count them: an emoji is one, not two. */
export function codePoints(text: string): readonly string[] {
  return Array.from(text);
}
