/**
 * Finds where the last lines of a log start. It searches from the end in blocks, so that the cost grows with
 * the number of requested lines, not with the size of the log. An unfinished last line is not counted.
 */
import type { LogFile } from '../../ports/pod/log-source.ts';
import { NEW_LINE } from './log-line.ts';

const BLOCK_BYTES = 64 * 1024;

export async function findTailStart(file: LogFile, size: number, lines: number): Promise<number> {
  let found = 0;
  for (let end = size; end > 0;) {
    const start = Math.max(end - BLOCK_BYTES, 0);
    const block = await file.read(start, end - start);
    for (let at = block.lastIndexOf(NEW_LINE); at >= 0;) {
      // The end of the line before the requested ones: they start after it.
      if (found === lines) return start + at + 1;
      found += 1;
      at = at === 0 ? -1 : block.lastIndexOf(NEW_LINE, at - 1);
    }
    end = start;
  }
  return 0;
}
