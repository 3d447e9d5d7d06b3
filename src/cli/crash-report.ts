/**
 * Formats the report of a crash of podkeep: the error, and its stack with lines of the source files.
 *
 * Node.js would print the line of the bundle that threw, which can be a hundred thousand characters long. The
 * source maps beside the bundle are read only here: the option of Node.js that reads them would slow down
 * every start.
 */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

const FRAME = /(file:\/\/[^\s()]+?\.m?js):(\d+):(\d+)/g;
const CAUSES_MAX = 5;

/** The whole report, with a newline at the end. `facts`: the versions of podkeep and the system. */
export function describeCrash(error: unknown, facts: string): string {
  return `error podkeep has a defect and ends: ${describe(error, CAUSES_MAX)}\n  ${facts}\n`;
}

/** Maps frames of a bundle to its source files. Frames of a bundle without a source map stay. */
export function mapStack(stack: string): string {
  const maps = new Map<string, SourceMap | null>();
  return stack.replaceAll(FRAME, (whole, url: string, line: string, column: string) => {
    if (!maps.has(url)) maps.set(url, readMap(url));
    const entry = maps.get(url)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!entry || !('originalSource' in entry)) return whole;
    const source = entry.originalSource.replace(/^(?:\.\.\/)+/, '');
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

function describe(error: unknown, causesLeft: number): string {
  if (!(error instanceof Error)) return String(error);
  const own = mapStack(error.stack ?? `${error.name}: ${error.message}`);
  if (error.cause === undefined || causesLeft === 0) return own;
  return `${own}\n  cause  ${describe(error.cause, causesLeft - 1)}`;
}

function readMap(url: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, 'utf8')));
  } catch {
    return null; // a crash without a map is still to be reported
  }
}
