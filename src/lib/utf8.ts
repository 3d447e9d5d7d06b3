/** Cuts text by the size of its UTF-8 form, without encoding it. */

/** The longest prefix of `text` that fits in `bytesMax` bytes and ends at a whole character. */
export function cutToBytes(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax) return text; // no UTF-16 unit takes more than three bytes
  let bytes = 0;
  let index = 0;
  while (index < text.length) {
    const point = text.codePointAt(index) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (bytes > bytesMax) return text.slice(0, index);
    index += point < 0x10000 ? 1 : 2;
  }
  return text;
}
