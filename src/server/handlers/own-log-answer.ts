/**
 * Answers `/logs/?query=kubelet` with the newest lines of podkeep's own log, from memory.
 *
 * As in journalctl: the pattern is matched first, then `tailLines` counts from the end; a pattern without
 * capital letters ignores case; `boot` below zero has no lines, because the log of an earlier boot is gone.
 */
import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import type { ApiResponse } from '../../ports/api/http-handler.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OwnLog, OwnLogLine } from '../../ports/observe/own-log.ts';
import { errorText } from '../answers.ts';
import { faultOfNodeLogQuery, readNodeLogQuery, type NodeLogQuery } from './node-log-query.ts';

const SERVICES: ReadonlySet<string> = new Set(['kubelet', 'podkeep']);
/** After matching this many lines, the handler yields to the event loop. */
const LINES_PER_TURN = 500;
const HEADERS = [['content-type', 'text/plain;charset=UTF-8']] as const;

/** Null: the request is not a query. `rest`: the path below /logs/. */
export async function ownLogAnswer(
  { ownLog, clock }: { readonly ownLog: OwnLog; readonly clock: Clock },
  search: URLSearchParams,
  rest: string,
): Promise<ApiResponse | null> {
  const reading = readNodeLogQuery(search);
  if (reading.type === 'none') return null;
  if (reading.type === 'invalid') return errorText(400, reading.message);
  if (rest !== '') return errorText(406, 'path not allowed in query mode');
  const { query } = reading;
  const fault = faultOfNodeLogQuery(query, faultOfPattern);
  if (fault !== null) return errorText(406, fault);
  const isOwn = query.services.some((service) => SERVICES.has(service));
  const own = isOwn ? await linesOf(ownLog, query, clock) : '';
  const others = query.services.filter((service) => !SERVICES.has(service));
  const missing = others.map((service) => `\nlog not found for ${service}\n`).join('');
  return { status: 200, headers: HEADERS, body: own + missing };
}

async function linesOf(ownLog: OwnLog, query: NodeLogQuery, clock: Clock): Promise<string> {
  if ((query.boot ?? 0) < 0) return '';
  const matches = matcherOf(query.pattern);
  const found: string[] = [];
  let seen = 0;
  for (const line of ownLog.lines()) {
    seen += 1;
    if (seen % LINES_PER_TURN === 0) await clock.turn?.();
    if (isInTime(line, query) && matches(line.text)) found.push(line.text);
  }
  const tail = query.tailLines === null ? found : found.slice(found.length - query.tailLines);
  return tail.map((line) => `${line}\n`).join('');
}

function isInTime({ timeMs }: OwnLogLine, { sinceMs, untilMs }: NodeLogQuery): boolean {
  return (sinceMs === null || timeMs >= sinceMs) && (untilMs === null || timeMs <= untilMs);
}

function matcherOf(pattern: string): (text: string) => boolean {
  if (pattern === '') return () => true;
  const { RE2JS } = re2();
  const anyCase = /\p{Lu}/u.test(pattern) ? 0 : RE2JS.CASE_INSENSITIVE;
  const expression = RE2JS.compile(pattern, anyCase);
  return (text) => expression.matcher(text).find();
}

function faultOfPattern(pattern: string): string | null {
  try {
    matcherOf(pattern);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Loaded at the first query with a pattern. */
function re2(): { readonly RE2JS: typeof RE2JS } {
  const require = createRequire(import.meta.url);
  return require('re2js');
}
