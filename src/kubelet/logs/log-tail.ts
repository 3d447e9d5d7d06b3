/**
 * Extracts the end of a log in the CRI format, without timestamps and tags:
 *
 *     2026-01-02T03:04:05.000000006Z stdout F a whole line
 *     2026-01-02T03:04:05.000000007Z stderr P the beginning of one that goes on
 */
const LINE = /^\S+ (?:stdout|stderr) ([PF])(?::\S*)? ?(.*)$/s;

/** Text that is not in this format is skipped, because it is the rest of a line that was cut. */
export function lastLogLines(text: string, linesMax: number, bytesMax: number): string {
  const words = text.split('\n').flatMap((line) => {
    const [, tag, content = ''] = LINE.exec(line) ?? [];
    return tag === undefined ? [] : [tag === 'F' ? `${content}\n` : content];
  });
  return lastBytes(lastLines(words, linesMax), bytesMax);
}

function lastLines(words: readonly string[], linesMax: number): string {
  const lines = words.join('').split(/(?<=\n)/);
  return lines.slice(-linesMax).join('');
}

export function lastBytes(text: string, bytesMax: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= bytesMax) return text;
  let start = bytes.length - bytesMax;
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return new TextDecoder().decode(bytes.subarray(start));
}
