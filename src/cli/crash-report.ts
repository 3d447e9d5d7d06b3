/**
 * The report of a crash of podkeep: the error with a stack in the lines of the source, and nothing else.
 *
 * Node would print the line of the bundle that threw, and one line of it can be a hundred thousand
 * characters long. The source maps beside the bundle are read only now: reading them in Node would slow
 * down every start.
 */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

const FRAME = /(file:\/\/[^\s()]+?\.m?js):(\d+):(\d+)/g;
const CAUSES_MAX = 5;

/** The whole report, with a line end. `facts` say which podkeep and which system it was. */
export function describeCrash(error: unknown, facts: string): string {
  return `error podkeep has a defect and ends: ${describe(error, CAUSES_MAX)}\n  ${facts}\n`;
}

/** Frames of a bundle become those of its source; a bundle without a map keeps its own. */
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
